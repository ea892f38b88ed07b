// Runs what compile_and_save wrote; then compiles a function, which the compiler may be missing for: one warning.
//   run_saved FILE WARNINGS
#include <tensorjit/tensorjit.h>

#include <iostream>
#include <string>

namespace tj = tensorjit;

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  const tj::Tensor x = tj::arange(5, tj::kFloat32);
  const double eager = (x * 2.0 + 1.0).tanh().sum().item();
  tj::LoadedExecutable saved(argv[1]);
  const double loaded = saved.run({x})[0].item();
  int warnings = 0;
  tj::set_log_sink([&](std::string_view line) { warnings += line.find("the compiler cannot be opened") != line.npos; });
  auto f = tj::compile([](const tj::Tensor &t) { return t * 3.f; });
  for (int i = 0; i < 3; ++i)
    if (f(x).sum().item() != 30) return 1;
  std::cout << "eager " << eager << ", loaded " << loaded << ", warnings " << warnings << "\n";
  const double far = eager > loaded ? eager - loaded : loaded - eager;
  return far < 1e-5 && warnings == std::stoi(argv[2]) ? 0 : 1;
}
