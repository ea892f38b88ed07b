// Pointwise functions of one operand against the C library in f64: one line an op.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace tensorjit;

namespace {

struct Row {
  const char *name;
  Tensor (*function)(const Tensor &, SourceLocation);
  double (*reference)(double);
  double ulp; ///< largest error of an f32 result that the op contract allows; 0: correctly rounded
};

const Row rows[] = {
    {"abs", abs, std::fabs, 0},      {"floor", floor, std::floor, 0},     {"ceil", ceil, std::ceil, 0},
    {"trunc", trunc, std::trunc, 0}, {"round", round, std::nearbyint, 0}, {"sqrt", sqrt, std::sqrt, 0},
    {"exp", exp, std::exp, 2},       {"exp2", exp2, std::exp2, 2},        {"expm1", expm1, std::expm1, 2},
    {"log", log, std::log, 2},       {"log1p", log1p, std::log1p, 2},     {"tanh", tanh, std::tanh, 2},
    {"erf", erf, std::erf, 4},       {"erfc", erfc, std::erfc, 4},
};

/// Distance of `got` from `expected` in units of the last place of an f32 near `expected`.
double ulpError(float got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) == std::isnan(expected) ? 0 : HUGE_VAL;
  if (got == static_cast<float>(expected)) return 0;
  const double finite = std::isinf(got) ? std::copysign(0x1p128, got) : got;
  int exponent;
  std::frexp(expected, &exponent);
  return std::fabs(finite - expected) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

/// Bit patterns over all of f32: every exponent, both signs, denormals, infinities, NaN.
Tensor sweep() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (1ull << 32); bits += 65521)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float v : {0.f, -0.f, INFINITY, -INFINITY, NAN, 1.f, -1.f}) values.push_back(v);
  Tensor x = zeros({static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), x.data_ptr<float>());
  return x;
}

class PointwiseUnary : public testing::TestWithParam<Row> {};

TEST_P(PointwiseUnary, StaysWithinItsBoundOnF32) {
  const Row &row = GetParam();
  const Tensor x = sweep(), y = row.function(x, SourceLocation::current());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const float at = x.data_ptr<float>()[i], got = y.data_ptr<float>()[i];
    const double expected = row.reference(at);
    ASSERT_LE(ulpError(got, expected), row.ulp) << row.name << '(' << at << ") = " << got << ", expected " << expected;
    ASSERT_TRUE(got != 0 || expected != 0 || std::signbit(got) == std::signbit(expected))
        << row.name << '(' << at << ')';
  }
}

TEST_P(PointwiseUnary, IsTheLibraryFunctionOnF64) {
  const Row &row = GetParam();
  const Tensor x = sweep().to(kDouble), y = row.function(x, SourceLocation::current());
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double got = y.data_ptr<double>()[i], expected = row.reference(x.data_ptr<double>()[i]);
    ASSERT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected))) << row.name << " at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, PointwiseUnary, testing::ValuesIn(rows),
                         [](const auto &test) { return std::string(test.param.name); });

} // namespace
