// Initialisers: ranges and deviations from the papers' formulas, worked out here.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;
namespace init = tensorjit::nn::init;

namespace {

struct Spread {
  double mean = 0, deviation = 0, most = 0;
  explicit Spread(const Tensor &t) {
    const auto v = values(t);
    for (double x : v) {
      mean += x / static_cast<double>(v.size());
      most = std::max(most, std::abs(x));
    }
    for (double x : v) deviation += (x - mean) * (x - mean) / static_cast<double>(v.size());
    deviation = std::sqrt(deviation);
  }
};

// 64 x 32 x 5 x 5: fan_in 800, fan_out 1600. The deviation of 51200 draws is within 2 % at more than 5 sigma.
void expectDeviation(const Tensor &t, double expected, bool uniform) {
  const Spread s(t);
  EXPECT_NEAR(s.deviation, expected, 0.02 * expected);
  EXPECT_NEAR(s.mean, 0, 0.03 * expected);
  if (uniform) {
    EXPECT_LE(s.most, expected * std::sqrt(3.0));
    EXPECT_GT(s.most, expected * std::sqrt(3.0) * 0.999);
  } else {
    EXPECT_GT(s.most, expected * 3);
  }
}

struct Init : testing::Test {
  Tensor w = empty({64, 32, 5, 5}).requires_grad_();
  void SetUp() override { manual_seed(0); }
};

} // namespace

TEST_F(Init, Kaiming) {
  expectDeviation(init::kaiming_uniform_(w), std::sqrt(2.0 / 800), true);
  expectDeviation(init::kaiming_normal_(w), std::sqrt(2.0 / 800), false);
  expectDeviation(init::kaiming_uniform_(w, 2), std::sqrt(2.0 / (5 * 800)), true);
  expectDeviation(init::kaiming_normal_(w, 0, init::FanMode::Out, init::Nonlinearity::Tanh), 5.0 / 3 / 40, false);
}

TEST_F(Init, Xavier) {
  expectDeviation(init::xavier_uniform_(w), std::sqrt(2.0 / 2400), true);
  expectDeviation(init::xavier_normal_(w, 3), 3 * std::sqrt(2.0 / 2400), false);
}

TEST_F(Init, ConstantsAndDistributions) {
  EXPECT_TRUE(equal(init::constant_(w, 0.25), full({64, 32, 5, 5}, 0.25)));
  EXPECT_TRUE(equal(init::ones_(w), ones({64, 32, 5, 5})));
  EXPECT_EQ(Spread(init::zeros_(w)).most, 0);
  expectDeviation(init::uniform_(w, -3, 3), std::sqrt(3.0), true);
  expectDeviation(init::normal_(w, 0, 2), 2, false);
}

TEST_F(Init, KeepsLeavesAndRefusesVectors) {
  EXPECT_TRUE(init::ones_(w).is_same(w) && w.is_leaf() && w.requires_grad());
  errorOf<shape_error>([] { init::xavier_normal_(ones({3})); });
  errorOf<shape_error>([] { init::kaiming_uniform_(ones({3})); });
}

TEST(Gain, IsTorchs) {
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::Linear), 1);
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::Tanh), 5.0 / 3);
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::ReLU), std::sqrt(2.0));
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::LeakyReLU, 1), 1);
  EXPECT_EQ(init::calculate_gain(init::Nonlinearity::SELU), 0.75);
}
