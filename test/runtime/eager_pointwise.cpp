// Pointwise cases at the lengths that reach vector bodies and tails, and equal bits at every CPU level.
#include "Expect.h"
#include "eager/loops/Pointwise.h"
#include "op/OpId.h"

#include <bit>
#include <cstring>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

constexpr int64_t lengths[] = {1, 3, 8, 17, 64, 1000};

/// Repeats the pattern to each length in turn.
template <class F> void atLengths(const std::vector<float> &pattern, F check) {
  for (int64_t n : lengths) {
    Tensor x = zeros({n});
    for (int64_t i = 0; i < n; ++i) x.data_ptr<float>()[i] = pattern[static_cast<size_t>(i) % pattern.size()];
    check(x);
  }
}
void expectPattern(const Tensor &y, const std::vector<float> &pattern) {
  const auto got = values(y);
  for (size_t i = 0; i < got.size(); ++i) {
    const double e = pattern[i % pattern.size()];
    EXPECT_TRUE((std::isnan(got[i]) && std::isnan(e)) || (got[i] == e && std::signbit(got[i]) == std::signbit(e)))
        << "at " << i << " of " << got.size() << ": " << got[i] << ", expected " << e;
  }
}

} // namespace

TEST(EagerPointwise, PW_01_NaNIsKeptFromEitherSide) {
  atLengths({-2, NAN, 3}, [](const Tensor &x) {
    expectPattern(clamp_min(x, 0.5), {0.5f, NAN, 3});
    expectPattern(relu(x), {0, NAN, 3});
    Tensor y = zeros_like(x);
    const float other[] = {NAN, 1, 0};
    for (int64_t i = 0; i < y.numel(); ++i) y.data_ptr<float>()[i] = other[i % 3];
    expectPattern(maximum(x, y), {NAN, NAN, 3});
    expectPattern(maximum(y, x), {NAN, NAN, 3});
  });
  const Tensor i = clamp_min(tensor({-2, 3}, kInt), 0.5);
  EXPECT_EQ(i.dtype(), kFloat);
  EXPECT_VALUES(i, 0.5, 3);
}

TEST(EagerPointwise, PW_03_MinusZeroPlusZero) {
  atLengths({-0.5f, -0.1f, -0.9f}, [](const Tensor &x) { expectPattern(1 / (ceil(x) + 0.0), {INFINITY}); });
}

TEST(EagerPointwise, PW_27_DenormalsAreKept) {
  atLengths({1.4e-45f}, [](const Tensor &x) { expectPattern(x * INFINITY, {INFINITY}); });
}

TEST(EagerPointwise, PW_29_NaNOfZeroByZero) {
  atLengths({0}, [](const Tensor &x) {
    const Tensor q = x / x;
    expectPattern(isnan(q), {1});
    expectPattern(where(isnan(q), 0, q), {0});
  });
}

TEST(EagerPointwise, PW_31_NothingIsContracted) {
  atLengths({0.1f}, [](const Tensor &a) {
    const Tensor b = full_like(a, 0.9), c = a * b - b * a;
    expectPattern(c, {0});
    expectPattern(c / c, {NAN});
  });
}

TEST(EagerPointwise, ReluKeepsMinusZero) {
  atLengths({-0.0f, 0.0f}, [](const Tensor &x) { expectPattern(relu(x), {-0.0f, 0.0f}); });
}

TEST(EagerPointwise, IntegersWrap) {
  EXPECT_VALUES(tensor({2147483647}, kInt) + 1, -2147483648.0);
  EXPECT_VALUES(abs(tensor({-2147483647 - 1}, kInt)), -2147483648.0);
  EXPECT_VALUES(full({2}, 200, kByte) + full({2}, 100, kByte), 44, 44);
}

