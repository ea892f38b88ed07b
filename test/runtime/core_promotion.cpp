// The dtype at which operands meet.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

static Tensor of(DType t, const Shape &sizes = {3}) { return ones(sizes, t); }

TEST(Promotion, TensorWithTensor) {
  EXPECT_EQ((of(kBool) + of(kByte)).dtype(), kByte);
  EXPECT_EQ((of(kInt) + of(kLong)).dtype(), kLong);
  EXPECT_EQ((of(kByte) + of(kInt)).dtype(), kInt);
  EXPECT_EQ((of(kLong) + of(kFloat)).dtype(), kFloat);
  EXPECT_EQ((of(kFloat) + of(kDouble)).dtype(), kDouble);
}

TEST(Promotion, HostNumberRaisesTheCategoryOnly) {
  EXPECT_EQ((of(kBool) + 1).dtype(), kLong);
  EXPECT_EQ((of(kByte) + 1).dtype(), kByte);
  EXPECT_EQ((of(kInt) + 1.5).dtype(), kFloat);
  EXPECT_EQ((of(kFloat) + 1.5).dtype(), kFloat);
}

TEST(Promotion, ZeroDimTensorCountsLikeANumber) {
  EXPECT_EQ((of(kFloat) + of(kDouble, {})).dtype(), kFloat);
  EXPECT_EQ((of(kInt) + of(kDouble, {})).dtype(), kDouble);
  EXPECT_EQ((of(kFloat, {}) + of(kDouble, {})).dtype(), kDouble);
}

TEST(Promotion, TY_01_IntTensorTimesHostFloat) {
  const Tensor y = tensor({3}) * 2.0;
  EXPECT_EQ(y.dtype(), kFloat);
  EXPECT_VALUES(y, 6);
}

TEST(Promotion, PW_11_NegationWrapsInItsOwnType) {
  const Tensor c = full({}, 7, kByte), x = tensor({1.5f, -0.25f});
  EXPECT_VALUES(neg(c) + x, 250.5, 248.75);
}

TEST(Promotion, NumberThatDoesNotFit) {
  EXPECT_NE(errorOf<value_error>([] { of(kByte) + 300; }).find("300"), std::string::npos);
  errorOf<value_error>([] { full({3}, 300, kByte); });
  errorOf<value_error>([] { ones({3}, kByte).fill_(-1); });
}

TEST(Promotion, DivisionOfIntegersIsFloat) {
  EXPECT_EQ((of(kLong) / of(kInt)).dtype(), kFloat);
  EXPECT_VALUES(tensor({1, 2}) / 4, 0.25, 0.5);
}
