// Reductions, of nothing too, and normalisation.
#include "Expected.h"

#include <cmath>

namespace device_suite {

namespace {

void ofNothing(tj::Device d) {
  for (int correction : {0, 1}) {
    auto varAndMean = [=](const tj::Tensor &x, const tj::Dims &dims) {
      auto [var, mean] = var_mean(x, dims, correction);
      return Tensors{var, mean};
    };
    requireResults(d, {tj::empty({0})}, [&](auto &t) { return varAndMean(t[0], {}); },
                   {tj::tensor(nan), tj::tensor(nan)});
    requireResults(d, {tj::empty({0, 1})}, [&](auto &t) { return varAndMean(t[0], {0}); },
                   {tj::tensor({nan}), tj::tensor({nan})});
  }
  requireResults(d, {tj::empty({0})},
                 [](auto &t) {
                   return Tensors{sum(t[0]), prod(t[0]), mean(t[0])};
                 },
                 {tj::tensor(0.0), tj::tensor(1.0), tj::tensor(nan)});
}

void largestOfNothing(tj::Device d) {
  requireContains(
      requireThrows<tj::shape_error>(d, {tj::empty({2, 0, 4})}, [](auto &t) { return Tensors{amax(t[0])}; }), "amax");
  requireResults(d, {tj::empty({2, 0})}, [](auto &t) { return Tensors{amax(t[0], {0})}; }, {tj::empty({0})});
}

void firstOfTies(tj::Device d) {
  tj::Tensor many = tj::ones({1000});
  many.slice(0, 0, 1).fill_(2);
  for (const tj::Tensor &x : {tj::tensor({2.0, 1.0, 1.0, 1.0}), many})
    requireResults(d, {x},
                   [](auto &t) {
                     return Tensors{argmin(t[0]), argmin(reshape(t[0], {1, -1}), 1)};
                   },
                   {tj::tensor(1), tj::tensor({1})});
}

/// Also where the reduced values are a result too.
void choiceOfFusedRows(tj::Device d) {
  tj::Tensor m = tj::randn({5, 40});
  m.slice(0, 3, 4).slice(1, 17, 18).fill_(inf);
  m.slice(0, 3, 4).slice(1, 29, 30).fill_(inf);
  const tj::Tensor chosen = tj::tensor({0, 0, 0, 17, 0});
  requireResults(d, {m}, [](auto &t) { return Tensors{argmax(t[0] - t[0], 1)}; }, {chosen});
  requireResults(d, {m},
                 [](auto &t) {
                   const tj::Tensor z = t[0] - t[0];
                   return Tensors{argmax(z, 1), t[0]};
                 },
                 {chosen, m});
}

void maskedRows(tj::Device d) {
  requireResults(
      d, {tj::tensor({{1.0, 2.0}, {-inf, -inf}}), tj::tensor({{1000.0, 1000.0}})},
      [](auto &t) {
        return Tensors{logsumexp(t[0], {1}), logsumexp(t[1], {1})};
      },
      {tj::tensor({2.3132617, -inf}), tj::tensor({1000.6931472})}, 1e-6);
}

void softmaxOfEquals(tj::Device d) {
  for (int64_t n : {33, 1000, 4097}) {
    auto f = tj::compile([](const tj::Tensor &x) { return softmax(x, 0); });
    const tj::Tensor x = tj::ones({n}).to(d), expected = tj::full({n}, 1.0 / n);
    for (int run = 0; run < (d.is_cuda() ? 20 : 100); ++run) requireClose(f(x).cpu(), expected, "compiled", 1e-6, 0);
    requireClose(softmax(x, 0).cpu(), expected, "eager", 1e-6, 0);
  }
}

void layerNormOfLargeMeans(tj::Device d) {
  requireResults(
      d, {tj::tensor({40000.0, 40001.0, 40002.0, 40003.0})},
      [](auto &t) { return Tensors{layer_norm(t[0], {4}, {}, {}, 1e-5)}; },
      {tj::tensor({-1.3416354, -0.4472118, 0.4472118, 1.3416354})}, 1e-5);
}

void layerNormOfCloseValues(tj::Device d) {
  const double means[] = {0, 100, 1000, 10000}, first[] = {-1.34164, -1.34153, -1.34151, -1.33133};
  for (int i = 0; i < 4; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 16; ++k) values.push_back(means[i] + 0.001 * k);
    requireResults(
        d, {tj::tensor(values)}, [](auto &t) { return Tensors{layer_norm(t[0], {16}, {}, {}, 1e-5).slice(0, 0, 1)}; },
        {tj::tensor({first[i]})}, 1e-5);
  }
}

void batchNormOfOneValue(tj::Device d) {
  for (const tj::Shape &sizes : {tj::Shape{1, 3}, tj::Shape{1, 3, 1, 1}, tj::Shape{1, 3, 1, 4}}) {
    const bool one = sizes.numel() == 3;
    const tj::Tensor x = tj::arange(sizes.numel()).reshape(sizes).to(tj::kFloat);
    const Results train = [](auto &t) { return Tensors{std::get<0>(tj::batch_norm_train(t[0]))}; };
    if (one) requireContains(requireThrows<tj::shape_error>(d, {x}, train), "batch_norm");
    else
      for (const tj::Tensor &y : train(moved({x}, d))) require(y.isfinite().all().item() != 0, "not finite");
    requireResults(d, {x, tj::zeros({3}), tj::ones({3})},
                   [](auto &t) { return Tensors{tj::batch_norm(t[0], t[1], t[2], {}, {}, 0.0)}; }, {x});
  }
}

void normsOfConstants(tj::Device d) {
  const double expected = 0.999995;
  requireResults(
      d, {tj::ones({6, 10, 12}), tj::zeros({10}), tj::ones({10})},
      [](auto &t) {
        const tj::Tensor y = tj::batch_norm(t[0], t[1], t[2]);
        return Tensors{y, tj::group_norm(tj::elu(y), 10)};
      },
      {tj::full({6, 10, 12}, expected), tj::zeros({6, 10, 12})}, 1e-6);
}

} // namespace

const std::vector<Case> reductionCases = {
    {"RD-01 sums of nothing", ofNothing},
    {"RD-03 the largest of nothing", largestOfNothing},
    {"RD-05 the first of ties", firstOfTies},
    {"RD-07 the choice of fused rows", choiceOfFusedRows},
    {"RD-13 masked rows", maskedRows},
    {"RD-15 softmax of equals", softmaxOfEquals},
    {"NM-01 layer_norm of large means", layerNormOfLargeMeans},
    {"NM-03 layer_norm of close values", layerNormOfCloseValues},
    {"NM-05 batch_norm of one value", batchNormOfOneValue},
    {"NM-07 norms of constants", normsOfConstants},
};

} // namespace device_suite