// Every operand layout goes through the same loop: broadcast, transposed, reversed, scalar.
TEST(EagerPointwise, AnyLayoutOfOperands) {
  const Tensor x = arange(6, kFloat).view({2, 3}), y = arange(6, kFloat).view({3, 2}).t();
  EXPECT_VALUES(x + y, 0, 3, 6, 4, 7, 10);
  EXPECT_VALUES(x + tensor({{10.f}, {20.f}}), 10, 11, 12, 23, 24, 25);
  EXPECT_VALUES(x + tensor({10.f, 20.f, 30.f}), 10, 21, 32, 13, 24, 35);
  EXPECT_VALUES(x - x.slice(1, std::nullopt, std::nullopt, -1), -2, 0, 2, -2, 0, 2);
  EXPECT_EQ((zeros({0, 3}) + ones({1, 3})).sizes(), Shape({0, 3}));
  errorOf<shape_error>([] { zeros({2, 3}) + zeros({2}); });
}

TEST(EagerPointwise, LargeBroadcastsMatchCopies) {
  manual_seed(2);
  const Tensor x = rand({7, 1, 300}), y = rand({5, 1}), z = rand({300, 5}).t();
  EXPECT_TRUE(equal(x * y + z, x.expand({7, 5, 300}).clone() * y.expand({5, 300}).clone() + z.clone()));
}

/// The loop of a pointwise op at each level; none where there is no loop for the dtype.
static std::vector<eager::PointwiseFn> loopsOf(OpId op, DType type) {
  if (info(op).family != OpFamily::Pointwise) return {};
#define TENSORJIT_FAMILY(Family)                                                                                       \
  if (eager::PointwiseFn fn = eager::base::loopOf##Family(op, type))                                                   \
    return {fn, eager::v3::loopOf##Family(op, type), eager::v4::loopOf##Family(op, type)};
#include "op/ScalarFamilies.inc"
#undef TENSORJIT_FAMILY
  return {};
}

TEST(EagerPointwise, BitsAreEqualAtEveryCpuLevel) {
  using namespace eager;
  if (cpuLevel() != CpuLevel::V4) GTEST_SKIP() << "this machine lacks AVX-512";
  manual_seed(7);
  constexpr int64_t n = 1003;
  std::vector<Tensor> draws, wide; // as many as the op with the most operands takes
  for (int i = 0; i < 6; ++i) {
    draws.push_back(randn({n}));
    wide.push_back(draws.back().to(kDouble));
  }
  const Tensor flags = draws[0] > 0;
  int compared = 0;
  for (OpId op : allOps())
    for (DType type : {kFloat, kDouble}) {
      const std::vector<PointwiseFn> loops = loopsOf(op, type);
      if (loops.empty()) continue;
      const void *in[6];
      for (size_t i = 0; i < 6; ++i) in[i] = type == kFloat ? draws[i].data_ptr() : wide[i].data_ptr();
      if (op == OpId::Where) {
        in[2] = in[1];
        in[1] = in[0];
        in[0] = flags.data_ptr();
      }
      std::vector<double> results[3];
      int level = 0;
      for (PointwiseFn fn : loops) {
        auto &r = results[level++];
        r.assign(n, 0);
        void *out = r.data();
        fn(in, &out, n);
      }
      // NaN has no bits of its own.
      auto same = [&](const std::vector<double> &x, const std::vector<double> &y) {
        for (size_t i = 0; i < n; ++i) {
          if (type == kDouble) {
            if (std::bit_cast<uint64_t>(x[i]) != std::bit_cast<uint64_t>(y[i]) && !(x[i] != x[i] && y[i] != y[i]))
              return false;
          } else {
            float f[2], g[2];
            std::memcpy(f, &x[i], 8);
            std::memcpy(g, &y[i], 8);
            for (int k = 0; k < 2; ++k)
              if (std::bit_cast<uint32_t>(f[k]) != std::bit_cast<uint32_t>(g[k]) && !(f[k] != f[k] && g[k] != g[k]))
                return false;
          }
        }
        return true;
      };
      EXPECT_TRUE(same(results[0], results[1])) << info(op).name << ' ' << name(type);
      EXPECT_TRUE(same(results[0], results[2])) << info(op).name << ' ' << name(type);
      ++compared;
    }
  EXPECT_GT(compared, 60);
}
