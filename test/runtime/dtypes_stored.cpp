// f16, bf16 and i16: types of storage. Ops compute in f32 (i16: i32) and round (i16: wrap) once.
#include "Expect.h"
#include "RecordRows.h"

#include <cstring>
#include <filesystem>
#include <sstream>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

struct Format {
  DType dtype;
  int mantissaBits, minExponent, maxExponent;

  /// The value of a finite positive bit pattern.
  double decode(int bits) const {
    const int exponent = bits >> mantissaBits, mantissa = bits & ((1 << mantissaBits) - 1);
    return exponent ? std::ldexp((1 << mantissaBits) + mantissa, exponent - 1 + minExponent - mantissaBits)
                    : std::ldexp(mantissa, minExponent - mantissaBits);
  }
  int infinity() const { return (maxExponent - minExponent + 2) << mantissaBits; }
  /// `x` rounded to nearest even.
  double round(double x) const {
    if (!std::isfinite(x) || x == 0) return x;
    const double unit = std::ldexp(1, std::max(std::ilogb(x), minExponent) - mantissaBits);
    const double y = std::nearbyint(x / unit) * unit;
    return std::fabs(y) >= std::ldexp(1, maxExponent + 1) ? std::copysign(INFINITY, x) : y;
  }
};
constexpr Format half{DType::F16, 10, -14, 15}, bfloat{DType::BF16, 7, -126, 127};

