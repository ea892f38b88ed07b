// f16 and bf16 on every kind of target: the bits of core/HalfBits.h, which tests of the runtime check one by one.
#include "KernelRunner.h"

#include "core/HalfBits.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;

namespace tensorjit::cpu::test {
namespace {

constexpr int64_t count = (1 << 16) + 17; // all bit patterns, and a tail

std::string castText(const std::string &from, const std::string &to, const std::string &op) {
  const std::string n = std::to_string(count);
  return "func.func @f(%a: tensor<" + n + "x" + from + ">) -> tensor<" + n + "x" + to +
         "> {\n  %r = kernel.nest \"k\" [parallel " + n + "] ins(%a at affine_map<(i) -> (i)> : tensor<" + n + "x" +
         from + ">) outs(affine_map<(i) -> (i)> : tensor<" + n + "x" + to + ">) {\n  ^bb0(%x: " + from +
         "):\n    %y = " + op + " %x : " + from + " to " + to + "\n    kernel.yield %y : " + to +
         "\n  }\n  return %r : tensor<" + n + "x" + to + ">\n}";
}

class Halves : public testing::TestWithParam<const char *> {
protected:
  template <class From, class To> std::vector<To> run(const std::string &text, const std::vector<From> &from) const {
    auto context = makeTestContext();
    auto module = parse(*context, text);
    CompileOptions options;
    options.cpu = GetParam();
    KernelLibrary library(*module, options);
    std::vector<From> in(from);
    std::vector<To> out(from.size());
    library.run(0, {in.data(), out.data()}, 3);
    return out;
  }
};

TEST_P(Halves, Widen) {
  for (bool brain : {false, true}) {
    std::vector<uint16_t> halves(count);
    for (int64_t i = 0; i < count; ++i) halves[i] = static_cast<uint16_t>(i);
    const auto got = run<uint16_t, float>(castText(brain ? "bf16" : "f16", "f32", "arith.extf"), halves);
    for (int64_t i = 0; i < count; ++i) {
      const float wanted = brain ? bfloatToFloat(halves[i]) : halfToFloat(halves[i]);
      ASSERT_TRUE((std::isnan(wanted) && std::isnan(got[i])) || bitsOf(wanted) == bitsOf(got[i]))
          << brain << ' ' << i << ": " << got[i] << ", wanted " << wanted;
    }
  }
}

TEST_P(Halves, Round) {
  for (bool brain : {false, true})
    for (uint32_t low : {0u, 1u, 0x0fffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      std::vector<float> singles(count);
      for (int64_t i = 0; i < count; ++i) singles[i] = floatOf(static_cast<uint32_t>(i) << 16 | low);
      const auto got = run<float, uint16_t>(castText("f32", brain ? "bf16" : "f16", "arith.truncf"), singles);
      for (int64_t i = 0; i < count; ++i) {
        const uint16_t wanted = brain ? floatToBFloat(singles[i]) : floatToHalf(singles[i]);
        const float value = brain ? bfloatToFloat(got[i]) : halfToFloat(got[i]);
        ASSERT_TRUE(std::isnan(singles[i]) ? std::isnan(value) : wanted == got[i])
            << brain << ' ' << i << ' ' << low << ": " << got[i] << ", wanted " << wanted;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Halves, testing::Values("", "x86-64-v3", "x86-64"));

} // namespace
} // namespace tensorjit::cpu::test
