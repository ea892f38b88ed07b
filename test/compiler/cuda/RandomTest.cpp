// Random numbers in kernels are the generator's words, on every architecture that programs are made for.
#include "tensorjit/random.h"
#include "CudaRunner.h"
#include "Drawing.h"
#include "KernelRunner.h"
#include "TrainStep.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;

namespace tensorjit::cuda::test {
namespace {

Bytes number(uint64_t value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

TEST(CudaRandom, BitsAreTheWordsOfTheGenerator) {
  auto context = cpu::test::makeTestContext();
  constexpr uint64_t seed = uint64_t(1) << 63 | 99, offset = 0xFFFFFFFE;
  for (auto [wide, count] : {std::pair(false, 1003), {false, 1024}, {true, 1003}, {true, 1024}}) {
    auto module = drawing(*context, "random_bits", wide ? "i64" : "i32", count);
    CudaLibrary library(kernelsOf(*module));
    const size_t item = wide ? 8 : 4;
    const Bytes bytes = library.run(0, {number(seed), number(offset)}, {static_cast<size_t>(count) * item})[0];
    for (uint64_t word = 0; word < bytes.size() / 4; ++word) {
      uint32_t got;
      std::memcpy(&got, bytes.data() + 4 * word, 4);
      ASSERT_EQ(got, philox(seed, offset + word / 4)[word % 4]) << word << " of " << (wide ? "i64" : "i32");
    }
  }
}

TEST(CudaRandom, PassesPtxasWithoutSpills) {
  if (!*TENSORJIT_TEST_PTXAS) GTEST_SKIP() << "no ptxas";
  auto context = cpu::test::makeTestContext();
  for (auto [op, type] :
       {std::pair("random_bits", "i32"), {"random_bits", "i64"}, {"random_normal", "f32"}, {"random_normal", "f64"}}) {
    auto module = drawing(*context, op, type, 1024);
    auto program = printProgram(kernelsOf(*module));
    ASSERT_TRUE(succeeded(program));
    for (auto [from, to] : {std::pair("compute_80", "sm_80"), {"compute_90a", "sm_90a"}, {"compute_100", "sm_100"}}) {
      PtxasReport report = assemble(program->sources[0], from, to);
      EXPECT_EQ(report.status, 0) << op << ' ' << type << ": " << report.output;
      EXPECT_EQ(report.kernels, 1) << report.output;
      EXPECT_EQ(report.spilledBytes, 0) << report.output;
    }
  }
}

} // namespace
} // namespace tensorjit::cuda::test
