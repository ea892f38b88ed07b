// Products of nothing and with NaN, and attention that sees nothing.
#include "Expected.h"

#include <cmath>

namespace device_suite {

namespace {

void withoutInnerElements(tj::Device d) {
  { const tj::Tensor dirty = tj::full({3, 2, 3}, nan, tj::TensorOptions().device(d)); }
  requireResults(
      d,
      {tj::empty({3, 2, 0}), tj::empty({3, 0, 3}), tj::empty({2, 0}), tj::empty({3, 0}), tj::tensor({1.0, 2.0, 3.0})},
      [](auto &t) {
        return Tensors{bmm(t[0], t[1]), linear(t[2], t[3], t[4])};
      },
      {tj::zeros({3, 2, 3}), tj::tensor({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}})});
}

void unusedSummand(tj::Device d) {
  const tj::Tensor a = tj::randn({5, 4}), b = tj::randn({4, 7});
  requireResults(
      d, {tj::full({5, 7}, nan), a, b}, [](auto &t) { return Tensors{addmm(t[0], t[1], t[2], 0, 1.5)}; },
      {1.5 * matmul(a, b)}, 1e-4);
}

/// Queries, keys and values whose scores are all 0: each query takes the mean of the values that it sees.
Tensors evenAttention() {
  return {tj::zeros({1, 1, 4, 2}), tj::randn({1, 1, 4, 2}), tj::arange(8).reshape({1, 1, 4, 2}).to(tj::kFloat)};
}

void rowThatSeesNothing(tj::Device d) {
  Tensors qkv = evenAttention();
  // The mask hides key 0, and query 0 may see no later one.
  qkv.push_back(tj::tensor({false, true, true, true}).reshape({1, 1, 1, 4}));
  requireResults(
      d, qkv,
      [](auto &t) {
        tj::Tensor q = t[0].detach().requires_grad_(), v = t[2].detach().requires_grad_();
        const tj::Tensor y = tj::scaled_dot_product_attention(q, t[1], v, t[3], 0, true);
        y.sum().backward();
        return Tensors{y, q.grad().slice(2, 0, 1), v.grad()};
      },
      {tj::tensor({0.0, 0.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0}).reshape({1, 1, 4, 2}), tj::zeros({1, 1, 1, 2}),
       tj::tensor({0.0, 0.0, 11.0 / 6, 11.0 / 6, 5.0 / 6, 5.0 / 6, 1.0 / 3, 1.0 / 3}).reshape({1, 1, 4, 2})},
      1e-5);
  requireResults(d, {tj::full({2, 3}, -inf)}, [](auto &t) { return Tensors{softmax(t[0], 1)}; },
                 {tj::full({2, 3}, nan)});
}

void lowScoresBesideMasked(tj::Device d) {
  requireResults(
      d,
      {tj::ones({1, 1, 1, 1}), tj::tensor({-60000.0, -60001.0, 5.0}).reshape({1, 1, 3, 1}),
       tj::eye(3).reshape({1, 1, 3, 3}), tj::tensor({true, true, false}).reshape({1, 1, 1, 3})},
      [](auto &t) { return Tensors{tj::scaled_dot_product_attention(t[0], t[1], t[2], t[3], 0, false, 0, 1.0)}; },
      {tj::tensor({0.7310586, 0.2689414, 0.0}).reshape({1, 1, 1, 3})}, 1e-6);
}

void maskedRowAmongOthers(tj::Device d) {
  Tensors qkv = {tj::randn({1, 1, 4, 2}), tj::randn({1, 1, 4, 2}), tj::randn({1, 1, 4, 2})};
  tj::Tensor expected = tj::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]).clone();
  expected.slice(2, 1, 2).fill_(0);
  tj::Tensor mask = tj::ones({4, 4}, tj::kBool);
  mask.slice(0, 1, 2).fill_(false);
  qkv.push_back(mask);
  requireResults(
      d, qkv, [](auto &t) { return Tensors{tj::scaled_dot_product_attention(t[0], t[1], t[2], t[3])}; }, {expected},
      1e-5);
}

} // namespace

const std::vector<Case> productCases = {
    {"MM-01 without inner elements", withoutInnerElements},
    {"MM-03 an unused summand", unusedSummand},
    {"AT-01 a row that sees nothing", rowThatSeesNothing},
    {"AT-03 low scores beside masked ones", lowScoresBesideMasked},
    {"AT-05 a masked row among others", maskedRowAmongOthers},
};

} // namespace device_suite
