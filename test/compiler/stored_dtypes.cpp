// f16, bf16 and i16 compiled: the eager kernels' bits where ops are exact, and no call of an eager kernel.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tensorjit;

namespace {

/// All bits of two tensors agree; any NaN is any NaN.
void expectSameBits(const Tensor &a, const Tensor &b, const std::string &what) {
  ASSERT_EQ(a.dtype(), b.dtype()) << what;
  ASSERT_EQ(a.sizes(), b.sizes()) << what;
  const Tensor x = a.to(kDouble).contiguous(), y = b.to(kDouble).contiguous();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double p = x.data_ptr<double>()[i], q = y.data_ptr<double>()[i];
    ASSERT_TRUE((std::isnan(p) && std::isnan(q)) || std::memcmp(&p, &q, sizeof p) == 0)
        << what << " at " << i << ": " << p << ", eager " << q;
  }
}

Tensor everyHalf(DType type) {
  Tensor t = empty({1 << 16}, type);
  auto *bits = static_cast<uint16_t *>(t.data_ptr());
  for (int i = 0; i < 1 << 16; ++i) bits[i] = static_cast<uint16_t>(i);
  return t;
}

/// f32 of every exponent, and of all bits around those where f16 and bf16 round.
Tensor roundingCases() {
  Tensor t = empty({1 << 20});
  auto *out = static_cast<uint32_t *>(t.data_ptr());
  for (uint32_t i = 0; i < 1 << 20; ++i) {
    const uint32_t high = i >> 4 << 16, low[] = {0,      1,      0x7fff, 0x8000, 0x8001, 0xffff, 0x0fff, 0x1000,
                                                 0x1001, 0x2fff, 0x3000, 0x3001, 0x5000, 0x9000, 0xcfff, 0xf001};
    out[i] = high | low[i & 15];
  }
  return t;
}

template <class F> void expectFused(const F &f, const std::string &what) {
  EXPECT_EQ(f.stats().eager_segments, 0) << what << ": " << f.explain();
  EXPECT_EQ(f.explain().find("call of an eager kernel"), std::string::npos) << what << ": " << f.explain();
}

} // namespace

TEST(StoredDtypes, CastsHaveTheEagerBits) {
  const Tensor single = roundingCases();
  for (DType type : {kHalf, kBFloat16}) {
    const Tensor every = everyHalf(type);
    for (DType to : {kFloat, kDouble, kHalf, kBFloat16, kInt, kByte, kInt16, kBool}) {
      auto f = compile([to](const Tensor &x) { return x.to(to); });
      expectSameBits(f(every), every.to(to), std::string(name(type)) + " to " + name(to));
      expectFused(f, name(to));
    }
    auto round = compile([type](const Tensor &x) { return x.to(type); });
    expectSameBits(round(single), single.to(type), std::string("f32 to ") + name(type));
    const Tensor wide = single.to(kDouble);
    expectSameBits(round(wide), wide.to(type), std::string("f64 to ") + name(type));
    expectFused(round, name(type));
  }
  const Tensor words = arange(-70000, 70000, kInt);
  auto wrap = compile([](const Tensor &x) { return x.to(kInt16); });
  expectSameBits(wrap(words), words.to(kInt16), "i32 to i16");
  expectSameBits(wrap(words.to(kFloat)), words.to(kFloat).to(kInt16), "f32 to i16");
}

TEST(StoredDtypes, ChainsRoundAtEachOp) {
  for (DType type : {kHalf, kBFloat16})
    for (int64_t n : {1, 7, 16, 100, 5000}) {
      auto chain = [](const Tensor &x, const Tensor &y) {
        return std::vector<Tensor>{relu(x * y + 0.1) - x / 3, exp(x) * sigmoid(y), maximum(x, y), x < y,
                                   where(x < y, x, y * 2),    (x + y).to(kFloat)};
      };
      manual_seed(3);
      const Tensor x = randn({n}, type), y = randn({n}, type);
      auto f = compile(chain);
      const auto got = f(x, y), eager = chain(x, y);
      for (size_t i = 0; i < got.size(); ++i)
        expectSameBits(got[i], eager[i], std::string(name(type)) + " result " + std::to_string(i));
      expectFused(f, name(type));
    }
}

