// Views share their elements with the base; writes go both ways.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

static Tensor range(int64_t n) { return arange(n, kFloat); }

TEST(Views, ReadTheBase) {
  const Tensor x = range(6).view({2, 3});
  EXPECT_VALUES(x.t(), 0, 3, 1, 4, 2, 5);
  EXPECT_VALUES(x.select(1, 2), 2, 5);
  EXPECT_VALUES(x.slice(1, 0, 3, 2), 0, 2, 3, 5);
  EXPECT_VALUES(x.slice(1, std::nullopt, std::nullopt, -1), 2, 1, 0, 5, 4, 3);
  EXPECT_VALUES(x.unsqueeze(0).expand({2, 2, 3}), 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5);
}

TEST(Views, WriteThroughReachesBaseAndSiblings) {
  Tensor x = range(6).view({2, 3});
  Tensor row = x.select(0, 1), column = x.t().select(0, 0);
  row.mul_(10.0);
  EXPECT_VALUES(x, 0, 1, 2, 30, 40, 50);
  EXPECT_VALUES(column, 0, 30);
  column.fill_(-1);
  EXPECT_VALUES(x, -1, 1, 2, -1, 40, 50);
  EXPECT_VALUES(row, -1, 40, 50);
}

TEST(Views, BaseUpdateIsSeenByViews) {
  Tensor x = range(4);
  const Tensor half = x.slice(0, 2, 4);
  x.add_(1.0);
  EXPECT_VALUES(half, 3, 4);
}

// reshape of strided data has no strides of its own, so it copies.
TEST(Views, ReshapeOfTransposedDataIsACopy) {
  Tensor x = range(6).view({2, 3});
  Tensor flat = x.t().reshape({6});
  EXPECT_VALUES(flat, 0, 3, 1, 4, 2, 5);
  flat.fill_(0);
  EXPECT_VALUES(x, 0, 1, 2, 3, 4, 5);
}

TEST(Views, ReshapeSplitsAndMergesStridedDims) {
  const Tensor x = range(24).view({2, 3, 4}).permute({1, 0, 2}); // [3, 2, 4], strides 4, 12, 1
  const Tensor split = x.view({3, 2, 2, 2});
  EXPECT_EQ(values(split), values(x));
  Tensor y = x;
  y.select(0, 0).fill_(-1);
  EXPECT_EQ(values(split), values(x));
}

TEST(Views, OverlappingOperandsAreReadBeforeTheyAreWritten) {
  Tensor x = range(5);
  x.slice(0, 1, 5).add_(x.slice(0, 0, 4));
  EXPECT_VALUES(x, 0, 1, 3, 5, 7);
}

TEST(Views, SH_01_ReversedSliceAssigned) {
  Tensor x = range(6), z = zeros({6});
  const Tensor back = x.slice(0, std::nullopt, std::nullopt, -1);
  z.slice(0, std::nullopt, std::nullopt, -1).copy_(back * 2);
  EXPECT_VALUES(z, 0, 2, 4, 6, 8, 10);
}

TEST(Views, SH_03_SumOfReversedAxis) {
  const Tensor x = arange(1, 32769).view({2, 1024, 16});
  const auto sums = values(x.slice(0, std::nullopt, std::nullopt, -1).sum({1}));
  EXPECT_EQ(sums[0], 25158656);
  EXPECT_EQ(sums[1], 25159680);
  EXPECT_EQ(sums[16], 8381440);
  EXPECT_EQ(sums[17], 8382464);
  EXPECT_EQ(sums[18], 8383488);
  EXPECT_EQ(sums[19], 8384512);
}

TEST(Views, SH_09_TargetIsUnchanged) {
  Tensor x = arange(1, 7, kFloat), y = x.expand({3, 6});
  errorOf<alias_error>([&] { y.fill_(0); });
  errorOf<alias_error>([&] { y.add_(1.0); });
  errorOf<alias_error>([&] { y.select(0, 0).select(0, 0).fill_(0); });
  errorOf<alias_error>([&] { y.slice(0, 0, 1).fill_(0); });
  EXPECT_VALUES(x, 1, 2, 3, 4, 5, 6);
  x.expand({1, 6}).select(0, 0).fill_(7); // repeats nothing
  EXPECT_VALUES(x, 7, 7, 7, 7, 7, 7);
}

TEST(Views, SharingOneValueDoesNotShareWrites) {
  Tensor a = range(3), b = zeros({3});
  b.copy_(a);
  b.add_(1.0);
  EXPECT_VALUES(a, 0, 1, 2);
  EXPECT_VALUES(b, 1, 2, 3);
  a.data_ptr<float>()[0] = 7;
  EXPECT_VALUES(b, 1, 2, 3);
}
