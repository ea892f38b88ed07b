// Known answers of the generator, and how much of it each function draws.
#include "Expect.h"

#include <algorithm>

using namespace tensorjit;
using namespace tensorjit::test;

TEST(Random, PhiloxKnownWords) {
  const uint32_t expected[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8,
                               0xf8e4cca4, 0x5cb200db, 0xb1a574eb, 0x097eff67};
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(philox(0, i / 4)[i % 4], expected[i]);
  EXPECT_EQ(philox(42, 0), (std::array<uint32_t, 4>{0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7}));
}

TEST(Random, RandKnownValues) {
  manual_seed(0);
  const Tensor x = rand({4});
  const float expected[] = {0.39904642f, 0.88052016f, 0.73571277f, 0.60548180f};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x.data_ptr<float>()[i], expected[i]);
}

TEST(Random, RandnKnownValues) {
  manual_seed(0);
  expectClose(randn({4}), {0.9911375, -0.9246628, -0.6176091, -0.4820683}, 1e-7);
}

TEST(Random, RandintKnownValues) {
  manual_seed(0);
  EXPECT_VALUES(randint(0, 10, {8}), 3, 8, 7, 6, 9, 3, 6, 0);
}

TEST(Random, RandintStaysInsideWideRanges) {
  manual_seed(3);
  for (double v : values(randint(INT64_MIN, INT64_MAX, {100}))) EXPECT_TRUE(std::abs(v) <= 0x1p63);
  EXPECT_NE(errorOf<value_error>([] { randint(3, 3, {1}); }).find("[3, 3)"), std::string::npos);
}

// Blocks drawn follow from the logical size alone: four words each, rounded up.
TEST(Random, OffsetMovesBySize) {
  auto blocks = [](auto draw) {
    manual_seed(1);
    draw();
    return default_generator().offset();
  };
  EXPECT_EQ(blocks([] { rand({5}); }), 2u);
  EXPECT_EQ(blocks([] { rand({5}, kDouble); }), 3u);
  EXPECT_EQ(blocks([] { randn({5}); }), 2u); // three whole pairs
  EXPECT_EQ(blocks([] { randn({3}, kDouble); }), 2u);
  EXPECT_EQ(blocks([] { randint(0, 7, {9}); }), 3u);
  EXPECT_EQ(blocks([] { rand({0}); }), 0u);
}

TEST(Random, ResultDoesNotDependOnThreads) {
  auto draw = [] {
    manual_seed(9);
    return values(randn({100000}));
  };
  set_num_threads(1);
  const auto one = draw();
  set_num_threads(2);
  EXPECT_EQ(draw(), one);
}

TEST(Random, UniformStaysInItsRange) {
  manual_seed(5);
  Tensor x = zeros({1000});
  x.uniform_(-2, 3);
  double sum = 0;
  for (double v : values(x)) {
    EXPECT_TRUE(v >= -2 && v <= 3);
    sum += v;
  }
  EXPECT_NEAR(sum / 1000, 0.5, 0.25); // five standard errors
}

TEST(Random, WordsAreTheGeneratorsInOrder) {
  manual_seed(42);
  default_generator().set_offset(0xFFFFFFFF); // the second block carries into the upper half of the counter
  const Tensor narrow = random_bits({7});
  default_generator().set_offset(0xFFFFFFFF);
  const Tensor wide = random_bits({3}, kLong);
  for (uint64_t i = 0; i < 7; ++i)
    EXPECT_EQ(static_cast<uint32_t>(narrow.data_ptr<int32_t>()[i]), philox(42, 0xFFFFFFFF + i / 4)[i % 4]) << i;
  for (uint64_t i = 0; i < 3; ++i) {
    const auto words = philox(42, 0xFFFFFFFF + i / 2);
    EXPECT_EQ(static_cast<uint64_t>(wide.data_ptr<int64_t>()[i]), words[i % 2 * 2] | uint64_t(words[i % 2 * 2 + 1])
                                                                                         << 32);
  }
  EXPECT_NE(errorOf<type_error>([] { random_bits({1}, kFloat); }).find("random_bits: i32 or i64 expected"),
            std::string::npos);
}

// Long runs are made by several threads in pieces of their own; a piece ends inside a block at most at the end.
TEST(Random, LongRunsAreTheShortOnesInOrder) {
  for (DType type : {kInt, kLong}) {
    manual_seed(6);
    const auto all = values(random_bits({9001}, type));
    manual_seed(6);
    std::vector<double> parts;
    for (int64_t n : {1000, 4000, 4001})
      for (double v : values(random_bits({n}, type))) parts.push_back(v);
    EXPECT_EQ(all, parts);
  }
}

TEST(Random, BernoulliFollowsItsProbabilities) {
  manual_seed(2);
  const Tensor p = tensor({0.f, 0.2f, 1.f}).expand({10000, 3}).contiguous();
  const auto mean = values(bernoulli(p).mean({0}));
  EXPECT_EQ(mean[0], 0);
  EXPECT_NEAR(mean[1], 0.2, 0.02); // five standard deviations
  EXPECT_EQ(mean[2], 1);
  Tensor flags = zeros({10000}, kBool);
  EXPECT_NEAR(values(flags.bernoulli_(0.7).to(kDouble).mean())[0], 0.7, 0.023);
  EXPECT_EQ(flags.dtype(), kBool);
  for (double wrong : {-0.1, 1.25, std::nan("")})
    EXPECT_NE(errorOf<value_error>([&] { flags.bernoulli_(wrong); }).find("p must be in [0, 1]"), std::string::npos);
}

TEST(Random, PermutationsHoldEachNumberOnce) {
  manual_seed(1);
  auto order = values(randperm(1000));
  EXPECT_EQ(default_generator().offset(), 500u);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<double>(i));
  EXPECT_EQ(randperm(0).numel(), 0);
  EXPECT_NE(errorOf<value_error>([] { randperm(-1); }).find("got -1"), std::string::npos);
}

// The error is found before anything is drawn.
TEST(Random, AFailedCallDrawsNothing) {
  manual_seed(1);
  errorOf<shape_error>([] { rand({-1}); });
  errorOf<type_error>([] { rand({3}, kLong); });
  errorOf<type_error>([] { randn({3}, kBool); });
  errorOf<value_error>([] { randint(3, 3, {2}); });
  EXPECT_EQ(default_generator().offset(), 0u);
}