TEST(StoredDtypes, ElementsAreMoved) {
  for (DType type : {kHalf, kBFloat16, kInt16})
    for (int64_t n : {3, 16, 300}) {
      const Tensor x = arange(0, n * n, kInt).reshape({n, n}).to(type);
      auto move = [](const Tensor &t) {
        const Tensor twice = cat({t, t.t()}, 1);
        return std::vector<Tensor>{t.t().contiguous(),
                                   twice,
                                   t.slice(1, 1, std::nullopt, 2).contiguous(),
                                   slice_scatter(t, t.slice(0, 0, 1) * 2, 0, 1, 2),
                                   t.t() + t,
                                   broadcast_to(t.slice(0, 0, 1), t.sizes()).contiguous()};
      };
      auto f = compile(move);
      const auto got = f(x), eager = move(x);
      for (size_t i = 0; i < got.size(); ++i)
        expectSameBits(got[i], eager[i], std::string(name(type)) + " result " + std::to_string(i));
      expectFused(f, name(type));
    }
}

// Rows of 33 end in a vector with one lane, which must not touch the row behind it.
TEST(StoredDtypes, OneLaneAtTheEndOfARow) {
  const Tensor a = arange(0, 35, kFloat).reshape({7, 5}), b = (arange(0, 165, kFloat) * 0.0625).reshape({5, 33});
  for (DType type : {kByte, kInt8, kInt16, kInt, kHalf, kBFloat16, kBool}) {
    auto body = [type](const Tensor &x, const Tensor &y) { return matmul(x, y).to(type); };
    auto f = compile(body);
    expectSameBits(f(a, b), body(a, b), name(type));
  }
}

TEST(StoredDtypes, IntegersWrap) {
  auto body = [](const Tensor &x, const Tensor &y) {
    return std::vector<Tensor>{x + y,
                               x * y,
                               neg(x),
                               abs(x),
                               floor_divide(x, y),
                               remainder(x, y),
                               bitwise_left_shift(x, y),
                               bitwise_right_shift(x, y),
                               amax(x),
                               sum(x),
                               argmin(x)};
  };
  const Tensor x = arange(-32768, 32768, 97, kInt16), y = remainder(x * 31, 19) - 3;
  auto f = compile(body);
  const auto got = f(x, y), eager = body(x, y);
  for (size_t i = 0; i < got.size(); ++i) expectSameBits(got[i], eager[i], "result " + std::to_string(i));
}

// Sums differ in their order, so results by an ulp of the dtype.
TEST(StoredDtypes, SumsAndProductsAreClose) {
  for (DType type : {kHalf, kBFloat16}) {
    const double unit = type == kHalf ? 0x1p-10 : 0x1p-7;
    auto body = [](const Tensor &a, const Tensor &b, const Tensor &bias, const Tensor &image, const Tensor &kernel) {
      return std::vector<Tensor>{matmul(a, b),         relu(linear(a, b.t(), bias)),
                                 matmul(a.t(), a),     softmax(a, 1),
                                 layer_norm(a, {48}),  sum(a, {0}),
                                 mean(a, {1}),         conv2d(image, kernel, {}, 1, 1),
                                 max_pool2d(image, 2), scaled_dot_product_attention(a, a, a)};
    };
    manual_seed(5);
    const Tensor a = randn({70, 48}, type), b = randn({48, 33}, type), bias = randn({33}, type),
                 image = randn({2, 3, 12, 12}, type), kernel = randn({5, 3, 3, 3}, type);
    auto f = compile(body);
    const auto got = f(a, b, bias, image, kernel), eager = body(a, b, bias, image, kernel);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].dtype(), type);
      EXPECT_TRUE(allclose(got[i], eager[i], unit, unit / 16)) << name(type) << " result " << i;
    }
    expectFused(f, name(type));
  }
}

TEST(StoredDtypes, TrainStepFollowsEager) {
  for (DType type : {kHalf, kBFloat16}) {
    const double unit = type == kHalf ? 0x1p-10 : 0x1p-7;
    std::vector<double> losses[2];
    for (int compiled : {0, 1}) {
      manual_seed(1);
      nn::Linear first(16, 32), second(32, 4);
      std::vector<Tensor> parameters = first->parameters();
      for (const Tensor &p : second->parameters()) parameters.push_back(p);
      first->to(type);
      second->to(type);
      optim::AdamW adam(parameters, optim::AdamWOptions(1e-2));
      const Tensor x = randn({24, 16}, type), target = randint(0, 4, {24});
      auto step = [&](const Tensor &in, const Tensor &to) {
        adam.zero_grad();
        const Tensor loss = cross_entropy(second(relu(first(in))), to);
        loss.backward();
        adam.step();
        return loss;
      };
      auto fast = compile(step);
      for (int i = 0; i < 12; ++i) losses[compiled].push_back((compiled ? fast(x, target) : step(x, target)).item());
      if (compiled) expectFused(fast, name(type));
    }
    for (size_t i = 0; i < losses[0].size(); ++i)
      EXPECT_NEAR(losses[1][i], losses[0][i], 8 * unit * (1 + losses[0][i])) << name(type) << " step " << i;
    EXPECT_LT(losses[1].back(), losses[1].front());
  }
}
