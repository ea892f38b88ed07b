// Derivatives at ties and zeros, of detached and updated tensors, and with numbers that change.
#include "Expected.h"

#include <cmath>

namespace device_suite {

namespace {

tj::Tensor leaf(const tj::Tensor &t) { return t.detach().clone().requires_grad_(); }

void ties(tj::Device d) {
  requireResults(d, {tj::tensor({1.0})},
                 [](auto &t) {
                   const tj::Tensor a = leaf(t[0]), b = leaf(t[0]);
                   maximum(a, b).sum().backward();
                   return Tensors{a.grad(), b.grad()};
                 },
                 {tj::tensor({0.5}), tj::tensor({0.5})});
}

void normAtZero(tj::Device d) {
  requireResults(
      d, {tj::zeros({3}), tj::tensor({{0.0, 0.0, 0.0}, {1.0, 2.0, 2.0}})},
      [](auto &t) {
        const tj::Tensor all = leaf(t[0]), rows = leaf(t[1]);
        norm(all).backward();
        norm(rows, 2, {1}).sum().backward();
        return Tensors{all.grad(), rows.grad()};
      },
      {tj::zeros({3}), tj::tensor({{0.0, 0.0, 0.0}, {1.0 / 3, 2.0 / 3, 2.0 / 3}})}, 1e-6);
}

void updateOfDetached(tj::Device d) {
  requireResults(d, {tj::ones({3})},
                 [](auto &t) {
                   const tj::Tensor in = leaf(t[0]);
                   tj::Tensor a = 2 * in;
                   const tj::Tensor detached = a.detach();
                   a *= 2;
                   a.sum().backward();
                   return Tensors{in.grad(), detached};
                 },
                 {tj::full({3}, 4.0), tj::full({3}, 4.0)});
}

void detachedInPlace(tj::Device d) {
  requireResults(d, {tj::ones({3})},
                 [](auto &t) {
                   const tj::Tensor x = leaf(t[0]);
                   tj::Tensor y = 2 * x;
                   y.detach_();
                   const tj::Tensor z = y + 1;
                   require(!y.requires_grad() && !z.requires_grad(), "a detached tensor requires grad");
                   return Tensors{z};
                 },
                 {tj::full({3}, 3.0)});
}

void secondDerivative(tj::Device d) {
  requireResults(d, {tj::tensor({2.0})},
                 [](auto &t) {
                   const tj::Tensor x = leaf(t[0]);
                   (x * x * x).sum().backward({}, true, true);
                   const tj::Tensor first = x.grad();
                   tj::Tensor &grad = const_cast<tj::Tensor &>(x).mutable_grad();
                   grad = {};
                   first.sum().backward();
                   return Tensors{first, x.grad()};
                 },
                 {tj::tensor({12.0}), tj::tensor({12.0})});
}

void ignoredTargets(tj::Device d) {
  auto loss = [&](std::initializer_list<int64_t> targets, tj::Reduction reduction, const tj::Tensor &value,
                  const tj::Tensor &grad) {
    requireResults(
        d, {tj::zeros({2, 3}), tj::tensor(targets)},
        [&](auto &t) {
          const tj::Tensor x = leaf(t[0]);
          const tj::Tensor l = tj::cross_entropy(x, t[1], {}, reduction, -100);
          l.sum().backward();
          return grad.defined() ? Tensors{l, x.grad()} : Tensors{l};
        },
        grad.defined() ? Tensors{value, grad} : Tensors{value}, 1e-6);
  };
  loss({1, -100}, tj::Reduction::Mean, tj::tensor(1.0986123), {});
  loss({-100, -100}, tj::Reduction::Mean, tj::tensor(NAN), {});
  loss({-100, -100}, tj::Reduction::None, tj::zeros({2}), tj::zeros({2, 3}));
}

void limitsThatChange(tj::Device d) {
  auto f = tj::compile([](const tj::Tensor &x, double limit) { return tj::clamp_max(x, limit); });
  auto check = [&](double value, double limit, double result, double slope) {
    const tj::Tensor x = leaf(tj::tensor({value}).to(d));
    const tj::Tensor y = f(x, limit);
    y.sum().backward();
    requireSame(y.detach().cpu(), tj::tensor({result}), "the value");
    requireSame(x.grad().cpu(), tj::tensor({slope}), "the gradient");
  };
  for (double limit : {0.5, 0.7, 1.0}) check(2.0, limit, limit, 0);
  check(0.9, 1.0, 0.9, 1);
}

} // namespace

const std::vector<Case> gradientCases = {
    {"TR-01 ties", ties},
    {"TR-05 norms at zero", normAtZero},
    {"TR-07 the update of a detached tensor", updateOfDetached},
    {"TR-09 detached in place", detachedInPlace},
    {"TR-11 second derivative", secondDerivative},
    {"TR-15 ignored targets", ignoredTargets},
    {"CG-01 limits that change", limitsThatChange},
};

} // namespace device_suite
