#include "NestCases.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;

namespace tensorjit::cpu::test {

void randomise(TensorData &tensor, std::mt19937 &random, bool specials) {
  Type type = tensor.type.getElementType();
  for (Number &number : tensor.elements) {
    if (auto width = dyn_cast<IntegerType>(type)) {
      number.integer = width.getWidth() == 1 ? random() % 2 : int64_t(random() % 11) - 5;
      continue;
    }
    number.real = static_cast<float>(int64_t(random() % 2001) - 1000) / 512;
    if (!specials) continue;
    static const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 0.0};
    if (random() % 16 == 0) number.real = values[random() % 5];
  }
}

std::vector<TensorData> tensorsOf(TypeRange types) {
  std::vector<TensorData> tensors;
  for (Type type : types) tensors.emplace_back(cast<RankedTensorType>(type));
  return tensors;
}

void expectClose(const TensorData &wanted, const TensorData &got, double tolerance, const std::string &what) {
  double scale = 1;
  for (const Number &number : wanted.elements)
    if (std::isfinite(number.real)) scale = std::max(scale, std::fabs(number.real));
  for (size_t i = 0; i < wanted.elements.size(); ++i) {
    const Number &a = wanted.elements[i], &b = got.elements[i];
    if (std::isnan(a.real) && std::isnan(b.real)) continue;
    bool same =
        a.integer == b.integer && (tolerance ? a.real == b.real || std::fabs(a.real - b.real) <= tolerance * scale
                                             : a.real == b.real && std::signbit(a.real) == std::signbit(b.real));
    ASSERT_TRUE(same) << what << "\nelement " << i << ": wanted " << a.real << "/" << a.integer << ", got " << b.real
                      << "/" << b.integer;
  }
}

static const std::vector<Sizes> planes{{7, 33, 5, 3},   {1, 16, 2, 1}, {3, 1, 17, 2}, {64, 64, 1, 1},
                                       {2, 100, 13, 4}, {0, 5, 3, 2},  {5, 0, 2, 2},  {37, 8, 31, 1}};

