// Conversions between dtypes.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(EagerCast, FloatToIntegerTruncatesAndSaturates) {
  const Tensor x = tensor({-1.5f, 2.9f, 300.f, -300.f, INFINITY, -INFINITY, NAN});
  EXPECT_VALUES(x.to(kByte), 0, 2, 255, 0, 255, 0, 0);
  EXPECT_VALUES(x.to(DType::I8), -1, 2, 127, -128, 127, -128, 0);
  EXPECT_VALUES(x.to(kInt), -1, 2, 300, -300, 2147483647, -2147483648.0, 0);
  EXPECT_VALUES(x.to(kBool), 1, 1, 1, 1, 1, 1, 1); // NaN is not 0
}

TEST(EagerCast, PW_17_InfinityToI64) {
  EXPECT_EQ(tensor({INFINITY}).to(kLong).item<int64_t>(), INT64_MAX);
  EXPECT_EQ(tensor({-INFINITY}).to(kLong).item<int64_t>(), INT64_MIN);
}

TEST(EagerCast, PW_19_LogOfZeroSummedAsInteger) { EXPECT_EQ(log(tensor({0.0})).to(kInt).item<int64_t>(), -2147483648); }

TEST(EagerCast, IntegersWrap) {
  EXPECT_VALUES(tensor({300, -1, 256}).to(kByte), 44, 255, 0);
  EXPECT_VALUES(tensor({200}, kByte).to(DType::I8), -56);
  EXPECT_VALUES(tensor({0, 256, -3}).to(kBool), 0, 1, 1);
  EXPECT_EQ(tensor({(int64_t(1) << 33) + 5}).to(kInt).item<int64_t>(), 5);
}

// Every length reaches the vector body and the tail alike.
TEST(EagerCast, AllLengths) {
  for (int64_t n : {1, 3, 8, 17, 64, 1000}) {
    const Tensor x = full({n}, 1e20, kFloat);
    for (double v : values(x.to(kInt))) EXPECT_EQ(v, 2147483647);
  }
}
