// Random numbers in compiled functions: the numbers and the state of the generator are those of eager execution, call
// after call, from one executable.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tensorjit;
namespace F = nn::functional;

namespace {

using Tensors = std::vector<Tensor>;

bool identical(const Tensor &a, const Tensor &b) {
  const Tensor x = a.contiguous(), y = b.contiguous();
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         !std::memcmp(x.data_ptr(), y.data_ptr(), static_cast<size_t>(x.numel()) * itemSize(x.dtype()));
}

/// Several calls, compiled and eager, each going on where the one before left the generator.
void follow(const std::string &what, uint64_t seed, uint64_t offset, const std::function<Tensors()> &f) {
  auto start = [&] {
    manual_seed(seed);
    default_generator().set_offset(offset);
  };
  constexpr int calls = 4;
  std::vector<Tensors> expected;
  start();
  for (int i = 0; i < calls; ++i) expected.push_back(f());
  const uint64_t end = default_generator().offset();
  Options options;
  options.strict = true;
  auto compiled = compile([&] { return f(); }, options);
  start();
  for (int i = 0; i < calls; ++i) {
    const Tensors got = compiled();
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_TRUE(identical(got[k], expected[static_cast<size_t>(i)][k])) << what << ", call " << i << ", result " << k;
  }
  EXPECT_EQ(default_generator().offset(), end) << what;
  EXPECT_EQ(compiled.stats().compiles, 1) << what << ": " << compiled.explain();
  EXPECT_EQ(compiled.stats().eager_segments, 0) << what << ": " << compiled.explain();
}

} // namespace

TEST(CompiledRandom, DrawsWhatEagerDraws) {
  for (int64_t n : {1, 17, 1000, 70001})
    for (DType type : {kFloat, kDouble, kHalf, kBFloat16})
      follow(std::string("rand and randn ") + name(type) + " of " + std::to_string(n), 5, 0, [=] {
        return Tensors{rand({n}, type), randn({n}, type), zeros({n}, type).uniform_(-3, 2),
                       zeros({n}, type).normal_(1, 4)};
      });
  follow("integers", 1, 0, [] {
    return Tensors{random_bits({5, 7}), random_bits({5, 7}, kLong), randint(-5, 6, {33}),
                   randint(INT64_MIN, INT64_MAX, {33}), randint(0, 1 << 20, {2, 3}, kInt)};
  });
}

// The counter has 64 bits, and so has the seed: neither the sign nor a carry is lost.
TEST(CompiledRandom, LargeStates) {
  for (uint64_t seed : {uint64_t(1) << 63 | 12345, ~uint64_t(0)})
    for (uint64_t offset : {uint64_t(0xFFFFFFFE), uint64_t(1) << 31, ~uint64_t(0) - 5})
      follow("seed " + std::to_string(seed) + ", offset " + std::to_string(offset), seed, offset, [] {
        return Tensors{random_bits({37}), random_bits({37}, kLong), randn({37})};
      });
}

// The element's place in row-major order counts, whatever reads it.
TEST(CompiledRandom, FusedIntoReadersOfOtherOrders) {
  follow("transposed", 2, 0, [] {
    const Tensor u = rand({12, 20});
    return Tensors{u.t() + 1, u.slice(1, 3, 20, 4) * 2, u.sum({0}), u.amax({1}),
                   (rand({3, 4, 20}) + u.view({3, 4, 20})).permute({2, 0, 1})};
  });
}

TEST(CompiledRandom, Bernoulli) {
  const Tensor p = tensor({0.f, 0.25f, 0.5f, 1.f}).expand({100, 4}).contiguous();
  follow("bernoulli", 3, 0, [&] {
    return Tensors{bernoulli(p), zeros({40}).bernoulli_(0.3), zeros({40}, kBool).bernoulli_(),
                   zeros({9}, kLong).bernoulli_(1)};
  });
}

