// Views, indices, windows.
#include "Expected.h"

#include <cmath>

namespace device_suite {

namespace {

void reversedSliceIsWritten(tj::Device d) {
  requireResults(d, {tj::arange(6).to(tj::kFloat)},
                 [&](auto &t) {
                   tj::Tensor base = tj::zeros({6}, tj::TensorOptions().device(d));
                   base.slice(0, 5, -7, -1).copy_(2.0 * t[0].slice(0, 5, -7, -1));
                   return Tensors{base};
                 },
                 {tj::tensor({0.0, 2.0, 4.0, 6.0, 8.0, 10.0})});
}

void flippedColumns(tj::Device d) {
  requireResults(d, {(tj::arange(32768) + 1).reshape({2, 1024, 16})},
                 [](auto &t) {
                   const tj::Tensor y = sum(flip(t[0], {0}), {1});
                   return Tensors{y.slice(0, 0, 1).slice(1, 0, 2), y.slice(0, 1, 2).slice(1, 0, 4)};
                 },
                 {tj::tensor({{25158656, 25159680}}), tj::tensor({{8381440, 8382464, 8383488, 8384512}})});
}

void gradientOfSteps(tj::Device d) {
  requireResults(d, {tj::tensor({1.0, 2.0, 3.0}), tj::tensor({100.0, 101.0, 102.0})},
                 [&](auto &t) {
                   tj::Tensor z = tj::zeros({2, 3}, tj::TensorOptions().device(d)).requires_grad_();
                   ((z.slice(0, 0, 2, 2) * t[0]).sum() + (z.slice(0, 1, 2, 2) * t[1]).sum()).backward();
                   return Tensors{z.grad()};
                 },
                 {tj::tensor({{1.0, 2.0, 3.0}, {100.0, 101.0, 102.0}})});
}

void reductionsOfTwoLengths(tj::Device d) {
  requireResults(d, {tj::arange(4)},
                 [](auto &t) { return Tensors{amax(t[0].slice(0, 1, 4)) - amin(t[0].slice(0, 1, 3))}; },
                 {tj::tensor(2)});
}

void writeIntoExpanded(tj::Device d) {
  const tj::Tensor x = tj::arange(6).to(tj::kFloat) + 1.0, own = x.to(d);
  auto write = [](const tj::Tensor &t) {
    tj::Tensor y = t.expand({3, 6});
    y.slice(0, 0, 1).slice(1, 0, 1).fill_(0);
    return y;
  };
  auto compiled = tj::compile(write);
  thrownBy<tj::alias_error>([&] { write(own); });
  for (int call = 0; call < 2; ++call) thrownBy<tj::alias_error>([&] { compiled(own).cpu(); });
  requireSame(own.cpu(), x, "the tensor below");
}

void addAtNegativeIndex(tj::Device d) {
  const tj::Tensor target = tj::zeros({4, 3}).to(d), source = tj::ones({2, 3}).to(d);
  const tj::Tensor index = tj::tensor({0, -1}).to(d);
  auto add = [](tj::Tensor t, const tj::Tensor &i, const tj::Tensor &s) {
    t.index_add_(0, i, s);
    return t;
  };
  auto compiled = tj::compile(add);
  requireContains(thrownBy<tj::index_error>([&] { add(target, index, source).cpu(); }), "-1");
  requireContains(thrownBy<tj::index_error>([&] { compiled(target, index, source).cpu(); }), "-1");
  requireSame(target.cpu(), tj::zeros({4, 3}), "the target");
}

void poolingOfInfinities(tj::Device d) {
  requireResults(d, {tj::full({1, 1, 2, 2}, -inf)},
                 [](auto &t) {
                   tj::Tensor x = t[0].detach().requires_grad_();
                   auto [y, index] = tj::max_pool2d_with_indices(x, 2);
                   y.sum().backward();
                   return Tensors{y, index, x.grad()};
                 },
                 {tj::full({1, 1, 1, 1}, -inf), tj::zeros({1, 1, 1, 1}, tj::kInt64),
                  tj::tensor({1.0, 0.0, 0.0, 0.0}).reshape({1, 1, 2, 2})});
}

void windowOfPaddingAlone(tj::Device d) {
  requireThrows<tj::value_error>(d, {tj::ones({1, 1, 1, 1})},
                                 [](auto &t) { return Tensors{tj::max_pool2d(t[0], 3, tj::IntPair(3), 3)}; });
  requireThrows<tj::value_error>(d, {tj::ones({1, 1, 1, 1})},
                                 [](auto &t) { return Tensors{tj::avg_pool2d(t[0], 3, tj::IntPair(3), 3)}; });
}

void lastWindowInThePadding(tj::Device d) {
  requireResults(d, {tj::ones({1, 1, 5})}, [](auto &t) { return Tensors{tj::avg_pool1d(t[0], 2, 2, 1, true)}; },
                 {tj::tensor({0.5, 1.0, 1.0}).reshape({1, 1, 3})});
}

} // namespace

const std::vector<Case> shapeCases = {
    {"SH-01 a reversed slice is written", reversedSliceIsWritten},
    {"SH-03 flipped columns", flippedColumns},
    {"SH-05 the gradient of steps", gradientOfSteps},
    {"SH-07 reductions of two lengths", reductionsOfTwoLengths},
    {"SH-09 a write into an expanded tensor", writeIntoExpanded},
    {"SH-15 index_add at a negative index", addAtNegativeIndex},
    {"CP-01 a last window in the padding", lastWindowInThePadding},
    {"CP-05 pooling of infinities", poolingOfInfinities},
    {"CP-07 a window of padding alone", windowOfPaddingAlone},
};

} // namespace device_suite
