// Tensors of more than 2^31 elements. Each test holds two to five GiB, and is skipped where there is less.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

using namespace tensorjit;

static bool isAvailable(int64_t gib) {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) return std::stoll(line.substr(13)) >> 20 > gib;
  return false;
}

// SH-17
TEST(LargeTensors, RowsBeyondFourGibibytesArePicked) {
  if (!isAvailable(6)) GTEST_SKIP() << "needs 6 GiB of memory";
  constexpr int64_t rows = 32769, width = 65536;
  Tensor x = zeros({rows, width}, kUInt8);
  uint8_t *last = x.data_ptr<uint8_t>() + (rows - 1) * width;
  for (int64_t i = 0; i < width; ++i) last[i] = static_cast<uint8_t>(i * 7);
  const Tensor index = tensor<int64_t>({rows - 1, 0});
  auto f = compile([](const Tensor &t, const Tensor &i) { return index_select(t, 0, i) + 1; });
  for (const Tensor &y : {index_select(x, 0, index) + 1, f(x, index), f(x, index)})
    for (int64_t i = 0; i < width; i += 17) {
      ASSERT_EQ(y.data_ptr<uint8_t>()[i], static_cast<uint8_t>(i * 7 + 1)) << i;
      ASSERT_EQ(y.data_ptr<uint8_t>()[width + i], 1) << i;
    }
}

// SH-19
TEST(LargeTensors, ExpandedTensorsAreWrittenOut) {
  if (!isAvailable(6)) GTEST_SKIP() << "needs 6 GiB of memory";
  constexpr int64_t width = 1000, rows = (int64_t(1) << 31) / width + 3;
  const Tensor x = arange(width).to(kUInt8);
  auto f = compile([](const Tensor &t) { return (t.expand({rows, width}) + 1).contiguous(); });
  for (bool compiled : {false, true}) {
    const Tensor y = compiled ? f(x) : x.expand({rows, width}).contiguous(), row = compiled ? x + 1 : x;
    const uint8_t *data = y.data_ptr<uint8_t>(), *expected = row.data_ptr<uint8_t>();
    int64_t wrong = 0;
    for (int64_t i = 0; i < rows; ++i) wrong += std::memcmp(data + i * width, expected, width) != 0;
    EXPECT_EQ(wrong, 0) << compiled;
  }
}
