// What op records say about themselves, run through the eager kernels: examples, values at edges, derivatives.
#include "RecordRows.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace tensorjit;
using namespace tensorjit::test;

static std::string printed(const Tensor &t) {
  std::ostringstream os;
  os << t;
  std::string text = os.str(), squeezed;
  text.resize(text.rfind(' ')); // dtype and sizes
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) squeezed += c;
  return squeezed;
}

TEST(OpRecords, ExamplesPrintWhatTheySay) {
  for (const ExampleRow &e : examples) {
    std::string expected;
    for (const char *c = e.output; *c; ++c)
      if (*c != ' ') expected += *c;
    EXPECT_EQ(printed(e.run()), expected) << e.call;
  }
}

static std::vector<double> numbers(const char *text) {
  std::vector<double> list;
  for (char *end; *text; text = *end ? end + 1 : end) list.push_back(std::strtod(text, &end));
  return list;
}

static bool sameNumber(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(OpRecords, EdgesAreExactInLoopsAndTails) {
  for (const EdgeRow &e : edges)
    for (DType type : {DType::F32, DType::F64})
      for (int64_t n : {1, 3, 8, 17, 64}) {
        std::vector<Tensor> x;
        for (double v : numbers(e.input)) x.push_back(full({n}, v, type));
        const Tensor y = e.run(x.data()).to(DType::F64);
        for (int64_t i = 0; i < n; ++i)
          EXPECT_TRUE(sameNumber(y.data_ptr<double>()[i], numbers(e.output)[0]))
              << e.op << '(' << e.input << ") at " << i << " of " << n << ", " << name(type) << ": "
              << y.data_ptr<double>()[i] << ", expected " << e.output;
      }
}

static double valueOf(const RangeRow &row, const std::vector<Tensor> &x, const Tensor &weight) {
  return sum(mul(row.run(x.data()), weight)).item<double>();
}

// Central differences in f64. Steps of 1e-6 leave errors near 1e-9; the draws stay clear of kinks.
TEST(OpRecords, DerivativesMatchDifferences) {
  Draw::restart();
  constexpr int64_t n = 5;
  constexpr double step = 1e-6;
  for (const RangeRow &row : ranges) {
    if (!row.differentiable) continue;
    std::vector<Tensor> x = draw(row, {n}, DType::F64);
    const Tensor weight = Draw::uniform({n}, 0.5, 1.5, DType::F64);
    for (Tensor &t : x)
      if (isFloat(t.dtype())) t.requires_grad_();
    sum(mul(row.run(x.data()), weight)).backward();
    for (size_t i = 0; i < x.size(); ++i) {
      if (!isFloat(x[i].dtype())) continue;
      const Tensor grad = x[i].grad();
      ASSERT_TRUE(grad.defined()) << row.op << " operand " << i;
      for (int64_t k = 0; k < n; ++k) {
        double side[2];
        for (int s : {0, 1}) {
          std::vector<Tensor> moved;
          for (const Tensor &t : x) moved.push_back(t.detach().clone());
          moved[i].data_ptr<double>()[k] += s ? step : -step;
          side[s] = valueOf(row, moved, weight);
        }
        const double expected = (side[1] - side[0]) / (2 * step), got = grad.data_ptr<double>()[k];
        EXPECT_NEAR(got, expected, 1e-6 * (1 + std::fabs(expected))) << row.op << " operand " << i << " at " << k;
      }
    }
  }
}

/// The sum of the sample's result, weighted so that no element's gradient is like another's.
static Tensor weighted(const Tensor &y) {
  return sum(mul(y, reshape(add(cast(iota({std::max<int64_t>(y.numel(), 1)}, 0, kInt64), kDouble), 1), y.sizes())));
}

TEST(OpRecords, DerivativesOfSamplesMatchDifferences) {
  constexpr double step = 1e-6;
  for (const SampleRow &row : samples) {
    if (!row.differentiable) continue;
    std::vector<Tensor> grads;
    {
      GradientDraw draw;
      const Tensor y = row.run();
      if (!isFloat(y.dtype()) || y.numel() == 0) continue;
      weighted(y).backward();
      for (const Tensor &t : draw.leaves) {
        ASSERT_TRUE(t.grad().defined()) << row.call;
        grads.push_back(t.grad());
      }
    }
    for (size_t i = 0; i < grads.size(); ++i)
      for (int64_t k = 0; k < grads[i].numel(); ++k) {
        double side[2];
        for (int s : {0, 1}) {
          GradientDraw draw(i, k, s ? step : -step);
          side[s] = weighted(row.run()).item<double>();
        }
        const double expected = (side[1] - side[0]) / (2 * step), got = grads[i].contiguous().data_ptr<double>()[k];
        ASSERT_NEAR(got, expected, 1e-5 * (1 + std::fabs(expected))) << row.call << ": tensor " << i << " at " << k;
      }
  }
}
