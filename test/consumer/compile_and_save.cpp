// Compiles a function, checks that machine code served it, and saves it: compile_and_save FILE
#include <tensorjit/tensorjit.h>

#include <iostream>

namespace tj = tensorjit;

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  tj::Options options;
  options.strict = true; // no compiler: an error
  auto f = tj::compile([](const tj::Tensor &x) { return (x * 2.0 + 1.0).tanh().sum(); }, options);
  const tj::Tensor x = tj::arange(5, tj::kFloat32);
  const double eager = (x * 2.0 + 1.0).tanh().sum().item(), compiled = f(x).item();
  if (f.stats().compiles != 1 || f.explain().find("eager kernel") != std::string::npos) {
    std::cerr << f.explain();
    return 1;
  }
  f.save(argv[1], x);
  const double far = eager > compiled ? eager - compiled : compiled - eager;
  return far < 1e-5 ? 0 : 1;
}
