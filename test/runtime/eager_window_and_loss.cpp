// Max pooling, softmax and the class losses.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;
namespace F = tensorjit::nn::functional;

/// The plain definition: first among ties, NaN wins.
static std::pair<std::vector<double>, std::vector<double>> pooled(const Tensor &x, int64_t k, int64_t s, int64_t p) {
  const auto v = values(x);
  const int64_t planes = x.size(0) * x.size(1), h = x.size(2), w = x.size(3);
  const int64_t oh = (h + 2 * p - k) / s + 1, ow = (w + 2 * p - k) / s + 1;
  std::vector<double> y, at;
  for (int64_t q = 0; q < planes; ++q)
    for (int64_t i = 0; i < oh; ++i)
      for (int64_t j = 0; j < ow; ++j) {
        int64_t best = -1;
        for (int64_t a = 0; a < k; ++a)
          for (int64_t b = 0; b < k; ++b) {
            const int64_t r = i * s - p + a, c = j * s - p + b;
            if (r < 0 || c < 0 || r >= h || c >= w) continue;
            const double u = v[static_cast<size_t>((q * h + r) * w + c)];
            const double m = best < 0 ? 0 : v[static_cast<size_t>(q * h * w + best)];
            if (best < 0 || u > m || (std::isnan(u) && !std::isnan(m))) best = r * w + c;
          }
        at.push_back(static_cast<double>(best));
        y.push_back(v[static_cast<size_t>(q * h * w + best)]);
      }
  return {y, at};
}

TEST(MaxPool, ValuesAndPositions) {
  manual_seed(1);
  for (auto [h, w, k, s, p] : {std::array<int64_t, 5>{28, 28, 2, 2, 0},
                               {14, 14, 2, 2, 0},
                               {7, 5, 2, 2, 0},
                               {40, 64, 2, 2, 0},
                               {9, 9, 3, 2, 1},
                               {6, 6, 3, 1, 0}}) {
    Tensor x = (randn({2, 3, h, w}) * 3).round(); // many ties
    const auto [y, at] = pooled(x, k, s, p);
    const auto [got, indices] = max_pool2d_with_indices(x, k, s, p);
    EXPECT_EQ(values(got), y);
    EXPECT_EQ(values(indices), at);
    EXPECT_EQ(values(max_pool2d(x.to(kInt), k, s, p)), y);
  }
}

TEST(MaxPool, NaNWinsAndTheFirstOneAmongThem) {
  Tensor x = zeros({1, 1, 4, 64});
  x.select(2, 1).slice(2, 5, 64, 3).fill_(NAN);
  x.select(2, 0).slice(2, 4, 64, 4).fill_(NAN);
  const auto [y, at] = pooled(x, 2, 2, 0);
  const auto [got, indices] = max_pool2d_with_indices(x, 2);
  EXPECT_EQ(values(indices), at);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(values(got)[i]), std::isnan(y[i]));
}

TEST(MaxPool, CP_05_WindowOfMinusInfinity) {
  Tensor x = full({1, 1, 2, 2}, -INFINITY).requires_grad_();
  const auto [y, indices] = max_pool2d_with_indices(x, 2);
  EXPECT_VALUES(y, -INFINITY);
  EXPECT_VALUES(indices, 0);
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 1, 0, 0, 0);
}

TEST(MaxPool, CP_07_PadBeyondHalfTheWindow) {
  errorOf<value_error>([] { max_pool2d(zeros({1, 1, 1, 1}), 3, 3, 3); });
}

TEST(MaxPool, GradientOfOverlappingWindowsAdds) {
  Tensor x = zeros({1, 1, 3, 3});
  x.select(2, 1).select(2, 1).fill_(5);
  x.requires_grad_();
  max_pool2d(x, 2, 1).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 0, 0, 4, 0, 0, 0, 0);
}

TEST(Softmax, RD_15_UniformRows) {
  for (int64_t n : {33, 1000, 4097})
    for (double v : values(softmax(ones({n}), 0))) EXPECT_NEAR(v, 1.0 / static_cast<double>(n), 1e-7);
}

TEST(Softmax, AnyDim) {
  manual_seed(3);
  const Tensor x = randn({3, 4, 5});
  for (int64_t d = 0; d < 3; ++d) {
    EXPECT_TRUE(allclose(softmax(x, d), exp(x) / exp(x).sum({d}, true), 1e-5, 1e-7));
    EXPECT_TRUE(allclose(log_softmax(x, d), log(softmax(x, d)), 1e-4, 1e-5));
  }
  EXPECT_VALUES(softmax(tensor(3.0), 0), 1);
}

TEST(Softmax, ExtremeRows) {
  EXPECT_VALUES(softmax(tensor({1000.f, 1000.f}), 0), 0.5, 0.5);
  for (double v : values(softmax(full({4}, -INFINITY), 0))) EXPECT_TRUE(std::isnan(v));
}

TEST(CrossEntropy, MatchesItsDefinition) {
  manual_seed(5);
  const Tensor x = randn({6, 4});
  const Tensor target = tensor({0, 1, 2, 3, -100, 1});
  const auto l = values(log_softmax(x.to(kDouble), 1));
  const int64_t t[] = {0, 1, 2, 3, -100, 1};
  for (double e : {0.0, 0.2}) {
    std::vector<double> rows;
    double sum = 0;
    for (size_t r = 0; r < 6; ++r) {
      double uniform = 0, row = 0;
      for (size_t c = 0; c < 4; ++c) uniform -= l[4 * r + c] / 4;
      if (t[r] >= 0) row = -(1 - e) * l[4 * r + static_cast<size_t>(t[r])] + e * uniform;
      rows.push_back(row);
      sum += row;
    }
    const auto o = F::CrossEntropyFuncOptions().label_smoothing(e);
    expectClose(F::cross_entropy(x, target, F::CrossEntropyFuncOptions(o).reduction(Reduction::None)), rows, 1e-5);
    expectClose(F::cross_entropy(x, target, F::CrossEntropyFuncOptions(o).reduction(Reduction::Sum)), {sum}, 1e-5);
    expectClose(F::cross_entropy(x, target, o), {sum / 5}, 1e-5);
  }
}

TEST(CrossEntropy, TR_15_IgnoredRows) {
  Tensor x = zeros({2, 3}).requires_grad_();
  EXPECT_NEAR(cross_entropy(x, tensor({1, -100})).item<double>(), 1.0986123, 1e-6);
  EXPECT_TRUE(std::isnan(cross_entropy(x, tensor({-100, -100})).item<double>()));
  const Tensor none = cross_entropy(x, tensor({-100, -100}), Reduction::None);
  EXPECT_VALUES(none, 0, 0);
  none.sum().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 0, 0, 0, 0);
}

TEST(CrossEntropy, TargetOutOfRange) {
  const std::string text = errorOf<index_error>([] { cross_entropy(zeros({3, 4}), tensor({0, 4, 9})); });
  EXPECT_NE(text.find("4 at [1]"), std::string::npos) << text;
  errorOf<type_error>([] { cross_entropy(zeros({1, 4}), zeros({1})); });
}
