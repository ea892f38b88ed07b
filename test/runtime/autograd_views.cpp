// Gradients through views and through writes to them.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(AutogradViews, ChainOfViews) {
  Tensor x = arange(6, kFloat).requires_grad_();
  (x.view({2, 3}).t().slice(0, 1, 3).select(1, 1) * tensor({10.f, 20.f})).sum().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 0, 0, 10, 20);
}

TEST(AutogradViews, ReversedSlice) {
  Tensor x = arange(4, kFloat).requires_grad_();
  (x.slice(0, std::nullopt, std::nullopt, -1) * tensor({1.f, 2.f, 3.f, 4.f})).sum().backward();
  EXPECT_VALUES(x.grad(), 4, 3, 2, 1);
}

TEST(AutogradViews, GradientOfAnExpandedTensorIsDense) {
  Tensor x = ones({3}).requires_grad_();
  x.sum().backward();
  x.mutable_grad().add_(1.0); // would be refused on repeated elements
  EXPECT_VALUES(x.grad(), 2, 2, 2);
}

TEST(AutogradViews, WriteOfATrackedValueThroughAView) {
  Tensor w = tensor({2.f, 3.f}).requires_grad_(), x = zeros({2, 2});
  x.select(0, 1).copy_(w * 5);
  EXPECT_VALUES(x, 0, 0, 10, 15);
  (x * tensor({{1.f, 2.f}, {3.f, 4.f}})).sum().backward();
  EXPECT_VALUES(w.grad(), 15, 20);
}

TEST(AutogradViews, WriteThroughAViewCutsTheOldValueOff) {
  Tensor w = ones({2, 2}).requires_grad_();
  Tensor y = w * 3;
  const Tensor other = y.select(1, 1); // taken before the write, reads what comes after it
  y.select(0, 0).fill_(7);
  EXPECT_VALUES(other, 7, 3);
  (y.sum() + other.sum()).backward();
  EXPECT_VALUES(w.grad(), 0, 0, 3, 6);
}

TEST(AutogradViews, WriteThroughPermuteAndReshape) {
  Tensor w = arange(6, kFloat).requires_grad_(), y = w * 1;
  y.view({2, 3}).t().select(0, 2).mul_(10.0);
  EXPECT_VALUES(y, 0, 1, 20, 3, 4, 50);
  y.sum().backward();
  EXPECT_VALUES(w.grad(), 1, 1, 10, 1, 1, 10);
}

TEST(AutogradViews, InPlaceOnTheBaseIsSeenByAnEarlierView) {
  Tensor w = ones({4}).requires_grad_(), y = w * 2;
  const Tensor half = y.slice(0, 0, 2);
  y.mul_(3.0);
  half.sum().backward();
  EXPECT_VALUES(w.grad(), 6, 6, 0, 0);
}
