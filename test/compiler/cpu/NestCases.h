#pragma once
/// The nests that every code generator is tested on, their inputs, and what counts as the right result.
#include "NestInterpreter.h"
#include "Nests.h"

#include <ostream>
#include <random>

namespace tensorjit::cpu::test {

struct NestCase {
  const char *name;
  /// See fill().
  const char *nest;
  std::vector<Sizes> sizes;
  double tolerance = 0;  ///< relative to the largest magnitude of the result; 0: bits
  bool specials = false; ///< inputs hold NaN, infinities and -0
};

inline void PrintTo(const NestCase &test, std::ostream *os) { *os << test.name; }

const std::vector<NestCase> &nestCases();

void randomise(TensorData &tensor, std::mt19937 &random, bool specials);
std::vector<TensorData> tensorsOf(mlir::TypeRange types);
/// A failed assertion of GoogleTest where they differ. `tolerance` as in NestCase.
void expectClose(const TensorData &wanted, const TensorData &got, double tolerance, const std::string &what);

} // namespace tensorjit::cpu::test