// A recorded draw can be saved for backward: mask and gradient agree, and so do compiled and eager.
TEST(CompiledRandom, DropoutInATrainingStep) {
  const Tensor x = rand({16, 24});
  Tensor w = (rand({24, 8}) - 0.5).requires_grad_();
  follow("dropout", 11, 3, [&] {
    w.mutable_grad() = Tensor();
    const Tensor hidden = F::dropout(x, F::DropoutFuncOptions().p(0.3));
    const Tensor y = F::dropout(tensorjit::relu(hidden * w.slice(1, 0, 1).t()), F::DropoutFuncOptions().p(0.5));
    y.amax({0}).sum().backward();
    return Tensors{y, w.grad()};
  });
}

// ones(8, 64, 4096), transposed: the mask of the gradient is that of the result, and neighbours differ.
TEST(CompiledRandom, RN_01_MaskOfALargeTransposedDropout) {
  manual_seed(4);
  Tensor x = ones({8, 4096, 64}).transpose(1, 2).contiguous().requires_grad_();
  auto step = compile([&](const Tensor &x) {
    const Tensor y = F::dropout(x, F::DropoutFuncOptions().p(0.5));
    y.sum().backward();
    return y;
  });
  for (int call = 0; call < 2; ++call) {
    x.mutable_grad() = Tensor();
    const Tensor y = step(x);
    EXPECT_TRUE(identical(x.grad(), y));
    const double kept = (y != 0).to(kDouble).mean().item();
    EXPECT_NEAR(kept, 0.5, 0.0017); // five standard deviations
    EXPECT_TRUE(((y == 0) | (y == 2)).all().item<int64_t>());
    const Tensor differ = y.slice(2, 1, 4096) != y.slice(2, 0, 4095);
    EXPECT_NEAR(differ.to(kDouble).mean().item(), 0.5, 0.0025);
  }
}

TEST(CompiledRandom, NormalsHaveTheMomentsOfNormals) {
  manual_seed(8);
  auto draw = compile([] { return randn({1 << 20}); });
  const Tensor z = draw().to(kDouble);
  const double n = 1 << 20, mean = z.mean().item(), second = (z * z).mean().item(),
               fourth = (z * z * z * z).mean().item();
  EXPECT_NEAR(mean, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(second, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96 / n));
  // Both of a pair come from one radius: their squares add up to it, and they are not correlated.
  const Tensor pairs = z.view({1 << 19, 2});
  EXPECT_NEAR((pairs.select(1, 0) * pairs.select(1, 1)).mean().item(), 0, 5 / std::sqrt(n / 2));
}

// The file would hold the state of the generator, and draw the same numbers in each call.
TEST(CompiledRandom, AFunctionThatDrawsIsNotSaved) {
  nn::Dropout dropout(0.5);
  auto f = compile([&](const Tensor &x) { return dropout(x) * 2.f; });
  const std::string path = testing::TempDir() + "draws.tj";
  const Tensor x = ones({8});
  try {
    f.save(path, x);
    ADD_FAILURE() << "saved";
  } catch (const not_supported &e) {
    EXPECT_NE(std::string(e.what()).find("draws random numbers"), std::string::npos) << e.what();
  }
  EXPECT_EQ(f(x).numel(), 8); // goes on as before
  dropout->eval();
  f.save(path, x);
  std::remove(path.c_str());
}

// On the CPU the elements of a nest make a block of words each; eager kernels share it among four.
TEST(CompiledRandom, NormalsAndBareBitsAreCalled) {
  const auto isCalled = [](const std::function<Tensor()> &f) {
    auto compiled = compile([&] { return Tensors{f()}; });
    compiled();
    return compiled.explain().find("shares each block of random words") != std::string::npos;
  };
  EXPECT_TRUE(isCalled([] { return randn({64}) * 2.0 + 1.0; }));
  EXPECT_TRUE(isCalled([] { return randn({64}, kDouble); }));
  EXPECT_TRUE(isCalled([] { return random_bits({64}); }));
  EXPECT_FALSE(isCalled([] { return rand({64}); })) << "fused with what makes floats of the bits, it is faster";
  EXPECT_FALSE(isCalled([] { return F::dropout(ones({64})); }));
}
