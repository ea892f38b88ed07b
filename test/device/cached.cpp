// What one process has compiled for a device, eager ops among it, another one runs without NVRTC.
#include <tensorjit/tensorjit.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;
namespace tj = tensorjit;

/// Whether the values are right and what is read from disk is as it should be.
static bool run(bool fromDisk) {
  tj::Options options;
  options.strict = true;
  auto f = tj::compile([](const tj::Tensor &x) { return (x * 2.F + 1.F).tanh().sum(); }, options);
  const tj::Tensor x = tj::full({100}, 0.5).to(tj::kCUDA);
  const float compiled = f(x).item<float>(), eager = (x * 3.F).sum().item<float>();
  const tj::CompileStats stats = f.stats();
  std::printf("%g %g, %lld compiles, %lld from disk\n", compiled, eager, static_cast<long long>(stats.compiles),
              static_cast<long long>(stats.cache_hits));
  return std::abs(compiled - 100 * std::tanh(2.F)) < 1e-3F && eager == 150 && stats.compiles == !fromDisk &&
         stats.cache_hits == fromDisk;
}

static bool runInChild(bool fromDisk) {
  const pid_t child = fork();
  if (child == 0) std::exit(run(fromDisk) ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main() {
  const fs::path folder = fs::temp_directory_path() / ("tensorjit-cached-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const char *named = std::getenv("TENSORJIT_NVRTC");
  const fs::path nvrtc = named ? named : "";
  setenv("TENSORJIT_CACHE_DIR", (folder / "cache").c_str(), 1);
  setenv("TENSORJIT_NVRTC", (folder / "cuda" / nvrtc.filename()).c_str(), 1);
  fs::create_directory_symlink(nvrtc.parent_path(), folder / "cuda");
  bool right = runInChild(/*fromDisk=*/false);
  fs::remove(folder / "cuda");
  right = runInChild(/*fromDisk=*/true) && right;
  fs::remove_all(folder);
  return right ? 0 : 1;
}
