// A floating host number in a tensor of integers is cast as a tensor's element is: truncated, saturated, NaN to 0.
#include "tensorjit/tensorjit.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tensorjit;

TEST(FloatToInteger, HostNumbersSaturate) {
  struct Row {
    DType type;
    int64_t lowest, largest;
  };
  for (const Row &r : {Row{kByte, 0, 255}, Row{kChar, -128, 127}, Row{kShort, -32768, 32767},
                       Row{kInt, INT32_MIN, INT32_MAX}, Row{kLong, INT64_MIN, INT64_MAX}}) {
    auto f = compile([&] {
      std::vector<Tensor> results;
      for (double number : std::initializer_list<double>{-1.0, -1.9, 1e30, -1e30, INFINITY, -INFINITY, NAN, 2.9})
        results.push_back(full({3}, number, r.type));
      return results;
    });
    const int64_t minusOne = r.type == kByte ? 0 : -1;
    const int64_t expected[] = {minusOne, minusOne, r.largest, r.lowest, r.largest, r.lowest, 0, 2};
    const auto results = f();
    for (size_t i = 0; i < std::size(expected); ++i)
      EXPECT_TRUE(equal(results[i], full({3}, expected[i], r.type)))
          << name(r.type) << " number " << i << ": " << results[i].select(0, 0).item<int64_t>();
  }
  auto flags = compile([] {
    return std::vector{full({2}, 0.25, kBool), full({2}, NAN, kBool), full({2}, -0.0, kBool)};
  });
  EXPECT_TRUE(equal(flags()[0], full({2}, true)));
  EXPECT_TRUE(equal(flags()[1], full({2}, true)));
  EXPECT_TRUE(equal(flags()[2], full({2}, false)));
}
