#include "Nests.h"

#include <cctype>

namespace tensorjit::cpu::test {

std::string fill(std::string nest, const Sizes &sizes) {
  std::string result;
  for (size_t i = 0; i < nest.size(); ++i) {
    char c = nest[i], next = i + 1 < nest.size() ? nest[i + 1] : ' ', last = i ? nest[i - 1] : ' ';
    bool isSize = c >= 'A' && c <= 'G' && (last == '<' || last == 'x' || last == ' ' || last == '*' || last == '(') &&
                  !(std::isalpha(next) && next != 'x');
    result += isSize ? std::to_string(sizes[c - 'A']) : std::string(1, c);
  }
  return result;
}

const char *const convolution = R"(
func.func @f(%x: tensor<AxExCxBxf32>, %w: tensor<Fx3x3xBx32xf32>, %b: tensor<Dxf32>) -> tensor<AxExCxDxf32> {
  %r = kernel.nest "k" [parallel A, parallel E, parallel C, parallel D, reduction 3, reduction 3, reduction B]
    ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 1, w + q - 1, i)> : tensor<AxExCxBxf32>,
        %w at affine_map<(n, h, w, o, p, q, i) -> (o floordiv 32, p, q, i, o mod 32)> : tensor<Fx3x3xBx32xf32>,
        %b at affine_map<(n, h, w, o, p, q, i) -> (o)> : tensor<Dxf32>)
    outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<AxExCxDxf32>) {
  ^bb0(%u: f32, %v: f32, %c: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    %t = arith.addf %s, %c : f32
    %zero = arith.constant 0.0 : f32
    %lt = arith.cmpf olt, %t, %zero : f32
    %y = arith.select %lt, %zero, %t : f32
    kernel.yield %y : f32
  }
  return %r : tensor<AxExCxDxf32>
})";

const char *const plainConvolution = R"(
func.func @f(%x: tensor<AxExCxBxf32>, %w: tensor<Fx3x3xBx32xf32>) -> tensor<AxExCxDxf32> {
  %r = kernel.nest "k" [parallel A, parallel E, parallel C, parallel D, reduction 3, reduction 3, reduction B]
    ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 1, w + q - 1, i)> : tensor<AxExCxBxf32>,
        %w at affine_map<(n, h, w, o, p, q, i) -> (o floordiv 32, p, q, i, o mod 32)> : tensor<Fx3x3xBx32xf32>)
    outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<AxExCxDxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxExCxDxf32>
})";

const char *const convolutionWeightGradient = R"(
func.func @f(%x: tensor<AxExCxBxf32>, %g: tensor<AxExCxDxf32>) -> tensor<Fx3x3xBxDxf32> {
  %r = kernel.nest "k" [parallel F, parallel 3, parallel 3, parallel B, parallel D, reduction G, reduction E, reduction C]
    ins(%x pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * G + n, h + p - 1, w + q - 1, i)> : tensor<AxExCxBxf32>,
        %g at affine_map<(c, p, q, i, o, n, h, w) -> (c * G + n, h, w, o)> : tensor<AxExCxDxf32>)
    outs(affine_map<(c, p, q, i, o, n, h, w) -> (c, p, q, i, o)> : tensor<Fx3x3xBxDxf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<Fx3x3xBxDxf32>
})";

const char *const packedMatmul = R"(
func.func @f(%a: tensor<AxCxf32>, %b: tensor<DxCx64xf32>, %bias: tensor<Bxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, reduction C]
    ins(%a at affine_map<(m, n, k) -> (m, k)> : tensor<AxCxf32>,
        %b at affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)> : tensor<DxCx64xf32>,
        %bias at affine_map<(m, n, k) -> (n)> : tensor<Bxf32>)
    outs(affine_map<(m, n, k) -> (m, n)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    %t = arith.addf %s, %z : f32
    %zero = arith.constant 0.0 : f32
    %lt = arith.cmpf olt, %t, %zero : f32
    %u = arith.select %lt, %zero, %t : f32
    kernel.yield %u : f32
  }
  return %r : tensor<AxBxf32>
})";

const char *const plainMatmul = R"(
func.func @f(%a: tensor<AxCxf32>, %b: tensor<CxBxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, reduction C]
    ins(%a at affine_map<(m, n, k) -> (m, k)> : tensor<AxCxf32>, %b at affine_map<(m, n, k) -> (k, n)> : tensor<CxBxf32>)
    outs(affine_map<(m, n, k) -> (m, n)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxBxf32>
})";

const char *const transposedMatmul = R"(
func.func @f(%a: tensor<CxAxf32>, %b: tensor<CxBxf32>) -> tensor<AxBxf32> {
  %r = kernel.nest "k" [parallel A, parallel B, reduction C]
    ins(%a at affine_map<(m, n, k) -> (k, m)> : tensor<CxAxf32>, %b at affine_map<(m, n, k) -> (k, n)> : tensor<CxBxf32>)
    outs(affine_map<(m, n, k) -> (m, n)> : tensor<AxBxf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<AxBxf32>
})";

} // namespace tensorjit::cpu::test
