// Compiled code is unmapped with the path that it was made for.
#include "tensorjit/tensorjit.h"
#include "trace/CompiledState.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

using namespace tensorjit;

namespace {

size_t mappedImages(const std::string &function) {
  size_t images = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    images += line.find("memfd:tensorjit-" + function + "_") != line.npos && line.find(" r-xp ") != line.npos;
  return images;
}

} // namespace

TEST(CodeMemory, IsThatOfThePathsThatAreKept) {
  Options options;
  options.name = "code_memory";
  options.strict = true;
  auto state = std::make_shared<trace::CompiledState>(options);
  auto expectSquares = [&](int64_t length) {
    Tensor x = full({length}, double(length));
    detail::Recording recording(state);
    Tensor y = (x + x) * x;
    recording.finish();
    EXPECT_EQ(y.select(0, length - 1).item(), 2.0 * double(length) * double(length));
  };
  expectSquares(1);
  ASSERT_EQ(mappedImages(options.name), 1U);
  state->forward.setLimit(10 * state->forward.bytes()); // of ten paths, about
  size_t most = 0;
  for (int64_t length = 2; length <= 40; ++length) {
    expectSquares(length);
    most = std::max(most, mappedImages(options.name));
  }
  EXPECT_GE(most, 5U);
  EXPECT_LE(most, 15U);
  EXPECT_EQ(state->stats().compiles, 40);
  expectSquares(1); // dropped long ago
  EXPECT_EQ(state->stats().compiles, 41);
  state = nullptr;
  EXPECT_EQ(mappedImages(options.name), 0U);
}
