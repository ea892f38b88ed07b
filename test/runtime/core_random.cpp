// Known answers of the generator, and how much of it each function draws.
#include "Expect.h"

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
