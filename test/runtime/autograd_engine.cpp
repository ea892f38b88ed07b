// The tape: order, accumulation, freeing, second derivatives, errors.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

static Tensor leaf(std::initializer_list<float> v) { return tensor(v).requires_grad_(); }

TEST(Autograd, GradientsOfSeveralUsesAdd) {
  Tensor x = leaf({3});
  (x * x + x * 2).sum().backward();
  EXPECT_VALUES(x.grad(), 8);
}

TEST(Autograd, SecondBackwardAddsIntoGrad) {
  Tensor x = leaf({1, 2});
  (x * 3).sum().backward();
  const Tensor held = x.grad();
  (x * 4).sum().backward();
  EXPECT_VALUES(x.grad(), 7, 7);
  EXPECT_VALUES(held, 7, 7); // in place, as torch does
}

TEST(Autograd, LeavesDoNotShareTheirGradient) {
  Tensor a = leaf({1}), b = leaf({2});
  (a + b).sum().backward();
  a.mutable_grad().zero_();
  EXPECT_VALUES(b.grad(), 1);
}

TEST(Autograd, BroadcastGradientsAreReduced) {
  Tensor row = leaf({1, 2, 3}), column = tensor({{1.f}, {2.f}}).requires_grad_(), number = tensor(2.0).requires_grad_();
  (row * column * number).sum().backward();
  EXPECT_VALUES(row.grad(), 6, 6, 6);
  EXPECT_VALUES(column.grad(), 12, 12);
  EXPECT_VALUES(number.grad(), 18);
}

TEST(Autograd, GraphIsFreedUnlessRetained) {
  Tensor x = leaf({2});
  Tensor y = (x * x).sum();
  y.backward({}, true);
  y.backward();
  EXPECT_VALUES(x.grad(), 8);
  EXPECT_NE(errorOf<grad_error>([&] { y.backward(); }).find("retain_graph"), std::string::npos);
}

TEST(Autograd, BackwardNeedsAGraphAndAScalar) {
  errorOf<grad_error>([] { ones({1}).backward(); });
  Tensor x = leaf({1, 2});
  EXPECT_NE(errorOf<grad_error>([&] { (x * 2).backward(); }).find("(autograd_engine.cpp:"), std::string::npos);
  (x * 2).backward(tensor({1.f, 10.f}));
  EXPECT_VALUES(x.grad(), 2, 20);
  errorOf<shape_error>([&] { (x * 2).backward(ones({3})); });
}

TEST(Autograd, NoGradAndDetach) {
  Tensor x = leaf({1});
  {
    NoGradGuard guard;
    EXPECT_FALSE((x * 2).requires_grad());
  }
  EXPECT_TRUE((x * 2).requires_grad());
  EXPECT_FALSE((x * 2).detach().requires_grad());
  EXPECT_FALSE((x > 0).requires_grad());
  errorOf<grad_error>([] { tensor({1}).requires_grad_(); });
}

TEST(Autograd, ErrorInsideANoGradScopeRestoresTheMode) {
  try {
    no_grad([] { return ones({2}) + ones({3}); });
  } catch (const shape_error &) {
  }
  EXPECT_TRUE(GradMode::is_enabled());
}

TEST(Autograd, TR_01_TieOfMaximum) {
  Tensor a = leaf({1}), b = leaf({1});
  maximum(a, b).sum().backward();
  EXPECT_VALUES(a.grad(), 0.5);
  EXPECT_VALUES(b.grad(), 0.5);
}

TEST(Autograd, TR_07_DetachedTensorSeesInPlaceUpdate) {
  Tensor x = ones({3}).requires_grad_();
  Tensor a = 2 * x;
  const Tensor d = a.detach();
  a.mul_(2.0);
  a.sum().backward();
  EXPECT_VALUES(x.grad(), 4, 4, 4);
  EXPECT_VALUES(d, 4, 4, 4);
}

TEST(Autograd, TR_09_DetachInPlace) {
  Tensor x = ones({2}).requires_grad_(), y = 2 * x;
  y.detach_();
  const Tensor z = y + 1;
  EXPECT_FALSE(y.requires_grad());
  EXPECT_FALSE(z.requires_grad());
  EXPECT_FALSE(x.grad().defined());
}

TEST(Autograd, TR_11_SecondDerivativeOfCube) {
  Tensor x = leaf({2});
  const Tensor first = autograd::grad({(x * x * x).sum()}, {x}, {}, {}, true)[0];
  EXPECT_VALUES(first, 12);
  first.sum().backward();
  EXPECT_VALUES(x.grad(), 12);
}

TEST(Autograd, GradOfAResult) {
  Tensor x = leaf({3});
  const Tensor y = x * x, z = (y * y).sum();
  EXPECT_VALUES(autograd::grad({z}, {y})[0], 18);
  EXPECT_FALSE(x.grad().defined());
}

TEST(Autograd, GradOfAnUnusedInput) {
  Tensor x = leaf({3}), other = leaf({1});
  errorOf<grad_error>([&] { autograd::grad({(x * x).sum()}, {other}); });
  EXPECT_FALSE(autograd::grad({(x * x).sum()}, {other}, {}, {}, false, true)[0].defined());
}

TEST(Autograd, LongChainsAreFreedWithoutRecursion) {
  Tensor x = leaf({1}), y = x;
  for (int i = 0; i < 200000; ++i) y = y + 1;
  y = Tensor();
  SUCCEED();
}

TEST(Autograd, GradientDtypeIsTheOperands) {
  Tensor x = leaf({1}), y = tensor({2.0}, kDouble).requires_grad_();
  (x * y).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kFloat);
  EXPECT_EQ(y.grad().dtype(), kDouble);
}
