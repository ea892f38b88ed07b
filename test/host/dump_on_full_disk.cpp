// The disk is full in the middle of a dump: that is said once, the call goes on, and each file is whole or not there.
#include "Work.h"

#include <filesystem>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <vector>

namespace fs = std::filesystem;

static std::string contents(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A file system of four pages on the folder, which this process alone sees.
static bool mountSmallDisk(const fs::path &folder) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=16k") == 0;
}

static float run(const tj::Options &options) {
  auto compiled = tj::compile([](const tj::Tensor &x) { return (x * 2.F + 1.F).sum(); }, options);
  const auto result = compiled(tj::ones({5})).item<float>();
  REQUIRE(compiled.stats().compiles == 1 && compiled.stats().eager_segments == 0);
  return result;
}

int main() {
  const fs::path folder = fs::temp_directory_path() / ("tensorjit-dump-" + std::to_string(getpid()));
  const fs::path small = folder / "small", large = folder / "large";
  fs::create_directories(small);
  if (!mountSmallDisk(small)) {
    std::perror("skipped, this process may not mount a file system");
    fs::remove_all(folder);
    return 77;
  }
  setenv("TENSORJIT_DUMP", small.c_str(), 1);
  std::vector<std::string> warnings;
  tj::set_log_sink([&](std::string_view line) { warnings.emplace_back(line); });

  tj::Options options = testOptions();
  options.name = "f";
  REQUIRE(options.dump == small);
  REQUIRE(run(options) == 15);
  REQUIRE(warnings.size() == 1 && warnings[0].find("no dump is written") != std::string::npos);
  REQUIRE(warnings[0].find("No space left on device") != std::string::npos);

  options.dump = large;
  REQUIRE(run(options) == 15);
  size_t files = 0;
  for (const fs::directory_entry &file : fs::directory_iterator(small)) {
    ++files;
    if (file.path().extension() == ".so") continue; // which was opened, and so is whole
    REQUIRE(contents(file.path()) == contents(large / file.path().filename()));
  }
  REQUIRE(files > 0 && fs::exists(small / "f_0.0-graph.mlir"));
  REQUIRE(files < static_cast<size_t>(std::distance(fs::directory_iterator(large), fs::directory_iterator())));
  umount(small.c_str());
  fs::remove_all(folder);
}
