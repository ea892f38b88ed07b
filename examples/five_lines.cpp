// A chain of pointwise ops, compiled into one kernel.
#include <iostream>
#include <tensorjit/tensorjit.h>

namespace tj = tensorjit;

int main() {
  auto f = tj::compile([](tj::Tensor x) { return (x * 2.0 + 1.0).tanh().sum(); });
  for (int64_t n : {3, 3, 1000}) std::cout << f(tj::ones({n})).item() << "\n";
}
