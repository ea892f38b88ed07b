#pragma once
#include "Program.h"

namespace tensorjit::fuzz {

struct Wish {
  bool device = false; ///< nothing that cannot run there
  std::string only;    ///< of records' ops, those whose text holds this
  bool quick = false;  ///< few and small tensors
};

/// A program that runs with eager kernels, or in a few cases ends with an error.
Program generate(uint64_t seed, const Wish &wish);
/// Other sizes for the same program.
std::vector<int64_t> otherSizes(const Program &program, uint64_t seed);

} // namespace tensorjit::fuzz
