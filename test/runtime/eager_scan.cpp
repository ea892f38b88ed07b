// Scans: directions, dtypes, layouts, infinities, ties, and derivatives at zeros and infinities.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(EagerScan, DirectionsAndEnds) {
  const Tensor x = tensor({1.f, 2.f, 3.f, 4.f});
  EXPECT_VALUES(x.cumsum(0), 1, 3, 6, 10);
  EXPECT_VALUES(x.cumsum(0, true), 10, 9, 7, 4);
  EXPECT_VALUES(x.cumsum(0, false, true), 0, 1, 3, 6);
  EXPECT_VALUES(x.cumsum(-1, true, true), 9, 7, 4, 0);
  EXPECT_VALUES(x.cumprod(0, true), 24, 24, 12, 4);
  EXPECT_VALUES(x.cumprod(0, false, true), 1, 1, 2, 6);
}

TEST(EagerScan, DTypes) {
  EXPECT_EQ(ones({3}, kBool).cumsum(0).dtype(), kLong);
  EXPECT_VALUES(full({3}, 200, kByte).cumsum(0), 200, 400, 600);
  EXPECT_VALUES(full({3}, 200, kByte).cumsum(0, kByte), 200, 144, 88); // wraps
  EXPECT_VALUES(full({3}, 100, kChar).cumprod(0, kChar), 100, 16, 64); // 10000 and 6400 modulo 256
  EXPECT_EQ(ones({3}, kHalf).cumsum(0).dtype(), kHalf);
  EXPECT_EQ(full({4096}, 1, kHalf).cumsum(0).select(0, 4000).item<double>(), 4000); // 4001 rounds to even
  EXPECT_VALUES(full({2}, 1.5, kFloat).cumsum(0, kInt), 1, 2);
  errorOf<type_error>([] { ones({3}, kLong).logcumsumexp(0); });
  errorOf<index_error>([] { ones({3}).cumsum(1); });
}

TEST(EagerScan, InPlaceKeepsTheDType) {
  Tensor x = full({3}, 100, kChar);
  x.cumsum_(0);
  EXPECT_EQ(x.dtype(), kChar);
  EXPECT_VALUES(x, 100, -56, 44);
  Tensor f = tensor({2.f, 3.f});
  f.cumprod_(0);
  EXPECT_VALUES(f, 2, 6);
}

TEST(EagerScan, DimsAndLayouts) {
  const Tensor x = arange(24, kFloat).view({2, 3, 4});
  const auto expected = values(x.cumsum(1));
  EXPECT_EQ(values(x.permute({1, 2, 0}).contiguous().permute({2, 0, 1}).cumsum(1)), expected);
  EXPECT_EQ(values(x.permute({0, 2, 1}).cumsum(2).permute({0, 2, 1})), expected);
  EXPECT_VALUES(x.cumsum(0).select(0, 1).select(0, 0), 12, 14, 16, 18);
  EXPECT_EQ(zeros({3, 0}).cumsum(1).sizes(), Shape({3, 0}));
  EXPECT_EQ(zeros({0, 3}).cumsum(1).sizes(), Shape({0, 3}));
  EXPECT_VALUES(tensor(3.f).cumsum(0), 3);
}

// Each row by itself, however many are scanned side by side or in chunks.
TEST(EagerScan, RowsAndLongRows) {
  manual_seed(2);
  const Tensor x = randn({19, 33});
  const Tensor together = x.cumsum(1);
  for (int64_t r = 0; r < 19; ++r) EXPECT_EQ(values(together.select(0, r)), values(x.select(0, r).cumsum(0)));
  EXPECT_EQ(values(x.t().contiguous().cumsum(0).t()), values(together));
  const Tensor count = ones({100003}).cumsum(0);
  EXPECT_VALUES(count.slice(0, 99999, 100003), 100000, 100001, 100002, 100003);
  EXPECT_VALUES(ones({100003}).cumsum(0, false, true).slice(0, 0, 2), 0, 1);
  EXPECT_EQ(ones({100003}).cumsum(0, false, true).select(0, 100002).item<double>(), 100002);
}

TEST(EagerScan, BitsDoNotDependOnThreads) {
  manual_seed(4);
  const Tensor x = randn({1 << 17}), rows = randn({300, 77});
  set_num_threads(1);
  const auto one = values(x.cumsum(0)), columns = values(rows.cumsum(0));
  set_num_threads(2);
  EXPECT_EQ(values(x.cumsum(0)), one);
  EXPECT_EQ(values(rows.cumsum(0)), columns);
}

