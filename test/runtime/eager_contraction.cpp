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

TEST(EagerContraction, ConvolutionOfVolumesIsOneOfImagesForEachDepth) {
  manual_seed(4);
  const Tensor x = randn({2, 3, 5, 6, 7}), w = randn({4, 3, 2, 3, 2}), b = randn({4});
  const Tensor y = conv3d(x, w, b, {2, 1, 2}, {0, 1, 1}, {2, 1, 1});
  Tensor expected;
  for (int64_t k = 0; k < 2; ++k) { // the first window starts at depth 0, the second would at 2
    const Tensor one = conv2d(x.select(2, 2 * k), w.select(2, k), k ? Tensor() : b, {1, 2}, 1);
    expected = expected.defined() ? expected + one : one;
  }
  EXPECT_EQ(y.sizes(), Shape({2, 4, 2, 6, 4}));
  expectNear(y.select(2, 0), expected.to(kDouble));
}

TEST(EagerContraction, GradientsOfVolumesAreTransposes) {
  manual_seed(5);
  for (DType type : {kFloat, kDouble}) {
    const Tensor x = randn({2, 4, 4, 5, 6}, type), w = randn({6, 2, 2, 3, 2}, type);
    const Dims stride{1, 2, 2}, padding{1, 0, 1}, dilation{2, 1, 1};
    const Tensor y = conv3d(x, w, {}, stride, padding, dilation, 2), g = randn(y.sizes(), type);
    const double exact = (y * g).sum().item<double>();
    const Tensor dx = conv3d_input_grad(g, w, x.sizes(), stride, padding, dilation, 2);
    const Tensor dw = conv3d_weight_grad(g, x, w.sizes(), stride, padding, dilation, 2);
    EXPECT_NEAR((x * dx).sum().item<double>(), exact, 1e-3);
    EXPECT_NEAR((w * dw).sum().item<double>(), exact, 1e-3);
  }
}

TEST(EagerContraction, TransposedConvolution) {
  manual_seed(6);
  // CP-09
  EXPECT_EQ(conv_transpose2d(randn({1, 16, 7, 7}), randn({16, 3, 3, 3}), {}, 2, 1, 1).sizes(), Shape({1, 3, 14, 14}));
  EXPECT_VALUES(conv_transpose1d(tensor({1.f, 2.f}).view({1, 1, 2}), tensor({1.f, 10.f, 100.f}).view({1, 1, 3}),
                                 tensor({0.5f}), 2, 0, 1),
                1.5, 10.5, 102.5, 20.5, 200.5, 0.5);
  // A dilation above the stride allows an output_padding of a stride: cells behind that other windows would reach.
  EXPECT_VALUES(
      conv_transpose1d(tensor({1.f, 2.f}).view({1, 1, 2}), tensor({1.f, 10.f}).view({1, 1, 2}), {}, 1, 1, 2, 1, 3), 2,
      0, 10, 20, 0);
  errorOf<value_error>([] { conv_transpose2d(zeros({1, 3, 5, 5}), zeros({3, 2, 3, 3}), {}, 2, 0, 2); });
  const auto text = errorOf<shape_error>([] { conv_transpose1d(zeros({1, 3, 5}), zeros({2, 2, 3})); });
  EXPECT_NE(text.find("conv_transpose1d: input [1x3x5] has 3 channels, weight [2x2x3] expects 2"), std::string::npos)
      << text;
}

TEST(EagerContraction, PaddingByName) {
  const Tensor x = tensor({1.f, 2.f, 3.f}).view({1, 1, 3}), w = tensor({1.f, 10.f}).view({1, 1, 2});
  EXPECT_VALUES(conv1d(x, w, {}, 1, "same"), 21, 32, 3); // the extra cell is behind
  EXPECT_VALUES(conv1d(x, w, {}, 1, kValid), 21, 32);
  EXPECT_VALUES(conv1d(x, w, {}, 1, kSame, 2), 20, 31, 2);
  EXPECT_EQ(conv2d(zeros({1, 2, 5, 6}), zeros({3, 2, 4, 3}), {}, 1, kSame).sizes(), Shape({1, 3, 5, 6}));
  errorOf<value_error>([&] { conv1d(x, w, {}, 2, "same"); });
  const auto text = errorOf<value_error>([&] { conv1d(x, w, {}, 1, "full"); });
  EXPECT_NE(text.find("\"same\" or \"valid\" expected"), std::string::npos) << text;
  const auto short1d = errorOf<shape_error>([&] { conv1d(x, zeros({1, 1, 9})); });
  EXPECT_NE(short1d.find("conv1d: a window of 9 does not fit into size 3"), std::string::npos) << short1d;
}