static const std::vector<NestCase> cases{
    {"index_quotients", R"(
func.func @f(%a: tensor<AxBxi64>) -> (tensor<AxBxi64>, tensor<AxBxi64>) {
  %r:2 = kernel.nest "k" [parallel A, parallel B] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxi64>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxi64>, affine_map<(i, j) -> (i, j)> : tensor<AxBxi64>) {
  ^bb0(%x: i64):
    %j = kernel.index 1 : i64
    %seven = arith.constant 7 : i64
    %three = arith.constant 3 : i64
    %at = arith.subi %j, %seven : i64
    %down = arith.floordivsi %at, %three : i64
    %up = arith.ceildivsi %at, %three : i64
    %0 = arith.addi %down, %x : i64
    %1 = arith.subi %up, %x : i64
    kernel.yield %0, %1 : i64, i64
  }
  return %r#0, %r#1 : tensor<AxBxi64>, tensor<AxBxi64>
})",
     planes},
    {"add_broadcast", R"(
func.func @f(%a: tensor<AxBxf32>, %b: tensor<Bxf32>, %c: tensor<f32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>, %b at affine_map<(i, j) -> (j)> : tensor<Bxf32>,
        %c at affine_map<(i, j) -> ()> : tensor<f32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %y : f32
    %1 = arith.mulf %0, %z : f32
    %zero = arith.constant 0.0 : f32
    %lt = arith.cmpf olt, %1, %zero : f32
    %s = arith.select %lt, %zero, %1 : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxBxf32>
})",
     planes, 0, true},
    {"flat",
     R"(
func.func @f(%a: tensor<AxBxCxf32>, %b: tensor<AxBxCxf32>) -> tensor<AxBxCxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, parallel C]
    ins(%a at affine_map<(i, j, k) -> (i, j, k)> : tensor<AxBxCxf32>, %b at affine_map<(i, j, k) -> (i, j, k)> : tensor<AxBxCxf32>)
    outs(affine_map<(i, j, k) -> (i, j, k)> : tensor<AxBxCxf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.maximumf %x, %y : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<AxBxCxf32>
})",
     {{7, 33, 5, 1}, {31, 37, 41, 1}, {1, 1, 1, 1}, {64, 128, 2, 1}},
     0,
     true},
    {"transpose", R"(
func.func @f(%a: tensor<BxAxf32>, %b: tensor<AxBxi32>) -> (tensor<AxBxf32>, tensor<BxAxi32>) {
  %r:2 = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (j, i)> : tensor<BxAxf32>, %b at affine_map<(i, j) -> (i, j)> : tensor<AxBxi32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>, affine_map<(i, j) -> (j, i)> : tensor<BxAxi32>) {
  ^bb0(%x: f32, %y: i32):
    %0 = arith.negf %x : f32
    kernel.yield %0, %y : f32, i32
  }
  return %r#0, %r#1 : tensor<AxBxf32>, tensor<BxAxi32>
})",
     planes},
    {"pad_shift", R"(
func.func @f(%a: tensor<AxBxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%a pad 2.5 : f32 at affine_map<(i, j) -> (i - 1, j + 2)> : tensor<AxBxf32>,
        %a pad 0.5 : f32 at affine_map<(i, j) -> (i + 3, j * 2 - 3)> : tensor<AxBxf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.subf %x, %y : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<AxBxf32>
})",
     planes},
    {"unpool",
     R"(
func.func @f(%g: tensor<AxCxBxf32>, %i: tensor<AxCxBxi64>) -> tensor<AxDxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel D, parallel B]
    ins(%g at affine_map<(n, h, c) -> (n, h floordiv 2, c)> : tensor<AxCxBxf32>,
        %i at affine_map<(n, h, c) -> (n, h floordiv 2, c)> : tensor<AxCxBxi64>)
    outs(affine_map<(n, h, c) -> (n, h, c)> : tensor<AxDxBxf32>) {
  ^bb0(%x: f32, %at: i64):
    %h = kernel.index 1 : i64
    %b = kernel.index 2 : i64
    %eq = arith.cmpi eq, %at, %h : i64
    %zero = arith.constant 0.0 : f32
    %0 = arith.select %eq, %x, %zero : f32
    %2 = arith.sitofp %b : i64 to f32
    %3 = arith.addf %0, %2 : f32
    kernel.yield %3 : f32
  }
  return %r : tensor<AxDxBxf32>
})",
     {{3, 33, 5, 10}, {2, 1, 4, 7}, {1, 64, 3, 6}, {2, 3, 20, 39}}},
    {"mixed_types", R"(
func.func @f(%a: tensor<AxBxi8>, %b: tensor<AxBxi1>, %c: tensor<AxBxi64>, %d: tensor<AxBxf64>) -> (tensor<AxBxi64>, tensor<AxBxi1>, tensor<AxBxf64>, tensor<AxBxi8>) {
  %r:4 = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxi8>, %b at affine_map<(i, j) -> (i, j)> : tensor<AxBxi1>,
        %c at affine_map<(i, j) -> (i, j)> : tensor<AxBxi64>, %d at affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxi64>, affine_map<(i, j) -> (i, j)> : tensor<AxBxi1>,
         affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>, affine_map<(i, j) -> (i, j)> : tensor<AxBxi8>) {
  ^bb0(%x: i8, %y: i1, %z: i64, %w: f64):
    %0 = arith.extsi %x : i8 to i64
    %1 = arith.addi %0, %z : i64
    %2 = arith.cmpi slt, %1, %z : i64
    %3 = arith.xori %2, %y : i1
    %4 = arith.sitofp %z : i64 to f64
    %5 = arith.select %y, %4, %w : f64
    %6 = arith.muli %x, %x : i8
    kernel.yield %1, %3, %5, %6 : i64, i1, f64, i8
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<AxBxi64>, tensor<AxBxi1>, tensor<AxBxf64>, tensor<AxBxi8>
})",
     planes, 0, true},
    {"libm_f64",
     R"(
func.func @f(%a: tensor<AxBxf64>) -> tensor<AxBxf64> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>) outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>) {
  ^bb0(%x: f64):
    %0 = math.exp %x : f64
    %1 = math.erf %0 : f64
    %2 = math.tanh %1 : f64
    kernel.yield %2 : f64
  }
  return %r : tensor<AxBxf64>
})",
     {{7, 33, 1, 1}, {1, 1, 1, 1}},
     0,
     true},
    {"softmax",
     R"(
func.func @f(%a: tensor<AxBxf32>) -> (tensor<AxBxf32>, tensor<Axf32>) {
  %r:2 = kernel.nest "k" [parallel A, reduction B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>, affine_map<(i, j) -> (i)> : tensor<Axf32>) {
  ^bb0(%x: f32):
    %m = kernel.reduce max %x : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %s = kernel.reduce add %e : f32
    %y = arith.divf %e, %s : f32
    %l = math.log %s : f32
    %n = arith.addf %l, %m : f32
    kernel.yield %y, %n : f32, f32
  }
  return %r#0, %r#1 : tensor<AxBxf32>, tensor<Axf32>
})",
     {{7, 33, 1, 1}, {5, 10, 1, 1}, {2, 1, 1, 1}, {3, 64, 1, 1}, {4, 1000, 1, 1}, {1, 17, 1, 1}, {2, 40000, 1, 1}},
     1e-5},
    {"variance",
     R"(
func.func @f(%a: tensor<AxBxf32>, %g: tensor<Bxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, reduction B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>, %g at affine_map<(i, j) -> (j)> : tensor<Bxf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %w: f32):
    %s = kernel.reduce add %x : f32
    %inv = arith.constant 0.01 : f32
    %mean = arith.mulf %s, %inv : f32
    %d = arith.subf %x, %mean : f32
    %q = arith.mulf %d, %d : f32
    %v = kernel.reduce add %q : f32
    %y = arith.divf %d, %v : f32
    %z = arith.mulf %y, %w : f32
    kernel.yield %z : f32
  }
  return %r : tensor<AxBxf32>
})",
     {{7, 33, 1, 1}, {2, 100, 1, 1}, {1, 4097, 1, 1}, {1, 20000, 1, 1}},
     1e-5},
    {"column_sum",
     R"(
func.func @f(%a: tensor<AxCxBxf32>) -> (tensor<Bxf32>, tensor<Bxf32>) {
  %r:2 = kernel.nest "k" [reduction A, reduction C, parallel B]
    ins(%a at affine_map<(i, k, j) -> (i, k, j)> : tensor<AxCxBxf32>)
    outs(affine_map<(i, k, j) -> (j)> : tensor<Bxf32>, affine_map<(i, k, j) -> (j)> : tensor<Bxf32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    %m = kernel.reduce max %x : f32
    kernel.yield %s, %m : f32, f32
  }
  return %r#0, %r#1 : tensor<Bxf32>, tensor<Bxf32>
})",
     {{7, 33, 5, 1}, {300, 64, 3, 1}, {1, 1, 1, 1}, {13, 130, 2, 1}, {40, 16, 1, 1}, {1, 3, 7, 1}},
     1e-5},
    {"sum_over_ends",
     R"(
func.func @f(%a: tensor<AxBxCxf32>) -> tensor<Bxf32> {
  %r = kernel.nest "k" [reduction A, parallel B, reduction C]
    ins(%a at affine_map<(i, j, k) -> (i, j, k)> : tensor<AxBxCxf32>) outs(affine_map<(i, j, k) -> (j)> : tensor<Bxf32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    kernel.yield %s : f32
  }
  return %r : tensor<Bxf32>
})",
     {{7, 3, 50, 1}, {150, 2, 196, 1}, {3, 20, 2, 1}, {0, 3, 4, 1}, {2, 3, 0, 1}},
     1e-5},
    {"sum_all",
     R"(
func.func @f(%a: tensor<AxBxf32>) -> tensor<f32> {
  %r = kernel.nest "k" [reduction A, reduction B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) outs(affine_map<(i, j) -> ()> : tensor<f32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    kernel.yield %s : f32
  }
  return %r : tensor<f32>
})",
     {{7, 33, 1, 1}, {1, 1, 1, 1}, {100, 300, 1, 1}, {0, 3, 1, 1}},
     1e-5},
    {"argmax",
     R"(
func.func @f(%a: tensor<AxBxf32>) -> (tensor<Axf32>, tensor<Axi64>, tensor<Axi64>) {
  %r:3 = kernel.nest "k" [parallel A, reduction B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>)
    outs(affine_map<(i, j) -> (i)> : tensor<Axf32>, affine_map<(i, j) -> (i)> : tensor<Axi64>, affine_map<(i, j) -> (i)> : tensor<Axi64>) {
  ^bb0(%x: f32):
    %j = kernel.index 1 : i64
    %v, %at = kernel.arg_reduce max %x, %j : f32
    %w, %bt = kernel.arg_reduce min %x, %j : f32
    kernel.yield %v, %at, %bt : f32, i64, i64
  }
  return %r#0, %r#1, %r#2 : tensor<Axf32>, tensor<Axi64>, tensor<Axi64>
})",
     {{7, 33, 1, 1}, {9, 10, 1, 1}, {3, 1, 1, 1}, {5, 300, 1, 1}},
     0,
     true},
    {"max_pool",
     R"(
func.func @f(%a: tensor<AxDxBxf32>) -> (tensor<AxCxBxf32>, tensor<AxCxBxi64>) {
  %r:2 = kernel.nest "k" [parallel A, parallel C, parallel B, reduction 2]
    ins(%a at affine_map<(n, h, c, k) -> (n, h * 2 + k, c)> : tensor<AxDxBxf32>)
    outs(affine_map<(n, h, c, k) -> (n, h, c)> : tensor<AxCxBxf32>, affine_map<(n, h, c, k) -> (n, h, c)> : tensor<AxCxBxi64>) {
  ^bb0(%x: f32):
    %h = kernel.index 1 : i64
    %k = kernel.index 3 : i64
    %h2 = arith.addi %h, %h : i64
    %p = arith.addi %h2, %k : i64
    %v, %at = kernel.arg_reduce max %x, %p : f32
    kernel.yield %v, %at : f32, i64
  }
  return %r#0, %r#1 : tensor<AxCxBxf32>, tensor<AxCxBxi64>
})",
     {{3, 33, 5, 10}, {2, 1, 4, 8}, {1, 64, 3, 6}, {2, 3, 20, 41}},
     0,
     true},
    {"logical",
     R"(
func.func @f(%a: tensor<AxBxi1>, %b: tensor<AxBxi32>) -> (tensor<Axi1>, tensor<Axi1>, tensor<Axi32>, tensor<Bxi32>) {
  %r:3 = kernel.nest "k" [parallel A, reduction B]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<AxBxi1>, %b at affine_map<(i, j) -> (i, j)> : tensor<AxBxi32>)
    outs(affine_map<(i, j) -> (i)> : tensor<Axi1>, affine_map<(i, j) -> (i)> : tensor<Axi1>, affine_map<(i, j) -> (i)> : tensor<Axi32>) {
  ^bb0(%x: i1, %y: i32):
    %0 = kernel.reduce and %x : i1
    %1 = kernel.reduce or %x : i1
    %2 = kernel.reduce min %y : i32
    kernel.yield %0, %1, %2 : i1, i1, i32
  }
  %z = arith.constant dense<0> : tensor<Bxi32>
  return %r#0, %r#1, %r#2, %z : tensor<Axi1>, tensor<Axi1>, tensor<Axi32>, tensor<Bxi32>
})",
     {{7, 33, 1, 1}, {20, 2, 1, 1}, {3, 1, 1, 1}}},
    {"matmul",
     R"(
func.func @f(%a: tensor<AxCxf32>, %b: tensor<CxBxf32>, %bias: tensor<Bxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, reduction C]
    ins(%a at affine_map<(m, n, k) -> (m, k)> : tensor<AxCxf32>, %b at affine_map<(m, n, k) -> (k, n)> : tensor<CxBxf32>,
        %bias at affine_map<(m, n, k) -> (n)> : tensor<Bxf32>)
    outs(affine_map<(m, n, k) -> (m, n)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    %t = arith.addf %s, %z : f32
    kernel.yield %t : f32
  }
  return %r : tensor<AxBxf32>
})",
     {{13, 70, 33, 1},
      {6, 64, 40, 1},
      {7, 10, 5, 1},
      {9, 20, 1, 1},
      {1, 20, 9, 1},
      {20, 1, 9, 1},
      {128, 48, 3, 1},
      {3, 17, 0, 1},
      {12, 130, 64, 1}},
     1e-5},
    {"matmul_transposed_a",
     R"(
func.func @f(%a: tensor<CxAxf64>, %b: tensor<CxBxf64>) -> (tensor<AxBxf64>, tensor<AxBxi1>) {
  %r:2 = kernel.nest "k" [parallel A, reduction C, parallel B]
    ins(%b at affine_map<(m, k, n) -> (k, n)> : tensor<CxBxf64>, %a at affine_map<(m, k, n) -> (k, m)> : tensor<CxAxf64>)
    outs(affine_map<(m, k, n) -> (m, n)> : tensor<AxBxf64>, affine_map<(m, k, n) -> (m, n)> : tensor<AxBxi1>) {
  ^bb0(%x: f64, %y: f64):
    %p = arith.mulf %x, %y : f64
    %s = kernel.reduce add %p : f64
    %zero = arith.constant 0.0 : f64
    %g = arith.cmpf ogt, %s, %zero : f64
    kernel.yield %s, %g : f64, i1
  }
  return %r#0, %r#1 : tensor<AxBxf64>, tensor<AxBxi1>
})",
     {{13, 35, 33, 1}, {6, 64, 40, 1}, {2, 3, 5, 1}},
     1e-12},
    {"matmul_packed",
     R"(
func.func @f(%a: tensor<DxAxCxf32>, %b: tensor<BxCx64xf32>, %c: tensor<DxAxCxf32>) -> tensor<DxAx70xf32> {
  %r = kernel.nest "k" [parallel D, parallel A, parallel 70, reduction C]
    ins(%a at affine_map<(d, m, n, k) -> (d, m, k)> : tensor<DxAxCxf32>,
        %b at affine_map<(d, m, n, k) -> (n floordiv 64, k, n mod 64)> : tensor<BxCx64xf32>)
    outs(affine_map<(d, m, n, k) -> (d, m, n)> : tensor<DxAx70xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    %e0 = math.exp %s : f32
    %e1 = math.tanh %e0 : f32
    kernel.yield %e1 : f32
  }
  return %r : tensor<DxAx70xf32>
})",
     {{13, 2, 33, 2}, {6, 2, 5, 1}, {1, 2, 8, 3}},
     1e-5},
    {"batched_matmul",
     R"(
func.func @f(%a: tensor<DxAxCxf32>, %b: tensor<DxCxBxf32>) -> tensor<DxAxBxf32> {
  %r = kernel.nest "k" [parallel D, parallel A, parallel B, reduction C]
    ins(%a at affine_map<(d, m, n, k) -> (d, m, k)> : tensor<DxAxCxf32>,
        %b at affine_map<(d, m, n, k) -> (d, k, n)> : tensor<DxCxBxf32>)
    outs(affine_map<(d, m, n, k) -> (d, m, n)> : tensor<DxAxBxf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %y, %x : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<DxAxBxf32>
})",
     {{13, 20, 33, 3}, {6, 64, 5, 2}},
     1e-5},
    {"conv", convolution, {{2, 5, 14, 64, 6, 2}, {3, 1, 9, 40, 6, 2}, {9, 2, 17, 33, 6, 2}, {1, 3, 1, 64, 6, 2}}, 1e-5},
    {"plain_conv", plainConvolution, {{2, 5, 14, 64, 6, 2}, {3, 1, 9, 20, 5, 1}}, 1e-5},
    {"strided_conv",
     R"(
func.func @f(%x: tensor<Ax11xCxBxf32>, %w: tensor<3x3xBxDxf32>) -> tensor<Ax6x7xDxf32> {
  %r = kernel.nest "k" [parallel A, parallel 6, parallel 7, parallel D, reduction 3, reduction 3, reduction B]
    ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h * 2 + p - 1, w * 2 + q - 2, i)> : tensor<Ax11xCxBxf32>,
        %w at affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)> : tensor<3x3xBxDxf32>)
    outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<Ax6x7xDxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<Ax6x7xDxf32>
})",
     {{2, 5, 13, 20}, {1, 3, 5, 70}},
     1e-5},
    {"conv_beyond_padding",
     R"(
func.func @f(%x: tensor<AxExCxBxf64>, %w: tensor<5x5xBxDxf64>) -> tensor<AxFxGxDxf64> {
  %r = kernel.nest "k" [parallel A, parallel F, parallel G, parallel D, reduction 5, reduction 5, reduction B]
    ins(%x pad 0.0 : f64 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 4, w + q - 4, i)> : tensor<AxExCxBxf64>,
        %w at affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)> : tensor<5x5xBxDxf64>)
    outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<AxFxGxDxf64>) {
  ^bb0(%u: f64, %v: f64):
    %p = arith.mulf %u, %v : f64
    %s = kernel.reduce add %p : f64
    kernel.yield %s : f64
  }
  return %r : tensor<AxFxGxDxf64>
})",
     {{2, 3, 5, 16, 2, 6, 9}, {1, 16, 3, 40, 7, 11, 7}, {3, 1, 4, 8, 1, 5, 8}},
     1e-12},
    {"conv_3d",
     R"(
func.func @f(%x: tensor<Ax5xExCxBxf32>, %w: tensor<3x3x3xBxDxf32>) -> tensor<Ax5xExCxDxf32> {
  %r = kernel.nest "k" [parallel A, parallel 5, parallel E, parallel C, parallel D, reduction 3, reduction 3, reduction 3, reduction B]
    ins(%x pad 0.0 : f32 at affine_map<(n, d, h, w, o, r, p, q, i) -> (n, d + r - 1, h + p - 1, w + q - 1, i)> : tensor<Ax5xExCxBxf32>,
        %w at affine_map<(n, d, h, w, o, r, p, q, i) -> (r, p, q, i, o)> : tensor<3x3x3xBxDxf32>)
    outs(affine_map<(n, d, h, w, o, r, p, q, i) -> (n, d, h, w, o)> : tensor<Ax5xExCxDxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    %y = arith.negf %s : f32
    kernel.yield %y : f32
  }
  return %r : tensor<Ax5xExCxDxf32>
})",
     {{2, 3, 7, 32, 4}, {1, 5, 6, 17, 1}, {1, 4, 1, 20, 3}},
     1e-5},
    {"conv_weight_gradient",
     convolutionWeightGradient,
     {{8, 5, 4, 20, 6, 2, 4}, {8, 1, 7, 32, 6, 2, 4}, {8, 8, 3, 64, 6, 2, 4}},
     1e-5},
    {"packed_matmul", packedMatmul, {{13, 70, 33, 2}, {6, 64, 200, 1}, {20, 130, 5, 3}}, 1e-5},
    {"plain_matmul", plainMatmul, {{13, 70, 33}, {6, 64, 40}, {7, 10, 5}, {29, 32, 67}, {17, 9, 35}}, 1e-5},
    {"transposed_matmul", transposedMatmul, {{13, 70, 33}, {6, 64, 40}, {7, 10, 5}, {29, 32, 67}, {17, 9, 35}}, 1e-5},
    {"conv_nchw",
     R"(
func.func @f(%x: tensor<AxBx6xCxf32>, %w: tensor<DxBx3x3xf32>) -> tensor<AxDx6xCxf32> {
  %r = kernel.nest "k" [parallel A, parallel D, parallel 6, parallel C, reduction B, reduction 3, reduction 3]
    ins(%x pad 0.0 : f32 at affine_map<(n, o, h, w, i, p, q) -> (n, i, h + p - 1, w + q - 1)> : tensor<AxBx6xCxf32>,
        %w at affine_map<(n, o, h, w, i, p, q) -> (o, i, p, q)> : tensor<DxBx3x3xf32>)
    outs(affine_map<(n, o, h, w, i, p, q) -> (n, o, h, w)> : tensor<AxDx6xCxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxDx6xCxf32>
})",
     {{2, 5, 13, 4}, {1, 1, 28, 7}},
     1e-5},
    {"depthwise_conv",
     R"(
func.func @f(%x: tensor<AxBx6xCxf32>, %w: tensor<Bx3x3xf32>) -> tensor<AxBx6xCxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, parallel 6, parallel C, reduction 3, reduction 3]
    ins(%x pad 0.0 : f32 at affine_map<(n, g, h, w, p, q) -> (n, g, h + p - 1, w + q - 1)> : tensor<AxBx6xCxf32>,
        %w at affine_map<(n, g, h, w, p, q) -> (g, p, q)> : tensor<Bx3x3xf32>)
    outs(affine_map<(n, g, h, w, p, q) -> (n, g, h, w)> : tensor<AxBx6xCxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxBx6xCxf32>
})",
     {{2, 5, 13, 1}, {1, 2, 4, 1}},
     1e-5},
    {"conv_weight_gradient_rest",
     R"(
func.func @f(%x: tensor<7x6xCxBxf32>, %g: tensor<7x6xCxDxf32>) -> tensor<2x3x3xBxDxf32> {
  %r = kernel.nest "k" [parallel 2, parallel 3, parallel 3, parallel B, parallel D, reduction 4, reduction 6, reduction C]
    ins(%x pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * 4 + n, h + p - 1, w + q - 1, i)> : tensor<7x6xCxBxf32>,
        %g pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * 4 + n, h, w, o)> : tensor<7x6xCxDxf32>)
    outs(affine_map<(c, p, q, i, o, n, h, w) -> (c, p, q, i, o)> : tensor<2x3x3xBxDxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<2x3x3xBxDxf32>
})",
     {{1, 5, 4, 20}, {1, 1, 7, 32}, {1, 8, 3, 64}},
     1e-5},
    {"chunks_with_rest",
     R"(
func.func @f(%a: tensor<CxAxf32>, %b: tensor<CxBxf32>) -> tensor<3xAxBxf32> {
  %r = kernel.nest "k" [parallel 3, parallel A, parallel B, reduction D]
    ins(%a pad 0.0 : f32 at affine_map<(c, m, n, k) -> (c * D + k, m)> : tensor<CxAxf32>,
        %b pad 0.0 : f32 at affine_map<(c, m, n, k) -> (c * D + k, n)> : tensor<CxBxf32>)
    outs(affine_map<(c, m, n, k) -> (c, m, n)> : tensor<3xAxBxf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<3xAxBxf32>
})",
     {{13, 70, 25, 9}, {6, 64, 100, 37}, {2, 3, 7, 3}},
     1e-5},
    {"transpose_blocks",
     R"(
func.func @f(%a: tensor<BxAxf32>, %b: tensor<AxBxi32>, %c: tensor<Bxf32>) -> (tensor<AxBxf32>, tensor<BxAxi32>) {
  %r:2 = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (j, i)> : tensor<BxAxf32>, %b at affine_map<(i, j) -> (i, j)> : tensor<AxBxi32>,
        %c at affine_map<(i, j) -> (j)> : tensor<Bxf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>, affine_map<(i, j) -> (j, i)> : tensor<BxAxi32>) {
  ^bb0(%x: f32, %y: i32, %z: f32):
    %0 = arith.addf %x, %z : f32
    kernel.yield %0, %y : f32, i32
  }
  return %r#0, %r#1 : tensor<AxBxf32>, tensor<BxAxi32>
})",
     {{257, 259, 1, 1}, {300, 256, 1, 1}, {1100, 61, 1, 1}, {3, 22000, 1, 1}}},
    {"transpose_wide_types",
     R"(
func.func @f(%a: tensor<BxAxf64>, %b: tensor<BxAxi8>) -> (tensor<AxBxf64>, tensor<AxBxi8>) {
  %r:2 = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (j, i)> : tensor<BxAxf64>, %b at affine_map<(i, j) -> (j, i)> : tensor<BxAxi8>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>, affine_map<(i, j) -> (i, j)> : tensor<AxBxi8>) {
  ^bb0(%x: f64, %y: i8):
    kernel.yield %x, %y : f64, i8
  }
  return %r#0, %r#1 : tensor<AxBxf64>, tensor<AxBxi8>
})",
     {{257, 259, 1, 1}, {256, 300, 1, 1}}},
    {"transpose_doubles",
     R"(
func.func @f(%a: tensor<BxAxf64>) -> tensor<AxBxf64> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%a at affine_map<(i, j) -> (j, i)> : tensor<BxAxf64>) outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf64>) {
  ^bb0(%x: f64):
    kernel.yield %x : f64
  }
  return %r : tensor<AxBxf64>
})",
     {{257, 259, 1, 1}, {256, 300, 1, 1}}},
    {"pack_transposed",
     R"(
func.func @f(%w: tensor<BxAxf32>) -> tensor<DxAx64xf32> {
  %r = kernel.nest "k" [parallel D, parallel A, parallel 64]
    ins(%w pad 0.0 : f32 at affine_map<(p, k, j) -> (p * 64 + j, k)> : tensor<BxAxf32>)
    outs(affine_map<(p, k, j) -> (p, k, j)> : tensor<DxAx64xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %r : tensor<DxAx64xf32>
})",
     {{350, 190, 1, 3}, {353, 192, 1, 3}, {513, 130, 1, 3}}},
    {"channels_last",
     R"(
func.func @f(%x: tensor<AxBxCxDxf32>) -> (tensor<AxCxDxBxf32>, tensor<AxCxDxBxi1>) {
  %r:2 = kernel.nest "k" [parallel A, parallel C, parallel D, parallel B]
    ins(%x at affine_map<(n, h, w, c) -> (n, c, h, w)> : tensor<AxBxCxDxf32>)
    outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<AxCxDxBxf32>, affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<AxCxDxBxi1>) {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %le = arith.cmpf ole, %a, %zero : f32
    %0 = arith.select %le, %zero, %a : f32
    kernel.yield %0, %le : f32, i1
  }
  return %r#0, %r#1 : tensor<AxCxDxBxf32>, tensor<AxCxDxBxi1>
})",
     {{12, 32, 14, 14}, {80, 20, 7, 7}, {3, 16, 37, 38}}},
    {"read_rows",
     R"(
func.func @f(%x: tensor<16xBxf32>, %p: tensor<Axi64>, %c: tensor<AxBxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%x at affine_map<(i, j)[s] -> (s, j)> : tensor<16xBxf32>, %p at affine_map<(i, j) -> (i)> : tensor<Axi64>,
        %c at affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) {
  ^bb0(%v: f32, %at: i64, %w: f32):
    %mask = arith.constant 15 : i64
    %in = arith.andi %at, %mask : i64
    %i = kernel.index 0 : i64
    %row = kernel.check_index %in at %i in 16 check 0 : i64
    %0 = kernel.read %v[%row] : f32
    %1 = arith.addf %0, %w : f32
    kernel.yield %1 : f32
  }
  return %r : tensor<AxBxf32>
})",
     {{5, 64}, {17, 3}, {1, 33}, {0, 8}, {40, 1}}},
    {"read_elements",
     R"(
func.func @f(%x: tensor<Ax16xf32>, %p: tensor<AxBxi32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B]
    ins(%x at affine_map<(i, j)[s] -> (i, s)> : tensor<Ax16xf32>, %p at affine_map<(i, j) -> (i, j)> : tensor<AxBxi32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<AxBxf32>) {
  ^bb0(%v: f32, %at: i32):
    %mask = arith.constant 15 : i64
    %wide = arith.extsi %at : i32 to i64
    %in = arith.andi %wide, %mask : i64
    %i = kernel.index 1 : i64
    %row = kernel.check_index %in at %i in 16 check 0 : i64
    %0 = kernel.read %v[%row] : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<AxBxf32>
})",
     {{5, 64}, {17, 3}, {1, 33}, {40, 1}}},
    {"read_two_positions_and_sum",
     R"(
func.func @f(%x: tensor<16x16xBxf64>, %p: tensor<Axi64>, %q: tensor<Bxi64>) -> tensor<Axf64> {
  %r = kernel.nest "k" [parallel A, reduction B]
    ins(%x at affine_map<(i, j)[s, t] -> (t, s, j)> : tensor<16x16xBxf64>, %p at affine_map<(i, j) -> (i)> : tensor<Axi64>,
        %q at affine_map<(i, j) -> (j)> : tensor<Bxi64>)
    outs(affine_map<(i, j) -> (i)> : tensor<Axf64>) {
  ^bb0(%v: f64, %a: i64, %b: i64):
    %mask = arith.constant 15 : i64
    %0 = arith.andi %a, %mask : i64
    %1 = arith.andi %b, %mask : i64
    %i = kernel.index 0 : i64
    %j = kernel.index 1 : i64
    %s = kernel.check_index %0 at %i in 16 check 0 : i64
    %t = kernel.check_index %1 at %j in 16 check 1 : i64
    %2 = kernel.read %v[%s, %t] : f64
    %3 = kernel.read %v[%t, %s] : f64
    %4 = arith.mulf %2, %3 : f64
    %sum = kernel.reduce add %4 : f64
    kernel.yield %sum : f64
  }
  return %r : tensor<Axf64>
})",
     {{5, 64}, {17, 3}, {1, 33}, {40, 1}},
     1e-14},
};
const std::vector<NestCase> &nestCases() { return cases; }

} // namespace tensorjit::cpu::test