TEST(EagerScan, RD_09_Infinities) {
  const Tensor infinite = full({1000}, INFINITY, kDouble).cumsum(0);
  for (double v : values(infinite)) EXPECT_EQ(v, INFINITY);
  const auto long32 = values(full({50000}, INFINITY).cumsum(0));
  for (double v : long32) ASSERT_EQ(v, INFINITY);
  const auto both = values(tensor({1.f, INFINITY, 2.f, -INFINITY, 1.f}).cumsum(0));
  EXPECT_EQ(both[2], INFINITY);
  EXPECT_TRUE(std::isnan(both[3]) && std::isnan(both[4]));
  // A partial sum that is not a prefix may not overflow.
  EXPECT_VALUES(tensor({-1e308, 1e308, 1e308}, kDouble).cumsum(0), -1e308, 0, 1e308);
  EXPECT_VALUES(tensor({1e-200, 1e200, 1e200}, kDouble).cumprod(0), 1e-200, 1, 1e200);
}

TEST(EagerScan, RD_11_ColumnsAroundABlock) {
  for (int64_t n : {128, 129}) {
    const Tensor y = ones({1, n, 64}).add(zeros({64})).cumsum(1);
    EXPECT_EQ(y.select(0, 0).select(0, n - 1).amin().item<double>(), static_cast<double>(n));
  }
}

TEST(EagerScan, ExtremesKeepTheFirst) {
  const Tensor x = tensor({1.f, 3.f, 3.f, -0.f, 0.f});
  const auto [most, at] = x.cummax(0);
  EXPECT_VALUES(most, 1, 3, 3, 3, 3);
  EXPECT_VALUES(at, 0, 1, 1, 1, 1);
  const auto [least, where] = x.cummin(0);
  EXPECT_VALUES(where, 0, 0, 0, 3, 3);
  EXPECT_TRUE(std::signbit(values(least)[4]));
  const auto [nan, first] = tensor({1.f, NAN, 5.f, NAN}).cummax(0);
  EXPECT_TRUE(std::isnan(values(nan)[3]));
  EXPECT_VALUES(first, 0, 1, 1, 1);
}

TEST(EagerScan, LogOfSums) {
  expectClose(tensor({1000.f, 1000.f, 0.f}).logcumsumexp(0), {1000, 1000.693147180559945, 1000.693147180559945}, 1e-4);
  expectClose(tensor({-INFINITY, -INFINITY, 2.f, INFINITY, 1.f}).logcumsumexp(0),
              {-INFINITY, -INFINITY, 2, INFINITY, INFINITY}, 1e-6);
  expectClose(tensor({-1000.f, 0.f}).logcumsumexp(0), {-1000, 0}, 0);
  EXPECT_TRUE(std::isnan(values(tensor({1.f, NAN, 2.f}).logcumsumexp(0))[2]));
}

// d/dx of sum(w * cumprod(x)), and its derivative, by hand.
TEST(EagerScan, ProductsDeriveAtZeros) {
  Tensor x = tensor({2., 0., 3., 0.}, kDouble).requires_grad_();
  const Tensor w = tensor({1., 10., 100., 1000.}, kDouble);
  const Tensor g = autograd::grad({sum(mul(cumprod(x, 0), w))}, {x}, {}, true, true)[0];
  // y = w0 a + w1 ab + w2 abc + w3 abcd
  EXPECT_VALUES(g, 1, 2 * 10 + 2 * 3 * 100, 0, 0);
  const Tensor second = autograd::grad({sum(g)}, {x})[0];
  // Row sums of the matrix of second derivatives: for a: w1 + w2 (c + b) ..., all by products of the others.
  EXPECT_VALUES(second, 10 + 300, 10 + 300 + 200 + 6000, 200, 6000);
}

TEST(EagerScan, LogOfSumsDerivesAtInfinity) {
  Tensor x = tensor({-INFINITY, 2.f, 1000.f}).requires_grad_();
  sum(x.logcumsumexp(0)).backward();
  EXPECT_VALUES(x.grad(), 0, 1, 1);
}

TEST(EagerScan, ExtremesSendGradientsToTheFirst) {
  Tensor x = tensor({1.f, 3.f, 3.f, 2.f}).requires_grad_();
  sum(mul(std::get<0>(x.cummax(0)), tensor({1.f, 10.f, 100.f, 1000.f}))).backward();
  EXPECT_VALUES(x.grad(), 1, 1110, 0, 0);
}

TEST(EagerScan, AffineRecurrence) {
  const Tensor a = tensor({7.f, 2.f, 3.f}), b = tensor({1.f, 1.f, 1.f});
  EXPECT_VALUES(scan_affine(a, b, 0), 1, 3, 10);
  EXPECT_VALUES(scan_affine(a, b, 0, true), 22, 3, 1);
  errorOf<shape_error>([&] { scan_affine(a, ones({2}), 0); });
}