TEST(Einsum, LettersOfAllKinds) {
  manual_seed(7);
  const Tensor a = randn({3, 4}), b = randn({4, 5}), square = randn({4, 4}), batch = randn({2, 3, 4});
  expectNear(einsum("ij,jk->ik", {a, b}), matmul(a, b).to(kDouble));
  expectNear(einsum("ij, jk", {a, b}), matmul(a, b).to(kDouble));
  expectNear(einsum("ij,jk->ki", {a, b}), matmul(a, b).t().to(kDouble));
  expectNear(einsum("ii", {square}), diagonal(square).sum().to(kDouble));
  expectNear(einsum("ii->i", {square}), diagonal(square).to(kDouble));
  expectNear(einsum("iij->j", {randn({3, 3, 2}) * 0 + 1}), full({2}, 3.0, kDouble));
  expectNear(einsum("iii->i", {ones({3, 3, 3})}), ones({3}, kDouble));
  expectNear(einsum("bij->b", {batch}), batch.sum({1, 2}).to(kDouble));
  expectNear(einsum("bij,ij->b", {batch, a}), (batch * a).sum({1, 2}).to(kDouble));
  expectNear(einsum("...j,j->...", {batch, randn({4}) * 0 + 1}), batch.sum({2}).to(kDouble));
  expectNear(einsum("...ij,...jk->...ik", {batch, b}), matmul(batch, b).to(kDouble));
  expectNear(einsum("ij,jk,kl->il", {a, b, randn({5, 1}) * 0 + 1}), matmul(a, b).sum({1}, true).to(kDouble));
  expectNear(einsum("bij,bjk->bik", {batch, randn({1, 4, 5}) * 0 + 1}),
             batch.sum({2}, true).expand({2, 3, 5}).to(kDouble));
  expectNear(einsum("i,j->ij", {a.select(0, 0), b.select(0, 0)}),
             (a.select(0, 0).view({4, 1}) * b.select(0, 0)).to(kDouble));
  expectNear(einsum("ij->", {a}), a.sum().to(kDouble));
  EXPECT_EQ(einsum("ij,j->i", {ones({2, 3}, kInt), ones({3}, kInt)}).dtype(), kInt);
  EXPECT_EQ(einsum("ij->i", {ones({2, 3}, kInt)}).dtype(), kInt);
  EXPECT_EQ(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}).sizes(), Shape({2, 3}));
}

TEST(Einsum, Refusals) {
  const Tensor a = zeros({3, 4}), b = zeros({5, 6});
  errorOf<shape_error>([&] { einsum("ij,jk->ik", {a, b}); });
  errorOf<shape_error>([&] { einsum("ijk->k", {a}); });
  errorOf<shape_error>([&] { einsum("ii->i", {a}); });
  errorOf<value_error>([&] { einsum("ij->ik", {a}); });
  errorOf<value_error>([&] { einsum("ij->ii", {a}); });
  errorOf<value_error>([&] { einsum("ij,jk->ik", {a}); });
  errorOf<value_error>([&] { einsum("i1->i", {a}); });
  errorOf<value_error>([&] { einsum("......->", {a}); });
  errorOf<value_error>([&] { einsum("ij", {}); });
  const auto text = errorOf<shape_error>([&] { einsum("ij,jk->ik", {a, b}); });
  EXPECT_NE(text.find("einsum \"ij,jk->ik\": 'j' is 4 and 5"), std::string::npos) << text;
}
