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

// The words of sample calls.
inline Tensor f32(const Shape &sizes) { return Draw::uniform(sizes, -2, 2, DType::F32); }
inline Tensor i64(const Shape &sizes, int64_t bound) { return Draw::below(sizes, bound); }

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
  Tensor (*run)();
};
inline const std::vector<SampleRow> samples = {
#define TENSORJIT_RANGE(...)
#undef TENSORJIT_SAMPLE
#define TENSORJIT_SAMPLE(call, cls, ...) {call, cls, __VA_ARGS__},
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
