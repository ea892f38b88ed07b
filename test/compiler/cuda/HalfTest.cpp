// Products of f16 and bf16 on tensor cores: the bound of the contract, sum by sum.
#include "CudaRunner.h"
#include "HalfProducts.h"
#include "KernelRunner.h"
#include "TrainStep.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace tensorjit::cuda::test {

void PrintTo(const HalfProduct &p, std::ostream *os) {
  *os << p.type << " " << p.batch << "x" << p.m << "x" << p.n << "x" << p.k << " " << p.aAlongK << p.bAlongK;
}

namespace {

const llvm::fltSemantics &semantics(const std::string &type) {
  return type == "f16" ? APFloat::IEEEhalf() : APFloat::BFloat();
}
uint16_t toHalf(float value, const std::string &type) {
  APFloat number(value);
  bool lost;
  number.convert(semantics(type), APFloat::rmNearestTiesToEven, &lost);
  return static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
}
float fromHalf(uint16_t bits, const std::string &type) {
  return static_cast<float>(APFloat(semantics(type), APInt(16, bits)).convertToDouble());
}

template <class T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class HalfProducts : public testing::TestWithParam<HalfProduct> {};

TEST_P(HalfProducts, KeepTheBound) {
  const HalfProduct &p = GetParam();
  auto context = cpu::test::makeTestContext();
  auto module = cpu::test::parse(*context, p.nest());
  CudaLibrary library(kernelsOf(*module));
  bool onTensorCores = library.program().sources[0].find("multiplyMatrices<") != std::string::npos;
  EXPECT_EQ(onTensorCores, p.m > 1 && p.k > 0); // one row reads the other operand once

  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::vector<uint16_t> a(p.batch * p.m * p.k), b(p.batch * p.n * p.k);
  for (auto *matrix : {&a, &b})
    for (uint16_t &element : *matrix) element = toHalf(normal(random), p.type);
  size_t points = p.batch * p.m * p.n;
  auto results = library.run(0, {bytesOf(a), bytesOf(b)}, {points * 4, points * 2});
  auto sums = valuesOf<float>(results[0]);
  auto rounded = valuesOf<uint16_t>(results[1]);

  std::vector<float> wideA, wideB;
  for (uint16_t bits : a) wideA.push_back(fromHalf(bits, p.type));
  for (uint16_t bits : b) wideB.push_back(fromHalf(bits, p.type));
  for (int64_t g = 0; g < p.batch; ++g)
    for (int64_t m = 0; m < p.m; ++m)
      for (int64_t n = 0; n < p.n; ++n) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < p.k; ++k) {
          double product = double(wideA[g * p.m * p.k + (p.aAlongK ? m * p.k + k : k * p.m + m)]) *
                           wideB[g * p.n * p.k + (p.bAlongK ? n * p.k + k : k * p.n + n)];
          sum += product;
          magnitude += std::fabs(product);
        }
        size_t at = (g * p.m + m) * p.n + n;
        double bound = 2.0 * p.k * 0x1p-24 * magnitude + 0x1p-24 * std::fabs(sum);
        ASSERT_LE(std::fabs(sums[at] - sum), bound) << g << ", " << m << ", " << n;
        ASSERT_EQ(rounded[at], toHalf(sums[at], p.type)) << g << ", " << m << ", " << n;
      }
}

std::vector<HalfProduct> products() {
  std::vector<HalfProduct> all;
  for (const char *type : {"f16", "bf16"})
    for (bool a : {true, false})
      for (bool b : {true, false}) {
        all.push_back({type, 1, 40, 72, 88, a, b});  // whole vectors, not whole tiles
        all.push_back({type, 2, 13, 21, 35, a, b});  // neither
        all.push_back({type, 3, 136, 96, 16, a, b}); // half a step
      }
  // Each of the tiles.
  for (bool along : {true, false}) {
    all.push_back({"f16", 140, 128, 128, 32, along, !along});
    all.push_back({"bf16", 140, 128, 64, 40, along, along});
    all.push_back({"f16", 140, 64, 128, 40, along, along});
    all.push_back({"bf16", 140, 64, 64, 40, along, !along});
    all.push_back({"f16", 140, 64, 32, 40, along, along});
    all.push_back({"bf16", 140, 32, 64, 40, along, !along});
  }
  all.push_back({"f16", 1, 1, 8, 512});
  all.push_back({"bf16", 1, 3, 5, 0});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cuda, HalfProducts, testing::ValuesIn(products()));

} // namespace
} // namespace tensorjit::cuda::test
