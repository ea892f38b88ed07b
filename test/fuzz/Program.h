#pragma once
/// A random program: steps, each with one result, that any mode of execution can run.
#include "Random.h"
#include "tensorjit/tensorjit.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tensorjit::fuzz {

enum class Kind : uint8_t {
  Leaf,      ///< a tensor from outside, a view of its base as `Step::seed` says
  Sample,    ///< a sample call of an op record on earlier results
  Pointwise, ///< a pointwise op's record on earlier results
  View,
  InPlace, ///< writes operand 0, which is also the result
  Cast,
  Branch,   ///< reads an element on the host and goes one of two ways
  Number,   ///< an op with a host number that differs from call to call
  Backward, ///< from operand 0; the result is the gradient of operand 1, a leaf
  Optimize, ///< a step of an optimizer on operand 0, a leaf with a gradient
  Draw,     ///< random numbers
  Detach,
  Loop,   ///< over the rows of operand 0
  Frozen, ///< what another step gave, as an outside tensor: how a failing program is made smaller
};

enum class Values : uint8_t { Whole, Halves, Real, Special };

struct Step {
  explicit Step(Kind k = Kind::Leaf, uint64_t s = 0) : kind(k), seed(s) {}
  Kind kind;
  uint64_t seed; ///< of what the kind leaves open
  std::vector<int> operands;
  size_t row = 0;                 ///< of a record's op
  std::map<int64_t, int> resized; ///< sizes in a sample call: which of the program's sizes takes their place
  DType dtype = DType::F32;       ///< of a leaf or cast
  std::vector<int> sizes;         ///< of a leaf, among the program's
  Values values = Values::Real;
  bool requiresGrad = false;
  Tensor frozen;
};

struct Program {
  uint64_t seed = 0;
  std::vector<int64_t> sizes;
  std::vector<Step> steps;
  std::vector<int> outputs;
  bool dropsDead = true; ///< a result is let go after its last use
};

/// The outside of one call: leaves, index tensors, host numbers.
class Inputs {
public:
  struct Options {
    int variant = 0;                ///< other numbers; from `otherSizes` on with other sizes
    std::vector<int64_t> sizes;     ///< of the program; empty: its own
    std::optional<uint64_t> nudges; ///< moves each float of leaves that require grad by about the bound of class T
    Device device = kCPU;
  };
  Inputs(const Program &program, const Options &options);
  Tensor leaf(size_t step) const { return leaves_[step]; }
  const Tensor &base(size_t step) const { return bases_[step]; }
  int64_t size(int i) const { return sizes_[static_cast<size_t>(i)]; }
  double number(size_t step) const;
  /// The k-th index tensor of a step, below `bound`: made when it is first asked for.
  Tensor index(size_t step, size_t k, const Shape &sizes, int64_t bound) const;
  optim::Optimizer &optimizer(size_t step) const { return *optimizers_[step]; }
  Device device() const { return options_.device; }
  uint64_t generatorSeed() const { return seed_; }
  /// Takes the index tensors of another call to its own device.
  void takeIndices(const Inputs &other) {
    for (const auto &[at, t] : other.indices_) indices_[at] = t.to(options_.device);
  }

private:
  Options options_;
  uint64_t seed_;
  std::vector<int64_t> sizes_;
  std::vector<Tensor> leaves_, bases_;
  std::vector<std::unique_ptr<optim::Optimizer>> optimizers_;
  mutable std::map<std::pair<size_t, size_t>, Tensor> indices_;
};

/// Sees, and may replace, what steps read and give.
struct Observer {
  virtual ~Observer() = default;
  virtual Tensor operand(size_t, const Tensor &t) { return t; }
  virtual Tensor result(size_t, const Tensor &t) { return t; }
  /// What a step does, in words of the API.
  virtual void note(size_t, const std::string &) {}
};

/// A sample call was asked for a tensor that is too large to be worth its time.
struct TooLarge {};

/// Runs the steps with the public API and returns the outputs.
std::vector<Tensor> execute(const Program &program, const Inputs &inputs, Observer *observer = nullptr);

/// Relative step by which numbers of class T may differ, generously: 256 times the rounding unit, one of halves.
double classTStep(DType type);

/// One line a step: what it does, on what, and what it gives when it runs with eager kernels.
std::string print(const Program &program, const std::vector<int64_t> &sizes = {});

} // namespace tensorjit::fuzz
