// What a CUDA kernel does beside computing: rounding step by step, index checks, groups, results in the memory of
// inputs, 64-bit positions.
#include "CudaRunner.h"
#include "KernelRunner.h"
#include "TrainStep.h"
#include "lower/Lower.h"
#include "tensor/TJ.h"

#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>

using namespace mlir;

namespace tensorjit::cuda::test {
namespace {

using cpu::test::makeTestContext;
using cpu::test::parse;

template <class T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(CudaKernel, RoundsAfterEachStep) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = kernel.nest "axpy" [parallel 1000]
      ins(%x at affine_map<(i) -> (i)> : tensor<1000xf32>, %y at affine_map<(i) -> (i)> : tensor<1000xf32>)
      outs(affine_map<(i) -> (i)> : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %b : f32
    %q = arith.divf %s, %a : f32
    kernel.yield %q : f32
  }
  return %r : tensor<1000xf32>
})");
  CudaLibrary library(kernelsOf(*module));
  std::vector<float> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i) {
    x[i] = 1.0f + float(i) / 977;
    y[i] = 3.0f - float(i) / 613;
  }
  auto z = valuesOf<float>(library.run(0, {bytesOf(x), bytesOf(y)}, {4000})[0]);
  for (int i = 0; i < 1000; ++i) {
    volatile float product = x[i] * y[i];
    ASSERT_EQ(z[i], (product + y[i]) / x[i]) << i;
  }
}

TEST(CudaKernel, KeepsTheFirstBadIndex) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%x: tensor<32x10xf32>, %t: tensor<32xi64>) -> (tensor<32xf32>, tensor<32xi64>) {
  %r:2 = kernel.nest "pick" [parallel 32, reduction 10]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<32x10xf32>, %t at affine_map<(i, j) -> (i)> : tensor<32xi64>)
      outs(affine_map<(i, j) -> (i)> : tensor<32xf32>, affine_map<(i, j) -> (i)> : tensor<32xi64>) {
  ^bb0(%a: f32, %class: i64):
    %row = kernel.index 0 : i64
    %c = kernel.check_index %class at %row in 10 check 3 : i64
    %j = kernel.index 1 : i64
    %here = arith.cmpi eq, %j, %c : i64
    %zero = arith.constant 0.0 : f32
    %own = arith.select %here, %a, %zero : f32
    %loss = kernel.reduce add %own : f32
    kernel.yield %loss, %c : f32, i64
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xi64>
})");
  CudaLibrary library(kernelsOf(*module));
  ASSERT_TRUE(library.program().kernels[0].checksIndex);
  std::vector<float> x(320);
  std::iota(x.begin(), x.end(), 1.0f);
  std::vector<int64_t> classes(32);
  for (int i = 0; i < 32; ++i) classes[i] = i * 7 % 10;
  DeviceErrorSlot slot;
  auto results = library.run(0, {bytesOf(x), bytesOf(classes)}, {128, 256}, &slot);
  EXPECT_FALSE(slot.error());
  auto picked = valuesOf<float>(results[0]);
  for (int i = 0; i < 32; ++i) ASSERT_EQ(picked[i], x[i * 10 + classes[i]]);
  classes[9] = -1;
  classes[5] = -123456789012345678;
  results = library.run(0, {bytesOf(x), bytesOf(classes)}, {128, 256}, &slot);
  auto error = slot.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->check, 3);
  EXPECT_EQ(error->position, 5); // whatever ran first
  EXPECT_EQ(error->value, classes[5]);
  EXPECT_EQ(valuesOf<int64_t>(results[1])[5], 0);
}

