// Pointwise functions at the edges of numbers.
#include "Expected.h"

#include <cmath>
#include <limits>

namespace device_suite {

namespace {

void nanFromEitherSide(tj::Device d) {
  for (tj::DType type : {tj::kFloat, tj::kHalf}) {
    const tj::Tensor x = tj::tensor({-2.0, nan, 3.0}, type), y = tj::tensor({nan, 1.0, 0.0}, type);
    const tj::Tensor both = tj::tensor({nan, nan, 3.0}, type);
    requireAtLengths(d, {x, y},
                     [](auto &t) {
                       return Tensors{clamp_min(t[0], 0.5), maximum(t[0], t[1]), maximum(t[1], t[0]), relu(t[0])};
                     },
                     {tj::tensor({0.5, nan, 3.0}, type), both, both, tj::tensor({0.0, nan, 3.0}, type)});
  }
  requireAtLengths(d, {tj::tensor({-2, 3}, tj::kInt)}, [](auto &t) { return Tensors{clamp_min(t[0], 0.5)}; },
                   {tj::tensor({0.5, 3.0}, tj::kFloat)});
}

void minusZeroPlusZero(tj::Device d) {
  requireAtLengths(d, {tj::tensor({-0.5, -0.1, -0.9})}, [](auto &t) { return Tensors{1 / (ceil(t[0]) + 0.0)}; },
                   {tj::tensor({inf, inf, inf})});
}

void floorDivide(tj::Device d) {
  const std::vector<double> a{1, 0.5, 6, 1}, b{0.1, 0.1, 0.2, 1.0 / 3};
  for (tj::DType type : {tj::kDouble, tj::kFloat})
    requireAtLengths(d, {tj::tensor(a, type), tj::tensor(b, type)},
                     [](auto &t) { return Tensors{floor_divide(t[0], t[1])}; },
                     {tj::tensor({9.0, 4.0, 29.0, type == tj::kDouble ? 3.0 : 2.0}, type)});
}

/// Among the constants too, which are divided while compiling.
void smallestIntegerByMinusOne(tj::Device d) {
  auto check = [&](int64_t smallest, tj::DType type) {
    const tj::Tensor x = tj::tensor({smallest}, type), zero = tj::tensor({0}, type);
    requireAtLengths(d, {x, tj::tensor({-1}, type)},
                     [](auto &t) {
                       return Tensors{floor_divide(t[0], t[1]), remainder(t[0], t[1])};
                     },
                     {x, zero});
    requireResults(d, {},
                   [&](auto &) {
                     const tj::TensorOptions own = tj::TensorOptions(type).device(d);
                     const tj::Tensor a = tj::full({1}, smallest, own), b = tj::full({1}, -1, own);
                     return Tensors{floor_divide(a, b), remainder(a, b)};
                   },
                   {x, zero});
  };
  check(std::numeric_limits<int8_t>::min(), tj::kInt8);
  check(std::numeric_limits<int16_t>::min(), tj::kInt16);
  check(std::numeric_limits<int32_t>::min(), tj::kInt);
  check(std::numeric_limits<int64_t>::min(), tj::kInt64);
}

void integersByZero(tj::Device d) {
  const tj::Tensor n = tj::tensor<int64_t>({0, 1, -1, 100, 2147483647, -2147483648}, tj::kInt);
  requireAtLengths(d, {n, tj::zeros({6}, tj::kInt)},
                   [](auto &t) {
                     return Tensors{floor_divide(t[0], t[1]), remainder(t[0], t[1])};
                   },
                   {tj::zeros({6}, tj::kInt), n});
}

void negWrapsInItsOwnType(tj::Device d) {
  requireAtLengths(d, {tj::tensor(7, tj::kUInt8), tj::tensor({1.5, -0.25})},
                   [](auto &t) { return Tensors{neg(t[0]) + t[1]}; }, {tj::tensor({250.5, 248.75})});
}

void shiftsOutOfWidth(tj::Device d) {
  const tj::Tensor x = tj::tensor<int64_t>({-5, 5}), signs = tj::tensor<int64_t>({-1, 0});
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  for (int64_t amount : {63, 64, 65, -1})
    requireAtLengths(d, {x, tj::full({2}, amount, tj::kInt64)},
                     [&](auto &t) {
                       return Tensors{bitwise_right_shift(t[0], t[1]), bitwise_left_shift(t[0], t[1]),
                                      bitwise_right_shift(t[0], amount)};
                     },
                     {signs, amount == 63 ? tj::tensor({lowest, lowest}) : tj::zeros({2}, tj::kInt64), signs});
}

void shiftsOfNarrowTypes(tj::Device d) {
  for (tj::DType type : {tj::kUInt8, tj::kInt16})
    requireAtLengths(d, {tj::tensor({0, 1, 2, 127, 100, 65, 3, 64}, type)},
                     [](auto &t) {
                       return Tensors{bitwise_and(bitwise_right_shift(t[0], 63), 1) == 0,
                                      bitwise_and(bitwise_right_shift(t[0], 256), 1) == 0};
                     },
                     {tj::ones({8}, tj::kBool), tj::ones({8}, tj::kBool)});
}

void infinityToInteger(tj::Device d) {
  requireAtLengths(d, {tj::tensor({inf})}, [](auto &t) { return Tensors{nan_to_num(t[0], 0, 0x1p63).to(tj::kInt64)}; },
                   {tj::tensor({std::numeric_limits<int64_t>::max()})});
}

void foldedInfinityToInteger(tj::Device d) {
  requireResults(d, {},
                 [&](auto &) {
                   return Tensors{
                       log(tj::full({1}, 0.0, tj::TensorOptions(tj::kFloat).device(d))).sum({}, false, tj::kInt)};
                 },
                 {tj::tensor(std::numeric_limits<int32_t>::min(), tj::kInt)});
}

void powers(tj::Device d) {
  const std::vector<double> e{-3, -2, -0.5, -inf, -0.0, 0, 3, 2, 0.5, inf, nan};
  auto filled = [](double v) { return tj::full({11}, v); };
  const tj::Tensor ofZero = tj::tensor({inf, inf, inf, inf, 1., 1., 0., 0., 0., 0., nan}),
                   ofMinusZero = tj::tensor({-inf, inf, inf, inf, 1., 1., -0.0, 0., 0., 0., nan});
  for (tj::DType type : {tj::kFloat, tj::kDouble, tj::kHalf}) {
    auto in = [&](const tj::Tensor &t) { return t.to(type); };
    requireAtLengths(d, {in(filled(0.0)), in(filled(-0.0)), tj::tensor(e, type)},
                     [](auto &t) {
                       return Tensors{pow(t[0], t[2]), pow(t[1], t[2])};
                     },
                     {in(ofZero), in(ofMinusZero)});
    requireAtLengths(d, {tj::tensor({1.0, -2.0, -2.0}, type), tj::tensor({nan, 3.0, 0.5}, type)},
                     [](auto &t) { return Tensors{pow(t[0], t[1])}; }, {tj::tensor({1.0, -8.0, nan}, type)});
  }
}

/// Within 4 ulp, of which 2.4e-7 is less than two for every one of these numbers.
void functionsNearZero(tj::Device d) {
  requireAtLengths(
      d, {tj::tensor({1e-7, 1e-5, 1e-3}), tj::tensor({1e-8})},
      [](auto &t) {
        return Tensors{erf(t[0]), atanh(t[1])};
      },
      {tj::tensor({1.1283792e-7, 1.1283792e-5, 1.1283788e-3}), tj::tensor({1e-8})}, 2.4e-7);
}

void denormals(tj::Device d) {
  requireAtLengths(d, {tj::tensor({1.4e-45})}, [](auto &t) { return Tensors{t[0] * INFINITY}; }, {tj::tensor({inf})});
}

void nanInOneKernel(tj::Device d) {
  requireAtLengths(d, {tj::tensor({0.0})},
                   [](auto &t) {
                     const tj::Tensor q = t[0] / t[0];
                     return Tensors{isnan(q), where(isnan(q), 0.0, q)};
                   },
                   {tj::tensor({true}), tj::tensor({0.0})});
}

void noContraction(tj::Device d) {
  requireAtLengths(d, {tj::tensor({0.1}), tj::tensor({0.9})},
                   [](auto &t) {
                     const tj::Tensor c = t[0] * t[1] - t[1] * t[0];
                     return Tensors{c, c / c};
                   },
                   {tj::tensor({0.0}), tj::tensor({nan})});
}

} // namespace

const std::vector<Case> pointwiseCases = {
    {"PW-01 NaN from either side", nanFromEitherSide},
    {"PW-03 minus zero plus zero", minusZeroPlusZero},
    {"PW-05 floor_divide", floorDivide},
    {"PW-07 the smallest integer by -1", smallestIntegerByMinusOne},
    {"PW-09 integers by zero", integersByZero},
    {"PW-11 neg wraps in its own type", negWrapsInItsOwnType},
    {"PW-13 shifts out of width", shiftsOutOfWidth},
    {"PW-15 shifts of narrow types", shiftsOfNarrowTypes},
    {"PW-17 infinity to integer", infinityToInteger},
    {"PW-19 folded infinity to integer", foldedInfinityToInteger},
    {"PW-21 powers", powers},
    {"PW-23 functions near zero", functionsNearZero},
    {"PW-27 denormals", denormals},
    {"PW-29 NaN in one kernel", nanInOneKernel},
    {"PW-31 no contraction", noContraction},
};

} // namespace device_suite
