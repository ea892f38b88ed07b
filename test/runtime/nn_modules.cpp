// Modules, layers, optimizers.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;
namespace F = tensorjit::nn::functional;

namespace {
struct Net : nn::Module {
  nn::Conv2d conv{nullptr};
  nn::Sequential head{nullptr};
  Tensor scale;
  Net() {
    conv = register_module("conv", nn::Conv2d(nn::Conv2dOptions(1, 2, 3).padding(1).bias(false)));
    head = register_module("head", nn::Sequential(nn::Flatten(), nn::Linear(32, 4), nn::ReLU(), nn::Linear(4, 3)));
    scale = register_parameter("scale", ones({1}));
    register_buffer("steps", zeros({}));
  }
  Tensor forward(const Tensor &x) { return head(conv(x)) * scale; }
};
} // namespace

TEST(Modules, ParametersHaveNamesAndOrder) {
  Net net;
  std::vector<std::string> names;
  for (auto &item : net.named_parameters()) names.push_back(item.key());
  EXPECT_EQ(names, (std::vector<std::string>{"scale", "conv.weight", "head.1.weight", "head.1.bias", "head.3.weight",
                                             "head.3.bias"}));
  EXPECT_EQ(net.parameters().size(), names.size());
  EXPECT_EQ(net.parameters(false).size(), 1u);
  EXPECT_EQ(net.buffers().size(), 1u);
  EXPECT_TRUE(net.parameters()[1].is_same(net.conv->weight));
}

TEST(Modules, NamesAreUnique) {
  Net net;
  errorOf<value_error>([&] { net.register_parameter("conv", ones({1})); });
  errorOf<value_error>([&] { net.register_buffer("a.b", ones({1})); });
  errorOf<value_error>([] {
    nn::Linear empty{nullptr};
    empty->weight.numel();
  });
}

TEST(Modules, DefaultInitialisationIsTorchs) {
  manual_seed(0);
  nn::Linear linear(100, 50);
  nn::Conv2d conv(4, 8, 5);
  for (auto &[t, fan] : {std::pair{linear->weight, 100.0}, {linear->bias, 100.0}, {conv->weight, 100.0}}) {
    double largest = 0;
    for (double v : values(t)) largest = std::max(largest, std::abs(v));
    EXPECT_LE(largest, 1 / std::sqrt(fan) + 1e-6);
    EXPECT_GT(largest, 0.7 / std::sqrt(fan));
  }
  EXPECT_TRUE(linear->weight.requires_grad());
}

TEST(Modules, CG_05_DropoutFollowsTheMode) {
  manual_seed(1);
  nn::Dropout dropout(0.5);
  const Tensor x = ones({1000});
  auto kept = [&] {
    int64_t twos = 0;
    for (double v : values(dropout(x))) {
      EXPECT_TRUE(v == 0 || v == 2 || !dropout->is_training());
      twos += v == 2;
    }
    return twos;
  };
  EXPECT_NEAR(static_cast<double>(kept()), 500, 80); // five standard deviations
  dropout->eval();
  const uint64_t offset = default_generator().offset();
  EXPECT_TRUE(dropout(x).is_same(x));
  EXPECT_EQ(default_generator().offset(), offset);
  dropout->train();
  EXPECT_NEAR(static_cast<double>(kept()), 500, 80);
}

TEST(Modules, RN_01_DropoutGradientUsesTheSameMask) {
  manual_seed(2);
  Tensor x = ones({4096}).requires_grad_();
  const Tensor y = F::dropout(x, F::DropoutFuncOptions().p(0.5));
  y.sum().backward();
  EXPECT_EQ(values(x.grad()), values(y));
}

TEST(Modules, ZeroGrad) {
  Net net;
  net.forward(ones({2, 1, 4, 4})).sum().backward();
  EXPECT_TRUE(net.scale.grad().defined());
  net.zero_grad(false);
  EXPECT_VALUES(net.scale.grad(), 0);
  net.zero_grad();
  EXPECT_FALSE(net.scale.grad().defined());
}

TEST(Modules, CastToAnotherDtype) {
  Net net;
  net.to(kDouble);
  EXPECT_EQ(net.conv->weight.dtype(), kDouble);
  EXPECT_EQ(net.forward(ones({1, 1, 4, 4}, kDouble)).dtype(), kDouble);
}

