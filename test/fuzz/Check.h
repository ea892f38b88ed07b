#pragma once
#include "Program.h"

namespace tensorjit::fuzz {

/// A way to run a program that must agree with eager kernels on the CPU.
struct Mode {
  std::string name;
  Device device = kCPU;
  bool dense = false;    ///< eager, on operands that lie in row-major order
  bool compiled = false; ///< else eager
  Options::Mode compile = Options::Mode::Full;
};
/// Every mode, those of CUDA last.
std::vector<Mode> allModes();

/// The calls of a program that a check makes, one after the other: the same numbers twice, others, other sizes.
inline constexpr int calls = 4;

/// What is wrong with the program in a mode; empty: nothing.
std::string check(const Program &program, const Mode &mode);

/// A smaller program that is wrong in the same mode.
Program shrink(const Program &program, const Mode &mode);

} // namespace tensorjit::fuzz
