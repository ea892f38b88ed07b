// Products and convolutions against plain sums in f64; the library serves f32.
#include "Expect.h"
#include "eager/ContractionLibrary.h"

using namespace tensorjit;
using namespace tensorjit::test;

/// |got - exact| <= 2 K u sum|a b| is the contract; the sums of random numbers below make 1e-4 generous for it.
static void expectNear(const Tensor &got, const Tensor &exact) {
  EXPECT_EQ(got.sizes(), exact.sizes());
  EXPECT_TRUE(allclose(got.to(kDouble), exact, 1e-5, 1e-4));
}

TEST(EagerContraction, LibraryServesMatrices) {
  if (!eager::contractionLibrary()) GTEST_SKIP() << "built without oneDNN";
  const Tensor a = ones({2, 3}), b = ones({3, 4}), c = zeros({2, 4});
  EXPECT_TRUE(eager::contractionLibrary()->gemm(
      {2, 4, 3, a.data_ptr<float>(), b.data_ptr<float>(), nullptr, 3, 1, 4, 1, c.data_ptr<float>()}));
  EXPECT_TRUE(equal(c, full({2, 4}, 3.0)));
}

TEST(EagerContraction, MatmulOfAnyLayout) {
  manual_seed(0);
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 1, 1}, {3, 5, 7}, {64, 33, 17}, {1, 300, 5}, {130, 1, 64}}) {
    const Tensor a = randn({m, k}), b = randn({k, n}), exact = matmul(a.to(kDouble), b.to(kDouble));
    expectNear(matmul(a, b), exact);
    expectNear(matmul(a.t().contiguous().t(), b), exact);
    expectNear(matmul(a, b.t().contiguous().t()), exact);
    const Tensor wide = zeros({m, 2 * k});
    wide.slice(1, 0, 2 * k, 2).copy_(a);
    expectNear(matmul(wide.slice(1, 0, 2 * k, 2), b), exact);
  }
}

TEST(EagerContraction, BatchesBroadcast) {
  manual_seed(1);
  const Tensor a = randn({4, 1, 3, 5}), b = randn({2, 5, 6});
  expectNear(matmul(a, b), matmul(a.to(kDouble), b.to(kDouble)));
  EXPECT_EQ(matmul(a, b).sizes(), Shape({4, 2, 3, 6}));
  EXPECT_VALUES(matmul(tensor({1.f, 2.f}), tensor({3.f, 4.f})), 11);
}

TEST(EagerContraction, IntegersWrap) {
  EXPECT_EQ(matmul(full({1, 2}, 1 << 20, kInt), full({2, 1}, 1 << 11, kInt)).item<int64_t>(), 0);
}

TEST(EagerContraction, MM_01_EmptyInnerSize) {
  const Tensor dirty = full({3, 2, 3}, 7.0);
  EXPECT_TRUE(equal(matmul(zeros({3, 2, 0}), zeros({3, 0, 3})), zeros({3, 2, 3})));
  EXPECT_TRUE(
      equal(linear(zeros({2, 0}), zeros({3, 0}), tensor({1.f, 2.f, 3.f})), tensor({{1.f, 2.f, 3.f}, {1.f, 2.f, 3.f}})));
}

TEST(EagerContraction, LinearOfBatches) {
  manual_seed(2);
  const Tensor x = randn({2, 3, 4}), w = randn({5, 4}), b = randn({5});
  expectNear(linear(x, w, b), linear(x.to(kDouble), w.to(kDouble), b.to(kDouble)));
  expectNear(linear(x, w, b), matmul(x.to(kDouble), w.t().to(kDouble)) + b.to(kDouble));
}

struct Conv {
  Shape x, w;
  IntPair stride, padding, dilation;
  int64_t groups;
};

TEST(EagerContraction, ConvolutionAndItsGradients) {
  manual_seed(3);
  const Conv cases[] = {
      {{2, 3, 8, 9}, {4, 3, 3, 3}, 1, 1, 1, 1},           {{1, 1, 28, 28}, {32, 1, 3, 3}, 1, 1, 1, 1},
      {{2, 4, 7, 7}, {6, 2, 3, 2}, {2, 1}, {0, 1}, 1, 2}, {{3, 8, 9, 9}, {8, 8, 3, 3}, 2, 2, 2, 1},
      {{2, 6, 5, 5}, {6, 1, 3, 3}, 1, 1, 1, 6},           {{1, 16, 6, 6}, {16, 16, 1, 1}, 1, 0, 1, 1},
  };
  for (const Conv &c : cases) {
    SCOPED_TRACE(c.x.str() + " by " + c.w.str());
    auto run = [&](DType type, const Tensor &x0, const Tensor &w0, const Tensor &b0) {
      Tensor x = x0.detach().to(type).requires_grad_(), w = w0.detach().to(type).requires_grad_(),
             b = b0.detach().to(type).requires_grad_();
      const Tensor y = conv2d(x, w, b, c.stride, c.padding, c.dilation, c.groups);
      const Tensor weight = arange(y.numel(), kDouble).view(y.sizes()) / static_cast<double>(y.numel());
      (y * weight.to(type)).sum().backward();
      return std::array<Tensor, 4>{y.detach(), x.grad(), w.grad(), b.grad()};
    };
    const Tensor x = randn(c.x), w = randn(c.w), b = randn({c.w[0]});
    const auto got = run(kFloat, x, w, b), exact = run(kDouble, x, w, b);
    for (size_t i = 0; i < 4; ++i) EXPECT_TRUE(allclose(got[i].to(kDouble), exact[i], 1e-4, 2e-3)) << i;
  }
}

TEST(EagerContraction, ConvolutionOfNoImages) {
  EXPECT_EQ(conv2d(zeros({0, 3, 4, 4}), zeros({2, 3, 3, 3})).sizes(), Shape({0, 2, 2, 2}));
  errorOf<shape_error>([] { conv2d(zeros({1, 3, 4, 4}), zeros({2, 3, 5, 5})); });
}
