// Average, adaptive and three-dimensional pooling against their definitions.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;
namespace F = tensorjit::nn::functional;

namespace {

struct Pool {
  int64_t size, kernel, stride, padding;
  bool ceil, includesPad;
};

int64_t windows(const Pool &p) {
  const int64_t room = p.size + 2 * p.padding - p.kernel;
  if (!p.ceil) return room / p.stride + 1;
  const int64_t n = (room + p.stride - 1) / p.stride + 1;
  return (n - 1) * p.stride >= p.size + p.padding ? n - 1 : n;
}

/// Cells [first, last) that window i sums, and how many it counts.
struct Cells {
  int64_t first, last, count;
};
Cells cellsOf(const Pool &p, int64_t i) {
  const int64_t first = i * p.stride - p.padding, last = first + p.kernel;
  const int64_t real = std::min(last, p.size) - std::max<int64_t>(first, 0);
  return {std::max<int64_t>(first, 0), std::min(last, p.size),
          p.includesPad ? std::min(last, p.size + p.padding) - first : real};
}

/// Means of the windows of a plane along both dims.
std::vector<double> averages(const std::vector<double> &x, const Pool &h, const Pool &w) {
  std::vector<double> y;
  for (int64_t i = 0; i < windows(h); ++i)
    for (int64_t j = 0; j < windows(w); ++j) {
      const Cells a = cellsOf(h, i), b = cellsOf(w, j);
      double sum = 0;
      for (int64_t r = a.first; r < a.last; ++r)
        for (int64_t c = b.first; c < b.last; ++c) sum += x[static_cast<size_t>(r * w.size + c)];
      y.push_back(sum / static_cast<double>(a.count * b.count));
    }
  return y;
}

} // namespace

TEST(AvgPool, MatchesItsDefinition) {
  manual_seed(1);
  for (bool ceil : {false, true})
    for (bool includesPad : {false, true})
      for (auto [size, k, s, p] : {std::array<int64_t, 4>{17, 2, 2, 1},
                                   {9, 4, 4, 2},
                                   {5, 2, 2, 1},
                                   {12, 3, 2, 1},
                                   {28, 2, 2, 0},
                                   {11, 3, 5, 0},
                                   {40, 20, 3, 4},
                                   {7, 7, 7, 3}}) {
        const Pool h{size, k, s, p, ceil, includesPad}, w{size + 3, k, s, p, ceil, includesPad};
        const Tensor x = randn({1, 1, size, size + 3}, kDouble);
        SCOPED_TRACE(std::to_string(size) + " by " + std::to_string(k) + (ceil ? " ceil" : ""));
        const auto exact = averages(values(x), h, w);
        expectClose(avg_pool2d(x, k, IntPair(s), p, ceil, includesPad), exact, 1e-12);
        expectClose(avg_pool2d(x.to(kFloat), k, IntPair(s), p, ceil, includesPad), exact, 1e-5);
      }
}

TEST(AvgPool, CP_01_LastWindowInThePadding) {
  for (auto [size, k, s, p, n] :
       {std::array<int64_t, 5>{17, 2, 2, 1, 9}, {9, 4, 4, 2, 3}, {5, 2, 2, 1, 3}, {2, 3, 3, 1, 1}})
    EXPECT_EQ(avg_pool1d(ones({1, 1, size}), k, s, p, true).size(2), n);
}

TEST(AvgPool, CP_03_CellsThatCount) {
  const Tensor x = tensor({2.0903f, 4.6493f, 1.632f, -3.2051f, 4.6975f, 4.7296f, 3.3653f, -1.5815f, -2.3832f});
  const Tensor y = avg_pool1d(x.view({1, 1, 9}), 7, 3, 3, true);
  expectClose(y, {0.738071, 2.565557, 0.803229, -0.0999}, 1e-5);
}

TEST(AvgPool, CP_07_PadBeyondHalfTheWindow) {
  const auto text = errorOf<value_error>([] { avg_pool2d(zeros({1, 1, 1, 1}), 3, IntPair(3), 3); });
  EXPECT_NE(text.find("avg_pool2d: padding 3 must be between 0 and half the window of 3"), std::string::npos) << text;
}

TEST(AvgPool, InfinityStaysInItsWindows) {
  Tensor x = ones({1, 1, 6});
  x.slice(2, 0, 1).fill_(INFINITY);
  EXPECT_VALUES(avg_pool1d(x, 2, 1), INFINITY, 1, 1, 1, 1);
  EXPECT_VALUES(adaptive_avg_pool1d(x, 4), INFINITY, 1, 1, 1);
}

TEST(AvgPool, LongWindowsOfHalves) {
  // 40000 cells of one: a sum in bf16 or a chain in f32 would be far off.
  EXPECT_VALUES(avg_pool2d(ones({1, 1, 200, 200}, kBFloat16), 200), 1);
  const Tensor tenths = full({1, 1, 1, 1 << 16}, 0.1);
  expectClose(window_sum(tenths, {1, 1 << 16}, {1, 1}, {0, 0}, {0, 0}, {1, 1}) / 6553.6, {1}, 256 * std::pow(2, -24));
}

