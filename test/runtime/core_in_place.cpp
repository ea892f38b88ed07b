// In-place ops: what they may not do, and whose memory they write.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(InPlace, WiderPromotedDtypeIsAnError) {
  Tensor x = tensor({1, 2, 3}, kInt);
  EXPECT_NE(errorOf<type_error>([&] { x.add_(tensor({0.5f, 0.5f, 0.5f})); }).find("i32"), std::string::npos);
  EXPECT_VALUES(x, 1, 2, 3);
}

TEST(InPlace, ResultMayNotOutgrowTheTarget) {
  Tensor x = ones({3});
  EXPECT_NE(errorOf<shape_error>([&] { x.add_(ones({2, 3})); }).find("[2x3]"), std::string::npos);
  EXPECT_VALUES(x, 1, 1, 1);
}

TEST(InPlace, OperandsBroadcastIntoTheTarget) {
  Tensor x = zeros({2, 3});
  x.add_(tensor({1.f, 2.f, 3.f})).mul_(2.0);
  EXPECT_VALUES(x, 2, 4, 6, 2, 4, 6);
}

TEST(InPlace, KeepsTheMemoryOfABlob) {
  float memory[] = {1, 2, 3};
  Tensor x = from_blob(memory, {3});
  x.mul_(2.0);
  EXPECT_EQ(memory[2], 6);
  x.zero_();
  EXPECT_EQ(memory[2], 0);
}

TEST(InPlace, BlobIsReleasedOnce) {
  float memory[] = {1, 2, 3};
  int released = 0;
  {
    Tensor x = from_blob(memory, {3}, [&] { ++released; });
    Tensor view = x.slice(0, 0, 2);
    x = Tensor();
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(InPlace, LeafThatRequiresGrad) {
  Tensor w = ones({3}, TensorOptions().requires_grad(true));
  EXPECT_NE(errorOf<grad_error>([&] { w.add_(1.0); }).find("leaf"), std::string::npos);
  EXPECT_NE(errorOf<grad_error>([&] { w.slice(0, 0, 1).zero_(); }).find("view of a leaf"), std::string::npos);
  Tensor view = zeros({4}).reshape({2, 2}).requires_grad_(); // a leaf that is a view itself
  EXPECT_NE(errorOf<grad_error>([&] { view.t().slice(0, 0, 1).add_(1.0); }).find("view of a leaf"), std::string::npos);
  EXPECT_VALUES(view, 0, 0, 0, 0);
  EXPECT_VALUES(w, 1, 1, 1);
  NoGradGuard guard;
  w.add_(1.0);
  EXPECT_VALUES(w, 2, 2, 2);
}

TEST(InPlace, SavedValueKeepsTheOldContents) {
  Tensor x = tensor({1.f, 2.f, 3.f}), w = ones({3}).requires_grad_();
  const Tensor loss = (w * x).sum();
  x.zero_();
  loss.backward();
  EXPECT_VALUES(w.grad(), 1, 2, 3);
}