TEST(Losses, MeanSquaredError) {
  const Tensor x = tensor({1.f, 2.f}), y = tensor({0.f, 4.f});
  EXPECT_VALUES(F::mse_loss(x, y), 2.5);
  EXPECT_VALUES(F::mse_loss(x, y, F::MSELossFuncOptions(Reduction::Sum)), 5);
  EXPECT_VALUES(F::mse_loss(x, y, F::MSELossFuncOptions(Reduction::None)), 1, 4);
}

static void expectSteps(optim::SGDOptions options, int steps) {
  Tensor p = tensor({1.0, -2.0}, kDouble).requires_grad_();
  optim::SGD sgd({p}, options);
  double value[] = {1, -2}, buffer[2] = {};
  for (int t = 0; t < steps; ++t) {
    sgd.zero_grad();
    (p * p).sum().backward();
    sgd.step();
    for (int i = 0; i < 2; ++i) {
      const double g = 2 * value[i] + options.weight_decay() * value[i];
      buffer[i] = t == 0 ? g : options.momentum() * buffer[i] + (1 - options.dampening()) * g;
      const double d = options.nesterov()        ? g + options.momentum() * buffer[i]
                       : options.momentum() != 0 ? buffer[i]
                                                 : g;
      value[i] -= options.lr() * d;
    }
    expectClose(p, {value[0], value[1]}, 1e-12);
  }
}

TEST(SGD, FollowsItsFormula) {
  expectSteps(optim::SGDOptions(0.1), 3);
  expectSteps(optim::SGDOptions(0.1).weight_decay(0.5), 3);
  expectSteps(optim::SGDOptions(0.1).momentum(0.9), 4);
  expectSteps(optim::SGDOptions(0.1).momentum(0.9).dampening(0.3).weight_decay(0.1), 4);
  expectSteps(optim::SGDOptions(0.1).momentum(0.9).nesterov(true), 4);
}

TEST(SGD, ParameterKeepsItsIdentityAndSkipsWithoutGradient) {
  Tensor p = ones({2}).requires_grad_(), idle = ones({2}).requires_grad_();
  optim::SGD sgd({p, idle}, optim::SGDOptions(0.5).momentum(0.9));
  (p * 2).sum().backward();
  sgd.step();
  EXPECT_VALUES(p, 0, 0);
  EXPECT_VALUES(idle, 1, 1);
  EXPECT_TRUE(p.is_leaf() && p.requires_grad());
}

TEST(SGD, LearningRateMayChange) {
  Tensor p = ones({1}).requires_grad_();
  optim::SGD sgd({p}, 0.5);
  (p * 1).sum().backward();
  sgd.step();
  sgd.param_groups()[0].options().set_lr(0.25);
  sgd.step();
  EXPECT_VALUES(p, 0.25);
}

TEST(SGD, RefusesBadOptions) {
  Tensor p = ones({1}).requires_grad_();
  errorOf<value_error>([&] { optim::SGD({p}, optim::SGDOptions(-1)); });
  errorOf<value_error>([&] { optim::SGD({p}, optim::SGDOptions(1).nesterov(true)); });
  errorOf<value_error>([&] { optim::SGD(std::vector<Tensor>{}, optim::SGDOptions(1)); });
  errorOf<value_error>([&] { optim::SGD({p * 2}, optim::SGDOptions(1)); });
}

TEST(Training, SmallNetworkFitsItsData) {
  manual_seed(0);
  nn::Sequential net(nn::Linear(2, 16), nn::Tanh(), nn::Linear(16, 2));
  const Tensor x = tensor({{0.f, 0.f}, {0.f, 1.f}, {1.f, 0.f}, {1.f, 1.f}}), y = tensor({0, 1, 1, 0});
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.5).momentum(0.9));
  double loss = 0;
  for (int i = 0; i < 200; ++i) {
    const Tensor l = F::cross_entropy(net(x), y);
    sgd.zero_grad();
    l.backward();
    sgd.step();
    loss = l.item<double>();
  }
  EXPECT_LT(loss, 0.02);
  EXPECT_TRUE(equal(net(x).argmax(1), y));
}

