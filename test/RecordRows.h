#pragma once
/// The test rows that op records carry: examples with their output, exact values at edges, ranges to draw inputs from,
/// and sample calls.
#include "op/OpInfo.h"
#include "tensorjit/tensorjit.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace tensorjit::test {

/// Random tensors, the same sequence after each `restart`.
class Draw {
public:
  static void restart() { generator() = std::mt19937(1); }
  static Tensor uniform(const Shape &sizes, double lo, double hi, DType type) {
    std::vector<double> values(static_cast<size_t>(sizes.numel()));
    for (double &v : values) v = std::uniform_real_distribution<double>(lo, hi)(generator());
    return reshape(tensor(values, type), sizes);
  }
  static Tensor below(const Shape &sizes, int64_t bound) {
    std::vector<int64_t> values(static_cast<size_t>(sizes.numel()));
    for (int64_t &v : values) v = std::uniform_int_distribution<int64_t>(0, bound - 1)(generator());
    return reshape(tensor(values), sizes);
  }

private:
  static std::mt19937 &generator() {
    static std::mt19937 state(1);
    return state;
  }
};

/// While one of these lives, sample calls draw f64 leaves that require grad, one element of one of them moved: what a
/// test of derivatives needs.
class GradientDraw {
public:
  GradientDraw(size_t moved = 0, int64_t element = 0, double by = 0) : moved_(moved), element_(element), by_(by) {
    current = this;
    Draw::restart();
  }
  ~GradientDraw() { current = nullptr; }
  std::vector<Tensor> leaves;

  static Tensor draw(const Shape &sizes) {
    if (!current) return Draw::uniform(sizes, -2, 2, DType::F32);
    Tensor t = Draw::uniform(sizes, -2, 2, DType::F64).clone();
    if (current->leaves.size() == current->moved_ && t.numel() > 0)
      t.data_ptr<double>()[current->element_] += current->by_;
    current->leaves.push_back(t.requires_grad_());
    return t;
  }

private:
  static inline GradientDraw *current = nullptr;
  size_t moved_;
  int64_t element_;
  double by_;
};

/// Gives the words of sample calls their tensors while one of these is `current`, in place of random ones.
class WordSource {
public:
  virtual ~WordSource() = default;
  virtual Tensor f32(const Shape &sizes) = 0;
  virtual Tensor i64(const Shape &sizes, int64_t bound) = 0;
  static inline WordSource *current = nullptr;
};

// The words of sample calls.
inline Tensor f32(const Shape &sizes) {
  return WordSource::current ? WordSource::current->f32(sizes) : GradientDraw::draw(sizes);
}
inline Tensor i64(const Shape &sizes, int64_t bound) {
  return WordSource::current ? WordSource::current->i64(sizes, bound) : Draw::below(sizes, bound);
}

struct ExampleRow {
  const char *call, *output;
  Tensor (*run)();
};
inline const std::vector<ExampleRow> examples = {
#define TENSORJIT_EXAMPLE(call, output, ...) {call, output, __VA_ARGS__},
#define TENSORJIT_EDGE(...)
#define TENSORJIT_RANGE(...)
#define TENSORJIT_SAMPLE(...)
#include "test/AllFamilies.inc"
#undef TENSORJIT_EXAMPLE
};

/// `input` and `output` are numbers as strtod reads them, operands separated by commas.
struct EdgeRow {
  const char *op, *input, *output;
  Tensor (*run)(const Tensor *);
};
inline const std::vector<EdgeRow> edges = {
#define TENSORJIT_EXAMPLE(...)
#undef TENSORJIT_EDGE
#define TENSORJIT_EDGE(op, input, output, ...) {op, input, output, __VA_ARGS__},
#include "test/AllFamilies.inc"
#undef TENSORJIT_EDGE
};

struct RangeRow {
  const char *op;
  OpClass cls;
  int operands;
  double lo, hi;
  bool hasCondition; ///< operand 0 is bool
  bool differentiable;
  Tensor (*run)(const Tensor *);
};
inline const std::vector<RangeRow> ranges = {
#define TENSORJIT_EDGE(...)
#undef TENSORJIT_RANGE
#define TENSORJIT_RANGE(...) {__VA_ARGS__},
#include "test/AllFamilies.inc"
#undef TENSORJIT_RANGE
};

struct SampleRow {
  const char *call;
  OpClass cls;
  bool differentiable;
  Tensor (*run)();
};
inline const std::vector<SampleRow> samples = {
#define TENSORJIT_RANGE(...)
#undef TENSORJIT_SAMPLE
#define TENSORJIT_SAMPLE(...) {__VA_ARGS__},
#include "test/AllFamilies.inc"
#undef TENSORJIT_SAMPLE
#undef TENSORJIT_RANGE
#undef TENSORJIT_EDGE
#undef TENSORJIT_EXAMPLE
};

/// Operands of a range row.
inline std::vector<Tensor> draw(const RangeRow &row, const Shape &sizes, DType type) {
  std::vector<Tensor> x;
  for (int i = 0; i < row.operands; ++i)
    x.push_back(i == 0 && row.hasCondition ? gt(Draw::uniform(sizes, -1, 1, type), 0)
                                           : Draw::uniform(sizes, row.lo, row.hi, type));
  return x;
}

} // namespace tensorjit::test
