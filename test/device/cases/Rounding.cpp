// Dtypes of results, and values that are seen twice.
#include "Expected.h"

#include <cmath>

namespace device_suite {

namespace {

void hostNumberWithIntegers(tj::Device d) {
  requireAtLengths(d, {tj::tensor<int64_t>({3})}, [](auto &t) { return Tensors{t[0] * 2.0}; },
                   {tj::tensor({6.0}, tj::kFloat)});
}

void bothOperandsPromote(tj::Device d) {
  requireAtLengths(
      d, {tj::tensor({3.0}, tj::kHalf), tj::tensor({2.0}), tj::tensor<int64_t>({3}), tj::tensor({2.0}, tj::kBFloat16)},
      [](auto &t) {
        return Tensors{ldexp(t[0], t[1]), ldexp(t[2], t[3])};
      },
      {tj::tensor({12.0}), tj::tensor({12.0}, tj::kBFloat16)});
}

/// Each use of y sees the infinity that f16 rounds it to.
void overflowIsSeenByAll(tj::Device d) {
  requireResults(d, {tj::full({40}, 300.0, tj::kHalf)},
                 [](auto &t) {
                   const tj::Tensor y = t[0] * t[0];
                   return Tensors{y, y / t[0], isinf(y), where(isinf(y), 0.0, y)};
                 },
                 {tj::full({40}, inf, tj::kHalf), tj::full({40}, inf, tj::kHalf), tj::ones({40}, tj::kBool),
                  tj::zeros({40}, tj::kHalf)});
}

void theLargestIsAmongTheRounded(tj::Device d) {
  tj::manual_seed(7);
  requireResults(d, {tj::randn({33, 65}, tj::kBFloat16)},
                 [](auto &t) {
                   const tj::Tensor s = t[0] / std::sqrt(65.0);
                   return Tensors{(s == amax(s, {1}, true)).any({1})};
                 },
                 {tj::ones({33}, tj::kBool)});
}

/// Forward and backward are compiled apart; where the sides tie each of them gets half.
void gradientReachesOneSide(tj::Device d) {
  tj::manual_seed(3);
  const tj::Tensor start = tj::rand({1000}) * 4e-6 - 2e-6;
  auto chain = [](tj::Tensor v) {
    for (int i = 0; i < 12; ++i) v = tanh(v * 1.1) / 1.1 + 1e-8;
    return v;
  };
  auto forward = tj::compile([&](const tj::Tensor &x, const tj::Tensor &offset, const tj::Tensor &bound) {
    return maximum(chain(x) + offset, bound);
  });
  for (int call = 0; call < 3; ++call) {
    const tj::Tensor x = start.to(d);
    tj::Tensor offset = tj::zeros({1000}, tj::TensorOptions().device(d)).requires_grad_();
    tj::Tensor bound = tj::full({1000}, 1e-6, tj::TensorOptions().device(d)).requires_grad_();
    forward(x, offset, bound).sum().backward();
    requireSame((offset.grad() + bound.grad()).cpu(), tj::ones({1000}), "the sides' gradients");
  }
}

} // namespace

const std::vector<Case> roundingCases = {
    {"TY-01 host number with integers", hostNumberWithIntegers},
    {"TY-03 both operands promote", bothOperandsPromote},
    {"TY-05 overflow is seen by all", overflowIsSeenByAll},
    {"TY-07 the largest is among the rounded", theLargestIsAmongTheRounded},
    {"TY-09 a gradient reaches one side", gradientReachesOneSide},
};

} // namespace device_suite