Tensor ofBits(const std::vector<uint16_t> &bits, DType type) {
  Tensor t = empty({static_cast<int64_t>(bits.size())}, type);
  if (!bits.empty()) std::memcpy(t.data_ptr(), bits.data(), bits.size() * 2);
  return t;
}
std::vector<uint16_t> bitsOf(const Tensor &t) {
  const Tensor dense = t.contiguous();
  std::vector<uint16_t> bits(static_cast<size_t>(t.numel()));
  if (!bits.empty()) std::memcpy(bits.data(), dense.data_ptr(), bits.size() * 2);
  return bits;
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace

TEST(HalfCast, EveryValueIsExactAndComesBack) {
  for (const Format &f : {half, bfloat}) {
    std::vector<uint16_t> bits;
    for (int b = 0; b <= f.infinity(); ++b)
      for (int sign : {0, 0x8000}) bits.push_back(static_cast<uint16_t>(b | sign));
    const Tensor x = ofBits(bits, f.dtype), wide = x.to(kFloat);
    const std::vector<double> got = values(wide);
    for (size_t i = 0; i + 2 < bits.size(); ++i) {
      const double magnitude = f.decode(bits[i] & 0x7fff);
      ASSERT_TRUE(same(got[i], bits[i] & 0x8000 ? -magnitude : magnitude)) << name(f.dtype) << ' ' << bits[i];
    }
    EXPECT_TRUE(std::isinf(got.back()) && got.back() < 0);
    EXPECT_EQ(bitsOf(wide.to(f.dtype)), bits) << name(f.dtype);
    EXPECT_EQ(bitsOf(wide.to(kDouble).to(f.dtype)), bits) << name(f.dtype);
  }
}

// Between any two neighbours: their middle goes to the even one, everything else to the nearer.
TEST(HalfCast, RoundsToNearestEven) {
  for (const Format &f : {half, bfloat}) {
    std::vector<float> x;
    std::vector<uint16_t> expected;
    for (int b = 0; b < f.infinity(); ++b) {
      const bool last = b + 1 == f.infinity(); // the neighbour would be 2^(maxExponent + 1)
      const double lo = f.decode(b), hi = last ? std::ldexp(1, f.maxExponent + 1) : f.decode(b + 1);
      const auto middle = static_cast<float>(lo / 2 + hi / 2);
      for (float v : {std::nextafter(middle, 0.f), middle, std::nextafter(middle, INFINITY)}) {
        x.push_back(v);
        const double d = v;
        expected.push_back(static_cast<uint16_t>(d < middle || (d == middle && b % 2 == 0) ? b : b + 1));
      }
    }
    EXPECT_EQ(bitsOf(tensor(x).to(f.dtype)), expected) << name(f.dtype);
    for (float &v : x) v = -v;
    for (uint16_t &b : expected) b |= 0x8000;
    EXPECT_EQ(bitsOf(tensor(x).to(f.dtype)), expected) << name(f.dtype);
  }
}

TEST(HalfCast, NanStaysNanAndOverflowIsInfinite) {
  for (const Format &f : {half, bfloat}) {
    const Tensor x = tensor({NAN, -NAN, INFINITY, -INFINITY, 3e38f}).to(f.dtype);
    const auto got = values(x);
    EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
    EXPECT_EQ(got[2], INFINITY);
    EXPECT_EQ(got[3], -INFINITY);
    EXPECT_EQ(got[4], f.dtype == kHalf ? INFINITY : f.round(3e38));
  }
  // A NaN whose upper payload is zero must not become an infinity.
  Tensor quiet = empty({1});
  const uint32_t bits = 0x7f800001;
  std::memcpy(quiet.data_ptr(), &bits, 4);
  for (DType t : {kHalf, kBFloat16}) EXPECT_TRUE(std::isnan(quiet.to(t).item()));
}

TEST(HalfCast, OtherTypesMeetThemInF32) {
  // 1 + 2^-11 + 2^-40 lies above the middle of two f16, but its nearest f32 is the middle.
  EXPECT_EQ(tensor({1 + 0x1p-11 + 0x1p-40}, kDouble).to(kHalf).item(), 1);
  EXPECT_EQ(tensor({70000}).to(kHalf).item(), INFINITY);
  EXPECT_EQ(tensor({int64_t(16777217)}).to(kBFloat16).item(), 16777216);
  EXPECT_VALUES(tensor({300.f, -1.5f, NAN}).to(kHalf).to(kByte), 255, 0, 0);
  EXPECT_VALUES(tensor({0.f, 0.5f, NAN}).to(kBFloat16).to(kBool), 0, 1, 1);
  EXPECT_VALUES(tensor({true, false}).to(kHalf), 1, 0);
  EXPECT_EQ(tensor({1.0009765625f}).to(kHalf).to(kBFloat16).item(), 1);
}

TEST(Promotion16, TensorsAndNumbers) {
  auto of = [](DType t) { return ones({3}, t); };
  EXPECT_EQ((of(kHalf) + of(kBFloat16)).dtype(), kFloat);
  EXPECT_EQ((of(kHalf) + of(kFloat)).dtype(), kFloat);
  EXPECT_EQ((of(kHalf) + of(kLong)).dtype(), kHalf);
  EXPECT_EQ((of(kHalf) + 1.5).dtype(), kHalf);
  EXPECT_EQ((of(kHalf) + ones({}, kDouble)).dtype(), kHalf);
  EXPECT_EQ((of(kByte) + of(kInt8)).dtype(), kInt16);
  EXPECT_EQ((of(kByte) + of(kInt16)).dtype(), kInt16);
  EXPECT_EQ((of(kInt16) + of(kInt)).dtype(), kInt);
  errorOf<value_error>([&] { of(kInt16) + 40000; });
  Tensor x = of(kHalf);
  errorOf<type_error>([&] { x += of(kFloat); });
}

// A host number is rounded to f32, not to the dtype of the tensor beside it.
TEST(HalfOps, HostNumbersAreNotRounded) {
  for (const Format &f : {half, bfloat}) {
    const Tensor x = arange(1, 200, f.dtype);
    const std::vector<double> y = values(x * 0.1), z = values(x.clone().mul_(0.1));
    bool differs = false;
    for (int i = 1; i < 200; ++i) {
      const auto at = static_cast<size_t>(i - 1);
      const double expected = f.round(static_cast<float>(i) * 0.1f);
      differs |= expected != f.round(i * f.round(0.1));
      EXPECT_EQ(y[at], expected) << name(f.dtype) << ' ' << i;
      EXPECT_EQ(z[at], expected) << name(f.dtype) << ' ' << i;
    }
    EXPECT_TRUE(differs);
  }
}

TEST(HalfOps, CompositesRoundOnce) {
  for (const Format &f : {half, bfloat}) {
    Draw::restart();
    const Tensor a = Draw::uniform({4, 8}, -2, 2, f.dtype), b = Draw::uniform({8, 3}, -2, 2, f.dtype),
                 c = Draw::uniform({3}, -2, 2, f.dtype), w = Draw::uniform({8}, -2, 2, f.dtype);
    const Tensor A = a.to(kFloat), B = b.to(kFloat), C = c.to(kFloat), W = w.to(kFloat);
    auto rounds = [&](const char *what, const Tensor &got, const Tensor &wide) {
      EXPECT_EQ(got.dtype(), f.dtype) << what;
      EXPECT_TRUE(equal(got, wide.to(f.dtype))) << what << ' ' << name(f.dtype);
    };
    rounds("matmul", matmul(a, b), matmul(A, B));
    rounds("linear", linear(a, b.t(), c), linear(A, B.t(), C));
    rounds("addmm", addmm(c, a, b, 0.3, 0.7), addmm(C, A, B, 0.3, 0.7));
    rounds("softmax", softmax(a, 1), softmax(A, 1));
    rounds("layer_norm", layer_norm(a, {8}, w, w), layer_norm(A, {8}, W, W));
    rounds("var", var(a, {1}), var(A, {1}));
    rounds("logsumexp", logsumexp(a, 1), logsumexp(A, 1));
    rounds("norm", norm(a), norm(A));
    rounds("sum", sum(a), sum(A));
    rounds("mean", mean(a, {0}), mean(A, {0}));
    rounds("mse_loss", mse_loss(a, w), mse_loss(A, W));
    rounds("add alpha", add(a, w, 0.3), add(A, W, 0.3));
    rounds("pow 3", pow(a, 3), pow(A, 3));
    rounds("div trunc", div(a, w, "trunc"), div(A, W, "trunc"));
    rounds("attention", scaled_dot_product_attention(a, a, a), scaled_dot_product_attention(A, A, A));
    rounds("max_pool2d", max_pool2d(a.reshape({1, 4, 8}), 2), max_pool2d(A.reshape({1, 4, 8}), 2));
  }
}

TEST(HalfOps, SumsAccumulateInF32) {
  EXPECT_EQ(sum(ones({4096}, kBFloat16)).item(), 4096); // 256 where it is done in bf16
  EXPECT_EQ(sum(ones({3, 5000}, kHalf), {1}).to(kFloat).amax().item(), 5000);
  EXPECT_EQ(scatter_add(zeros({1}, kBFloat16), 0, zeros({1000}, kLong), ones({1000}, kBFloat16)).item(), 1000);
}

TEST(HalfOps, RecordsAreTheF32OpRoundedOnce) {
  Draw::restart();
  for (const RangeRow &row : ranges)
    for (const Format &f : {half, bfloat})
      for (int64_t n : {1, 3, 17, 64, 1500}) {
        std::vector<Tensor> x = draw(row, {n}, f.dtype), wide;
        for (const Tensor &t : x) wide.push_back(t.dtype() == f.dtype ? t.to(kFloat) : t);
        const Tensor y = row.run(x.data()), single = row.run(wide.data());
        EXPECT_EQ(y.dtype(), single.dtype() == kFloat ? f.dtype : single.dtype()) << row.op;
        const std::vector<double> got = values(y), expected = values(single);
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_TRUE(same(got[i], isFloat(y.dtype()) ? f.round(expected[i]) : expected[i]))
              << row.op << ' ' << name(f.dtype) << " at " << i << " of " << n << ": " << got[i];
      }
}

TEST(HalfOps, StridedOperandsAndResults) {
  const Tensor x = arange(0, 24, kHalf).reshape({4, 6});
  EXPECT_VALUES(x.t().slice(0, 1, 6, 3) + x.slice(1, 0, 1).t(), 1, 13, 25, 37, 4, 16, 28, 40);
  Tensor y = x.clone();
  y.slice(1, 0, 6, 2).mul_(0.5);
  EXPECT_VALUES(y.slice(0, 0, 1), 0, 1, 1, 3, 2, 5);
}

TEST(HalfGradients, AreOfTheOperandsDtypeAndClose) {
  for (const Format &f : {half, bfloat}) {
    Draw::restart();
    for (const RangeRow &row : ranges) {
      if (!row.differentiable) continue;
      std::vector<Tensor> x = draw(row, {6}, f.dtype), wide;
      for (const Tensor &t : x) wide.push_back(t.dtype() == f.dtype ? t.to(kFloat) : t);
      for (auto *list : {&x, &wide})
        for (Tensor &t : *list)
          if (isFloat(t.dtype())) t.requires_grad_();
      sum(row.run(x.data())).backward();
      sum(row.run(wide.data())).backward();
      for (size_t i = 0; i < x.size(); ++i) {
        if (!isFloat(x[i].dtype())) continue;
        ASSERT_EQ(x[i].grad().dtype(), f.dtype) << row.op;
        const std::vector<double> got = values(x[i].grad()), expected = values(wide[i].grad());
        const double unit = std::ldexp(1, -f.mantissaBits);
        // Results saved for backward are rounded, and may be subtracted from 1.
        for (size_t k = 0; k < got.size(); ++k)
          EXPECT_NEAR(got[k], expected[k], 4 * unit * (1 + std::fabs(expected[k]))) << row.op << ' ' << name(f.dtype);
      }
    }
  }
}

TEST(HalfTraining, StateOfOptimizersIsF32) {
  for (DType type : {kHalf, kBFloat16}) {
    Tensor p = ones({4}, type).requires_grad_();
    optim::Adam adam({p}, optim::AdamOptions(1e-3));
    p.mutable_grad() = full({4}, 0.25, type);
    adam.step();
    // m = 0.1 * g, v = 0.001 * g * g: f32, however small.
    const auto state = adam.state_dict();
    for (const auto &item : state)
      if (item.held.numel() == 4) {
        EXPECT_EQ(item.held.dtype(), kFloat) << item.name;
      }
    EXPECT_EQ(p.dtype(), type);
    EXPECT_EQ(p.to(kFloat).amax().item(), (type == kHalf ? half : bfloat).round(1 - 1e-3));

    Tensor q = ones({4}, type).requires_grad_();
    optim::SGD sgd({q}, optim::SGDOptions(0.1).momentum(0.9));
    q.mutable_grad() = full({4}, 0.25, type);
    for (int i = 0; i < 3; ++i) sgd.step();
    EXPECT_EQ(q.dtype(), type);
  }
}

TEST(HalfTraining, ClippedGradients) {
  std::vector<Tensor> p{ones({2}, kHalf).requires_grad_()};
  p[0].mutable_grad() = full({2}, 300, kHalf); // the square is beyond f16
  const Tensor norm = nn::utils::clip_grad_norm_(p, 1);
  EXPECT_NEAR(norm.item(), 424.264, 1e-3);
  EXPECT_EQ(norm.dtype(), kFloat);
  EXPECT_NEAR(p[0].grad().to(kFloat).amax().item(), 0.70710678, 4e-4);
}

TEST(HalfTraining, AModuleOfHalves) {
  nn::Linear layer(8, 4);
  layer->to(kBFloat16);
  optim::SGD sgd(layer->parameters(), optim::SGDOptions(0.1));
  const Tensor x = ones({2, 8}, kBFloat16);
  const double before = layer(x).square().mean().item();
  for (int i = 0; i < 5; ++i) {
    sgd.zero_grad();
    layer(x).square().mean().backward();
    sgd.step();
  }
  EXPECT_LT(layer(x).square().mean().item(), before);
}

TEST(HalfRandom, HasAsManyBitsAsTheDtype) {
  manual_seed(0); // words 6627e8d5 e169c58d bc57ac4c
  EXPECT_VALUES(rand({3}, kHalf) * 2048, 0x6627e8d5u >> 21, 0xe169c58du >> 21, 0xbc57ac4cu >> 21);
  manual_seed(0);
  EXPECT_VALUES(rand({3}, kBFloat16) * 256, 0x66, 0xe1, 0xbc);
  manual_seed(0);
  const Tensor single = randn({5});
  manual_seed(0);
  EXPECT_TRUE(equal(randn({5}, kHalf), single.to(kHalf)));
}

TEST(HalfPrinting, ShowsEnoughDigits) {
  std::ostringstream os;
  os << tensor({0.1f, 1.f}).to(kHalf) << ' ' << tensor({0.1f}).to(kBFloat16) << ' ' << tensor({-7}, kInt16);
  EXPECT_EQ(os.str(), "[0.099976, 1] f16[2] [0.1001] bf16[1] [-7] i16[1]");
}

TEST(HalfMemory, BlobsAreReadInPlace) {
  uint16_t data[] = {0x3c00, 0xc000, 0x7c00};
  Tensor t = from_blob(data, {3}, kHalf);
  EXPECT_VALUES(t, 1, -2, INFINITY);
  t.slice(0, 0, 1).mul_(2);
  EXPECT_EQ(data[0], 0x4000);
}

TEST(Int16, ArithmeticWraps) {
  const Tensor x = tensor({32767, -32768, 300}, kInt16), y = tensor({1, -1, 300}, kInt16);
  EXPECT_VALUES(x + y, -32768, 32767, 600);
  EXPECT_VALUES(x * y, 32767, -32768, 24464);
  EXPECT_VALUES(abs(x), 32767, -32768, 300);
  EXPECT_VALUES(neg(x), -32767, -32768, -300);
  EXPECT_VALUES(floor_divide(x, y), 32767, -32768, 1);
  EXPECT_VALUES(floor_divide(x, zeros({3}, kInt16)), 0, 0, 0);
  EXPECT_VALUES(bitwise_left_shift(y, 15), -32768, -32768, 0);
  EXPECT_VALUES(bitwise_left_shift(y, 16), 0, 0, 0);
  EXPECT_VALUES(bitwise_right_shift(x, 20), 0, -1, 0);
  EXPECT_VALUES(pow(tensor({3, -2}, kInt16), tensor({11, 15}, kInt16)), -19461, -32768);
  EXPECT_EQ(sum(x).dtype(), kLong);
  EXPECT_EQ(sum(x).item<int64_t>(), 299);
  EXPECT_EQ(amax(x).item<int64_t>(), 32767);
  EXPECT_EQ(argmin(x).item<int64_t>(), 1);
  EXPECT_EQ((x / y).dtype(), kFloat);
}

TEST(Int16, Casts) {
  EXPECT_VALUES(tensor({1e6f, -1e6f, NAN, -2.9f}).to(kInt16), 32767, -32768, 0, -2);
  EXPECT_VALUES(tensor({65537, -32769}).to(kInt16), 1, 32767);
  EXPECT_VALUES(tensor({200}, kByte).to(kInt16), 200);
  EXPECT_VALUES(tensor({200}, kByte) + tensor({-100}, kInt8), 100);
}
