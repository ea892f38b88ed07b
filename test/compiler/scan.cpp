// Compiled scans against eager ones: every way in which vectors and their rests meet a row's length, both directions,
// dtypes, what is fused before and behind them, and infinities.
#include "SameBits.h"
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

/// Whole numbers, so that sums are exact in any order.
Tensor whole(const Shape &sizes, DType type) { return randint(-4, 5, sizes).to(type); }

struct Way {
  bool reverse, exclusive;
};
const Way ways[] = {{false, false}, {true, false}, {false, true}, {true, true}};

template <class F> void expectSame(const char *what, F f, const Tensor &x) {
  auto compiled = compile(f);
  const Tensor got = compiled(x), expected = f(x);
  EXPECT_TRUE(sameBits(got, expected)) << what << ' ' << name(x.dtype()) << x.sizes().str();
  EXPECT_EQ(compiled.stats().eager_segments, 0) << compiled.explain();
}

} // namespace

TEST(ScanCompiled, RowsOfEveryLength) {
  manual_seed(11);
  for (int64_t n : {2, 7, 8, 15, 16, 17, 31, 33, 100, 1024, 1027})
    for (DType type : {kFloat, kDouble, kInt, kLong})
      for (Way w : ways)
        expectSame(
            "rows", [=](const Tensor &x) { return x.cumsum(1, w.reverse, w.exclusive, type); }, whole({3, n}, type));
}

TEST(ScanCompiled, Columns) {
  manual_seed(12);
  for (Shape sizes : {Shape({5, 3}), Shape({33, 16}), Shape({9, 17}), Shape({3, 40, 21}), Shape({2, 100, 64, 3})})
    for (DType type : {kFloat, kDouble, kInt, kByte})
      for (Way w : ways) {
        const Tensor x = whole(sizes, type);
        const int64_t dim = sizes.rank() == 2 ? 0 : 1;
        expectSame(
            "sums", [=](const Tensor &t) { return t.cumsum(dim, w.reverse, w.exclusive, type); }, x);
        expectSame(
            "products",
            [=](const Tensor &t) {
              return t.clamp(type == kByte ? 0 : -1, 1).cumprod(dim, w.reverse, w.exclusive, type);
            },
            x);
      }
}

TEST(ScanCompiled, HalvesRoundOnce) {
  manual_seed(13);
  for (DType type : {kHalf, kBFloat16, kShort})
    for (int64_t dim : {0, 1})
      expectSame(
          "halves", [=](const Tensor &x) { return x.cumsum(dim, false, false, type); }, whole({20, 37}, type));
}

TEST(ScanCompiled, FusesWhatComesBeforeAndBehind) {
  manual_seed(14);
  for (int64_t dim : {0, 1}) {
    auto f = [=](const Tensor &x) { return x.mul(2).cumsum(dim).add(x).abs(); };
    auto compiled = compile(f);
    const Tensor x = whole({40, 50}, kFloat);
    EXPECT_TRUE(sameBits(compiled(x), f(x)));
    EXPECT_NE(compiled.explain().find(", 1 kernels"), std::string::npos) << compiled.explain();
  }
  // Sums over the scanned dim, of its result and beside it, are kernels of their own.
  expectSame(
      "sum of a scan", [](const Tensor &x) { return x.cumsum(1).sum({1}); }, whole({9, 50}, kFloat));
  expectSame(
      "scan of a scan", [](const Tensor &x) { return x.cumsum(1).cumsum(1, true); }, whole({9, 50}, kFloat));
  expectSame(
      "centred", [](const Tensor &x) { return x.sub(x.sum({1}, true)).cumsum(1); }, whole({9, 50}, kFloat));
  expectSame(
      "two ways", [](const Tensor &x) { return x.cumsum(1).add(x.cumsum(1, true)); }, whole({9, 50}, kFloat));
  expectSame(
      "broadcast",
      [](const Tensor &x) {
        return x.expand({4, 9, 50}).cumsum(0);
      },
      whole({9, 50}, kFloat));
  expectSame(
      "broadcast rows",
      [](const Tensor &x) {
        return x.unsqueeze(2).expand({9, 50, 20}).cumsum(2);
      },
      whole({9, 50}, kFloat));
  expectSame(
      "turned", [](const Tensor &x) { return x.t().cumsum(1); }, whole({40, 50}, kFloat));
  expectSame(
      "flipped", [](const Tensor &x) { return x.flip({1}).cumsum(1); }, whole({40, 50}, kFloat));
}

TEST(ScanCompiled, RD_09_InfinitiesComeOnePointAfterAnother) {
  expectSame(
      "infinity", [](const Tensor &x) { return x.cumsum(1); }, full({4, 1000}, INFINITY, kDouble));
  // No partial sum of the row overflows but those that do not begin with it.
  const Tensor big = full({4, 64}, 0.f);
  big.select(1, 0).fill_(-3e38f);
  big.select(1, 5).fill_(3e38f);
  big.select(1, 6).fill_(3e38f);
  const Tensor sums = compile([](const Tensor &x) { return x.cumsum(1); })(big);
  EXPECT_EQ(sums.select(0, 0).select(0, 5).item<float>(), 0);
  EXPECT_EQ(sums.select(0, 0).select(0, 63).item<float>(), 3e38f);
  const Tensor mixed = full({4, 40}, 1.f);
  mixed.select(1, 3).fill_(INFINITY);
  mixed.select(1, 30).fill_(-INFINITY);
  expectSame(
      "both", [](const Tensor &x) { return x.cumsum(1); }, mixed);
  expectSame(
      "both", [](const Tensor &x) { return x.cumsum(0); }, mixed.t().contiguous());
}

TEST(ScanCompiled, BitsDoNotDependOnThreads) {
  manual_seed(15);
  const Tensor x = randn({300, 501});
  auto f = compile([](const Tensor &t) { return t.cumsum(1).add(t.cumsum(0)); });
  set_num_threads(1);
  const Tensor one = f(x).clone();
  set_num_threads(2);
  EXPECT_TRUE(sameBits(f(x), one));
}

TEST(ScanCompiled, Derivatives) {
  manual_seed(16);
  auto gradient = [](const Tensor &x) {
    Tensor leaf = x.detach().requires_grad_();
    sum(mul(leaf.cumsum(0).add(leaf.cumsum(1, true)), x)).backward();
    return leaf.grad();
  };
  expectSame("gradient", gradient, whole({30, 45}, kFloat));
}
