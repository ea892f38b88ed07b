// Reductions: accuracy, order, empty inputs, NaN and ties.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(EagerReduce, SumOfManyOnesIsExact) {
  EXPECT_EQ(ones({1 << 25}).sum().item<double>(), 33554432.0);
  EXPECT_EQ(ones({1 << 14, 16}).sum({0}).select(0, 3).item<double>(), 16384.0);
}

// The bound of the op contract: 256 u sum(|x|).
TEST(EagerReduce, SumStaysWithinItsBound) {
  manual_seed(1);
  const Tensor x = rand({3000, 37});
  const Tensor exact = x.to(kDouble).sum({0});
  const Tensor got = x.sum({0}).to(kDouble);
  EXPECT_TRUE(allclose(got, exact, 256 * 0x1p-24, 0));
  EXPECT_TRUE(allclose(x.t().contiguous().sum({1}).to(kDouble), exact, 256 * 0x1p-24, 0));
}

TEST(EagerReduce, AllLayoutsAndDims) {
  const Tensor x = arange(24, kFloat).view({2, 3, 4});
  EXPECT_VALUES(x.sum({0, 2}), 60, 92, 124);
  EXPECT_VALUES(x.sum({1}), 12, 15, 18, 21, 48, 51, 54, 57);
  EXPECT_VALUES(x.permute({2, 0, 1}).sum({0}), 6, 22, 38, 54, 70, 86);
  EXPECT_EQ(x.sum({-1}, true).sizes(), Shape({2, 3, 1}));
  EXPECT_VALUES(x.mean(), 11.5);
  errorOf<shape_error>([&] { x.sum({1, -2}); });
  errorOf<index_error>([&] { x.sum({3}); });
}

TEST(EagerReduce, BitsDoNotDependOnThreads) {
  manual_seed(4);
  const Tensor x = randn({1 << 20});
  set_num_threads(1);
  const double one = x.sum().item<double>();
  set_num_threads(2);
  EXPECT_EQ(x.sum().item<double>(), one);
}

TEST(EagerReduce, IntegersAreSummedAsI64) {
  EXPECT_EQ(full({3}, 200, kByte).sum().item<int64_t>(), 600);
  EXPECT_EQ(ones({5}, kBool).sum().dtype(), kLong);
}

TEST(EagerReduce, RD_01_NoElements) {
  EXPECT_EQ(zeros({0}).sum().item<double>(), 0);
  EXPECT_TRUE(std::isnan(zeros({0}).mean().item<double>()));
  EXPECT_VALUES(zeros({0, 3}).sum({0}), 0, 0, 0);
  EXPECT_TRUE(zeros({0}).all().item<bool>());
  EXPECT_FALSE(zeros({0}).any().item<bool>());
}

TEST(EagerReduce, RD_03_MaxOfNothing) {
  errorOf<shape_error>([] { zeros({2, 0, 4}).amax(); });
  EXPECT_EQ(zeros({2, 0}).amax({0}).sizes(), Shape({0}));
}

TEST(EagerReduce, RD_05_FirstAmongTies) {
  EXPECT_EQ(tensor({2, 1, 1, 1}).argmin().item<int64_t>(), 1);
  Tensor x = full({1000}, 2.0);
  x.slice(0, 300, 1000).fill_(1);
  EXPECT_EQ(x.argmin().item<int64_t>(), 300);
}

TEST(EagerReduce, RD_07_ArgmaxOfZerosAndNaN) {
  Tensor m = zeros({3, 40});
  m.select(0, 1).slice(0, 7, 40, 5).fill_(INFINITY);
  const Tensor z = m - m;
  EXPECT_VALUES(z.argmax(1), 0, 7, 0);
  EXPECT_VALUES(z.argmin(1), 0, 7, 0);
}

TEST(EagerReduce, NaNIsTheExtreme) {
  const Tensor x = tensor({1.f, NAN, 3.f, NAN});
  EXPECT_TRUE(std::isnan(x.amax().item<double>()));
  EXPECT_TRUE(std::isnan(x.amin().item<double>()));
  EXPECT_EQ(x.argmax().item<int64_t>(), 1);
}

TEST(EagerReduce, ZerosHaveAnOrderInMaxOnly) {
  const Tensor x = tensor({-0.f, 0.f});
  EXPECT_FALSE(std::signbit(x.amax().item<double>()));
  EXPECT_TRUE(std::signbit(x.amin().item<double>()));
  EXPECT_EQ(x.argmax().item<int64_t>(), 0);
}

TEST(EagerReduce, SH_05_SlicesOfOneElement) {
  Tensor z = zeros({2, 3}).requires_grad_();
  const Tensor y = (z.slice(0, 0, 2, 2) * tensor({1.f, 2.f, 3.f})).sum() +
                   (z.slice(0, 1, 2, 2) * tensor({100.f, 101.f, 102.f})).sum();
  y.backward();
  EXPECT_VALUES(z.grad(), 1, 2, 3, 100, 101, 102);
}

TEST(EagerReduce, SH_07_TwoReductionsOfDifferentLength) {
  const Tensor a = arange(4, kFloat);
  EXPECT_EQ((a.slice(0, 1, 4).amax() - a.slice(0, 1, 3).amin()).item<double>(), 2);
}
