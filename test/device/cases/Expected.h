#pragma once
/// Inputs on which tensor compilers have gone wrong, with the right results. Each runs on the device eager and
/// compiled.
#include "Suite.h"

#include <cmath>

namespace device_suite {

inline constexpr double inf = INFINITY, nan = NAN;

using Tensors = std::vector<tj::Tensor>;
using Results = std::function<Tensors(const Tensors &)>;

/// `f` of the inputs, eager and in three compiled calls, gives the bits of `expected`, where any NaN is any other; or
/// where `tolerance` is given, numbers within that part of them. Inputs and expected results are given on the CPU.
void requireResults(tj::Device d, const Tensors &inputs, const Results &f, const Tensors &expected,
                    double tolerance = 0);

/// The same for pointwise functions, whose vector loops and tails must agree: inputs and results are repeated to the
/// lengths 1, 3, 8, 17, 64 and 1000. Tensors without dims stay as they are.
void requireAtLengths(tj::Device d, const Tensors &inputs, const Results &f, const Tensors &expected,
                      double tolerance = 0);

/// `f` throws `E`, eager and compiled, with the same text; returns it.
template <class E> std::string requireThrows(tj::Device d, const Tensors &inputs, const Results &f);

template <class E> std::string requireThrows(tj::Device d, const Tensors &inputs, const Results &f) {
  const Tensors own = moved(inputs, d);
  auto compiled = tj::compile([&](const Tensors &x) { return f(x); });
  auto read = [](const Tensors &results) {
    for (const tj::Tensor &t : results) t.cpu().data_ptr();
  };
  const std::string eager = thrownBy<E>([&] { read(f(own)); });
  const std::string text = thrownBy<E>([&] { read(compiled(own)); });
  require(text == eager, "compiled: " + text + "\neager: " + eager);
  return text;
}

} // namespace device_suite