TEST(WindowSum, IsTheTransposeOfItsGradient) {
  manual_seed(2);
  struct Case {
    Shape x, kernel, stride, low, high, dilation;
  };
  for (const Case &c : {Case{{2, 3, 9}, {3}, {2}, {2}, {1}, {2}},
                        {{1, 2, 7, 8}, {2, 3}, {3, 1}, {0, 2}, {1, -1}, {2, 2}},
                        {{1, 1, 10}, {2}, {4}, {0}, {0}, {3}},
                        {{1, 1, 4, 5, 6}, {2, 1, 3}, {1, 2, 3}, {1, 0, 0}, {0, 0, 1}, {1, 1, 2}}}) {
    SCOPED_TRACE(c.x.str());
    const Tensor x = randn(c.x, kDouble), y = window_sum(x, c.kernel, c.stride, c.low, c.high, c.dilation);
    const Tensor g = randn(y.sizes(), kDouble);
    const Tensor dx = window_sum_backward(g, c.x, c.kernel, c.stride, c.low, c.high, c.dilation);
    EXPECT_NEAR((x * dx).sum().item<double>(), (y * g).sum().item<double>(), 1e-10);
  }
}

TEST(AdaptivePool, CellsShareTheInputOut) {
  manual_seed(3);
  for (int64_t n : {1, 4, 7, 13})
    for (int64_t o : {1, 2, 3, 5, 7, 16}) {
      const Tensor x = randn({1, 2, n}, kDouble);
      const Tensor mean = adaptive_avg_pool1d(x, o);
      const auto [top, at] = adaptive_max_pool1d_with_indices(x, o);
      for (int64_t i = 0; i < o; ++i) {
        const Tensor cell = x.slice(2, i * n / o, ((i + 1) * n + o - 1) / o);
        expectClose(mean.select(2, i), values(cell.mean({2})), 1e-12);
        EXPECT_EQ(values(top.select(2, i)), values(cell.amax({2})));
        EXPECT_EQ(values(at.select(2, i)), values(cell.argmax(2) + i * n / o));
      }
    }
}

TEST(AdaptivePool, NaNAndTiesInUnevenWindows) {
  Tensor x = zeros({1, 1, 3, 3});
  x.select(2, 0).select(2, 2).fill_(NAN);
  const auto [y, at] = adaptive_max_pool2d_with_indices(x, 2);
  EXPECT_VALUES(at, 0, 2, 3, 4);
  EXPECT_TRUE(std::isnan(values(y)[1]));
  const Tensor low = full({1, 1, 3, 3}, -INFINITY);
  EXPECT_VALUES(std::get<1>(adaptive_max_pool2d_with_indices(low, 2)), 0, 1, 3, 4);
}

TEST(AdaptivePool, SizesThatStay) {
  const nn::AdaptivePoolOptions rows({std::nullopt, 2});
  EXPECT_EQ(F::adaptive_avg_pool2d(zeros({1, 2, 5, 8}), rows).sizes(), Shape({1, 2, 5, 2}));
  EXPECT_EQ(adaptive_avg_pool2d(zeros({0, 2, 5, 8}), {3, 3}).sizes(), Shape({0, 2, 3, 3}));
  EXPECT_EQ(adaptive_avg_pool2d(zeros({2, 5, 8}), {0, 3}).sizes(), Shape({2, 0, 3}));
  EXPECT_EQ(adaptive_max_pool2d(zeros({2, 5, 8}, kInt), {3, 4}).dtype(), kInt);
  EXPECT_EQ(adaptive_max_pool2d(zeros({2, 5, 8}), {0, 4}).sizes(), Shape({2, 0, 4}));
  errorOf<value_error>([] { adaptive_avg_pool2d(zeros({1, 1, 4, 4}), {-1, 2}); });
  errorOf<shape_error>([] { adaptive_avg_pool2d(zeros({1, 1, 0, 4}), 1); });
  errorOf<type_error>([] { adaptive_avg_pool2d(zeros({1, 1, 4, 4}, kInt), 1); });
}

TEST(MaxPool, VolumesAndLines) {
  const Tensor x = tensor({3.f, 1.f, 2.f, 9.f, 4.f, 5.f, 7.f, 8.f});
  const auto [y, at] = max_pool3d_with_indices(x.view({1, 1, 2, 2, 2}), {2, 1, 1}, Dims(1));
  EXPECT_VALUES(y, 4, 5, 7, 9);
  EXPECT_VALUES(at, 4, 5, 6, 3);
  const auto [line, place] = max_pool1d_with_indices(x.view({1, 8}).to(kInt), 3, 2, 1);
  EXPECT_VALUES(line, 3, 9, 9, 8);
  EXPECT_VALUES(place, 0, 3, 3, 7);
  const auto text = errorOf<shape_error>([&] { max_pool1d(x, 2); });
  EXPECT_NE(text.find("max_pool1d: input of rank 3 [n x c x l] expected, got [8]"), std::string::npos) << text;
}

TEST(Interpolate, NearestAndLinear) {
  const Tensor x = tensor({0.f, 10.f, 20.f}).view({1, 1, 3});
  auto resized = [&](const F::InterpolateFuncOptions &o) { return F::interpolate(x, o); };
  EXPECT_VALUES(resized(F::InterpolateFuncOptions().size(Shape{5})), 0, 0, 10, 10, 20);
  EXPECT_VALUES(resized(F::InterpolateFuncOptions().scale_factor({{2.0}})), 0, 0, 10, 10, 20, 20);
  EXPECT_VALUES(resized(F::InterpolateFuncOptions().size(Shape{5}).mode("linear").align_corners(true)), 0, 5, 10, 15,
                20);
  EXPECT_VALUES(resized(F::InterpolateFuncOptions().size(Shape{6}).mode("linear")), 0, 2.5, 7.5, 12.5, 17.5, 20);
  errorOf<value_error>([&] { resized(F::InterpolateFuncOptions().size(Shape{5}).mode("cubic")); });
  errorOf<value_error>([&] { resized(F::InterpolateFuncOptions()); });
  errorOf<shape_error>([&] { resized(F::InterpolateFuncOptions().size(Shape{5}).mode("bilinear")); });
}