TEST(Modules, WindowsOfOneToThreeDims) {
  manual_seed(3);
  const Tensor line = randn({2, 4, 9}), image = randn({2, 4, 8, 8}), volume = randn({1, 4, 4, 6, 6});
  nn::Conv1d conv1(nn::Conv1dOptions(4, 6, 3).stride(2).padding(1));
  nn::Conv2d same(nn::Conv2dOptions(4, 6, {4, 3}).padding(kSame));
  nn::Conv3d conv3(nn::Conv3dOptions(4, 2, {1, 2, 3}).groups(2));
  nn::ConvTranspose2d up(nn::ConvTranspose2dOptions(4, 6, 4).stride(2).padding(1).groups(2));
  EXPECT_EQ(conv1(line).sizes(), Shape({2, 6, 5}));
  EXPECT_TRUE(allclose(conv1(line), conv1d(line, conv1->weight, conv1->bias, 2, 1)));
  EXPECT_EQ(same(image).sizes(), Shape({2, 6, 8, 8}));
  EXPECT_EQ(conv3->weight.sizes(), Shape({2, 2, 1, 2, 3}));
  EXPECT_EQ(conv3(volume).sizes(), Shape({1, 2, 4, 5, 4}));
  EXPECT_EQ(up->weight.sizes(), Shape({4, 3, 4, 4}));
  EXPECT_EQ(up(image).sizes(), Shape({2, 6, 16, 16}));
  EXPECT_EQ(nn::MaxPool1d(2)(line).sizes(), Shape({2, 4, 4}));
  EXPECT_EQ(nn::AvgPool2d(nn::AvgPool2dOptions({2, 4}).stride(IntPair(2)))(image).sizes(), Shape({2, 4, 4, 3}));
  EXPECT_EQ(nn::MaxPool3d(nn::MaxPool3dOptions(Dims{1, 2, 2}))(volume).sizes(), Shape({1, 4, 4, 3, 3}));
  EXPECT_EQ(nn::AdaptiveAvgPool2d(1)(image).sizes(), Shape({2, 4, 1, 1}));
  EXPECT_EQ(nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({3, std::nullopt}))(image).sizes(), Shape({2, 4, 3, 8}));
  nn::InstanceNorm norm(nn::InstanceNormOptions(4).affine(true));
  EXPECT_TRUE(allclose(norm(image).mean({2, 3}), zeros({2, 4}), 1e-5, 1e-5));
  EXPECT_EQ(norm->parameters().size(), 2u);
  nn::Sequential net(nn::Conv2d(4, 8, 3), nn::AvgPool2d(2), nn::AdaptiveAvgPool2d(1), nn::Flatten());
  EXPECT_EQ(net(image).sizes(), Shape({2, 8}));
}

TEST(Functional, AttentionDropsWeights) {
  manual_seed(4);
  const Tensor q = randn({2, 8, 4}), k = randn({2, 16, 4}), ones16 = ones({2, 16, 1});
  EXPECT_TRUE(allclose(scaled_dot_product_attention(q, k, ones16, {}, 0.0), ones({2, 8, 1})));
  const auto sums = values(scaled_dot_product_attention(q, k, ones16, {}, 0.5));
  double mean = 0;
  for (double s : sums) mean += s / static_cast<double>(sums.size());
  EXPECT_NEAR(mean, 1, 0.4);
  EXPECT_NE(sums[0], 1);
  EXPECT_TRUE(equal(scaled_dot_product_attention(q, k, ones16, {}, 1.0), zeros({2, 8, 1})));
  errorOf<value_error>([&] { scaled_dot_product_attention(q, k, ones16, {}, 1.5); });
}

TEST(Functional, GeluByTanh) {
  const Tensor x = tensor({-3.f, -1.f, 0.f, 2.f});
  expectClose(gelu(x, "tanh"), {-0.00363739, -0.15880801, 0, 1.95459769}, 1e-6);
  expectClose(F::gelu(x, F::GELUFuncOptions().approximate("tanh")), values(gelu(x, "tanh")), 0);
  errorOf<value_error>([&] { gelu(x, "fast"); });
}