TEST(CudaKernel, RunsEveryNestOfAGroup) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<5000xf32>, %b: tensor<7x3xf32>, %c: tensor<0xf32>, %d: tensor<1xf32>)
    -> (tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<0xf32>, tensor<1xf32>) {
  %r:5 = kernel.group "g" (%a, %b, %c, %d : tensor<5000xf32>, tensor<7x3xf32>, tensor<0xf32>, tensor<1xf32>)
      -> (tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<0xf32>, tensor<1xf32>) {
  ^bb0(%x: tensor<5000xf32>, %y: tensor<7x3xf32>, %z: tensor<0xf32>, %w: tensor<1xf32>):
    %0 = kernel.nest "double" [parallel 5000] ins(%x at affine_map<(i) -> (i)> : tensor<5000xf32>)
        outs(affine_map<(i) -> (i)> : tensor<5000xf32>) {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      kernel.yield %s : f32
    }
    %1:2 = kernel.nest "rows" [parallel 7, reduction 3] ins(%y at affine_map<(i, j) -> (i, j)> : tensor<7x3xf32>)
        outs(affine_map<(i, j) -> (i)> : tensor<7xf32>, affine_map<(i, j) -> (i, j)> : tensor<7x3xf32>) {
    ^bb0(%v: f32):
      %m = kernel.reduce max %v : f32
      %s = arith.subf %v, %m : f32
      kernel.yield %m, %s : f32, f32
    }
    %2 = kernel.nest "none" [parallel 0] ins(%z at affine_map<(i) -> (i)> : tensor<0xf32>)
        outs(affine_map<(i) -> (i)> : tensor<0xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    %3 = kernel.nest "exp" [parallel 1] ins(%w at affine_map<(i) -> (i)> : tensor<1xf32>)
        outs(affine_map<(i) -> (i)> : tensor<1xf32>) {
    ^bb0(%v: f32):
      %s = arith.negf %v : f32
      kernel.yield %s : f32
    }
    kernel.yield %0, %1#0, %1#1, %2, %3 : tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<0xf32>, tensor<1xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<0xf32>, tensor<1xf32>
})");
  CudaLibrary library(kernelsOf(*module));
  std::vector<float> a(5000), b(21);
  std::iota(a.begin(), a.end(), 1.0f);
  std::iota(b.begin(), b.end(), 1.0f);
  auto results = library.run(0, {bytesOf(a), bytesOf(b), {}, bytesOf(std::vector<float>{4})}, {20000, 28, 84, 0, 4});
  auto doubled = valuesOf<float>(results[0]), maxima = valuesOf<float>(results[1]),
       shifted = valuesOf<float>(results[2]);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(doubled[i], 2 * a[i]);
  for (int i = 0; i < 7; ++i) ASSERT_EQ(maxima[i], i * 3 + 3.0f);
  for (int i = 0; i < 21; ++i) ASSERT_EQ(shifted[i], i % 3 - 2.0f);
  EXPECT_EQ(valuesOf<float>(results[4])[0], -4);
}

TEST(CudaKernel, RefusesAnOpWithoutCode) {
  auto context = makeTestContext();
  auto text = [](const std::string &op) {
    return "func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
           "  %0 = kernel.nest \"k\" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)\n"
           "      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {\n"
           "  ^bb0(%v: f32):\n"
           "    %d = math." +
           op + " %v : f32\n    kernel.yield %d : f32\n  }\n  return %0 : tensor<8xf32>\n}";
  };
  auto unknown = parse(*context, text("cbrt")), known = parse(*context, text("exp"));
  EXPECT_EQ(refusalOf(kernelsOf(*unknown)[0]), "no CUDA code for math.cbrt");
  EXPECT_EQ(refusalOf(kernelsOf(*known)[0]), std::nullopt);
}

TEST(CudaKernel, ARefusedOpIsCalledAndTheRestCompiled) {
  auto context = makeTestContext();
  context->getOrLoadDialect<tj::TJDialect>();
  auto module = parse(*context, R"(
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tj.neg %x : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tj.tanh %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tj.abs %1 : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
})");
  auto function = *module->getOps<func::FuncOp>().begin();
  lower(function, nullptr, [](Operation *kernel) {
    bool isTanh = cast<kernel::NestOp>(kernel).getSymName() == "tanh";
    return isTanh ? std::optional<std::string>("no tanh here") : std::nullopt;
  });
  std::vector<std::string> steps;
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto nest = dyn_cast<kernel::NestOp>(op);
    auto refusal = op.getAttrOfType<StringAttr>("tj.refusal");
    steps.push_back(nest ? nest.getSymName().str()
                         : (op.getName().getStringRef() + ": " + (refusal ? refusal.getValue() : "")).str());
  }
  EXPECT_EQ(steps, (std::vector<std::string>{"neg", "tj.tanh: no tanh here", "abs"}));
}

