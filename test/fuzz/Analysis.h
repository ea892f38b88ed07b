#pragma once
/// What must hold of each result of a program: the same bits in every mode, or a tolerance.
#include "Program.h"

namespace tensorjit::fuzz {

struct Fact {
  bool exact = false;       ///< the same bits in each mode on the CPU
  bool exactOnCuda = false; ///< and there: not for f64 functions of class M, which each device's library computes
  int root = -1;            ///< the step whose storage it may share
  Shape sizes;
  DType dtype = DType::F32;
  bool requiresGrad = false;
  double largest = 0;   ///< magnitude among finite elements
  double notFinite = 0; ///< share of the elements
  bool whole = false;   ///< every element is a whole number
  /// Nothing is promised of the values: a convolution of infinities or NaN, which may meet the padding or not.
  bool open = false;
};

/// Sees a run with eager kernels.
class Analysis : public Observer {
public:
  explicit Analysis(const Program &program) : program_(program), facts_(program.steps.size()) {}
  Tensor operand(size_t step, const Tensor &t) override;
  Tensor result(size_t step, const Tensor &t) override;
  const std::vector<Fact> &facts() const { return facts_; }

private:
  bool keepsBits(size_t step, const Fact &result) const;
  const Program &program_;
  std::vector<Fact> facts_;
  std::vector<Fact> read_;
};

Fact factOf(const Tensor &t);

} // namespace tensorjit::fuzz