TEST(CudaKernel, EqualKernelsShareCode) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<8xf32>, %b: tensor<9xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<9xf32>) {
  %0 = kernel.nest "first" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32):
    %d = arith.negf %v : f32
    kernel.yield %d : f32
  }
  %1 = kernel.nest "second" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32):
    %d = arith.negf %v : f32
    kernel.yield %d : f32
  }
  %2 = kernel.nest "third" [parallel 9] ins(%b at affine_map<(i) -> (i)> : tensor<9xf32>)
      outs(affine_map<(i) -> (i)> : tensor<9xf32>) {
  ^bb0(%v: f32):
    %d = arith.negf %v : f32
    kernel.yield %d : f32
  }
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<9xf32>
})");
  CudaLibrary library(kernelsOf(*module));
  const auto &kernels = library.program().kernels;
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].name, "first_0");
  EXPECT_EQ(kernels[1].name, "first_0");
  EXPECT_EQ(kernels[2].name, "third_2");
  std::vector<float> x(9, 2);
  EXPECT_EQ(valuesOf<float>(library.run(2, {bytesOf(x)}, {36})[0]), std::vector<float>(9, -2));
}

TEST(CudaKernel, TransposesMeetAllBanks) {
  auto context = makeTestContext();
  // The pixels of images and the cells of windows.
  for (int64_t size : {49, 25, 9, 64}) {
    std::string text = std::regex_replace(R"(
func.func @f(%x: tensor<8xSx64xf32>) -> tensor<8x64xSxf32> {
  %r = kernel.nest "turn" [parallel 8, parallel 64, parallel S]
      ins(%x at affine_map<(n, c, p) -> (n, p, c)> : tensor<8xSx64xf32>)
      outs(affine_map<(n, c, p) -> (n, c, p)> : tensor<8x64xSxf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8x64xSxf32>
})",
                                          std::regex("S"), std::to_string(size));
    auto module = parse(*context, text);
    CudaLibrary library(kernelsOf(*module));
    std::vector<float> x(8 * 64 * size);
    std::iota(x.begin(), x.end(), 0.0f);
    reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudasimResetCounters"))();
    auto y = valuesOf<float>(library.run(0, {bytesOf(x)}, {x.size() * 4})[0]);
    for (size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[(i / (64 * size) * size + i % size) * 64 + i / size % 64]);
    auto read = reinterpret_cast<size_t (*)(char *, size_t)>(dlsym(RTLD_DEFAULT, "cudasimCounters"));
    std::string counters(read(nullptr, 0), 0);
    read(counters.data(), counters.size());
    EXPECT_NE(counters.find("\"bank_conflicts\": 0"), std::string::npos) << size << ": " << counters;
  }
}

TEST(CudaKernel, ASumOverNothingIsZero) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%x: tensor<5x0xf32>) -> tensor<5xf32> {
  %r = kernel.nest "k" [parallel 5, reduction 0] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<5x0xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<5xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<5xf32>
})");
  CudaLibrary library(kernelsOf(*module));
  EXPECT_EQ(valuesOf<float>(library.run(0, {Bytes()}, {20})[0]), std::vector<float>(5, 0));
}

TEST(CudaKernel, CountsIn64BitsWhereItMust) {
  auto context = makeTestContext();
  auto text = [](const char *size) {
    std::string nest = R"(
func.func @f(%x: tensor<SIZExi8>) -> tensor<SIZExi8> {
  %r = kernel.nest "k" [parallel SIZE] ins(%x at affine_map<(i) -> (i)> : tensor<SIZExi8>)
      outs(affine_map<(i) -> (i)> : tensor<SIZExi8>) {
  ^bb0(%a: i8):
    kernel.yield %a : i8
  }
  return %r : tensor<SIZExi8>
})";
    for (size_t at; (at = nest.find("SIZE")) != std::string::npos;) nest.replace(at, 4, size);
    return nest;
  };
  auto narrow = parse(*context, text("2147400000")), wide = parse(*context, text("2147483648"));
  EXPECT_NE(printProgram(kernelsOf(*narrow))->sources[0].find("const int item"), std::string::npos);
  EXPECT_NE(printProgram(kernelsOf(*wide))->sources[0].find("const long long item"), std::string::npos);
}

} // namespace
} // namespace tensorjit::cuda::test
