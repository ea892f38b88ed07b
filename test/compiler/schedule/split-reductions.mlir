// RUN: tensorjit-opt %s --kernel-schedule | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK:       %[[P:.*]] = kernel.nest "sum_parts" [parallel 16, reduction 4096]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1) -> (d0 * 4096 + d1)> : tensor<65536xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1) -> (d0)> : tensor<16xf32>)
// CHECK-SAME:      schedule = "row_reduction"
// CHECK:       kernel.nest "sum" [reduction 16]
// CHECK-NEXT:      ins(%[[P]] at affine_map<(d0) -> (d0)> : tensor<16xf32>)
// CHECK:         %[[S:.*]] = kernel.reduce add
// CHECK:         math.sqrt %[[S]]
func.func @sum(%x: tensor<65536xf32>) -> tensor<f32> {
  %0 = kernel.nest "sum" [reduction 65536] ins(%x at affine_map<(i) -> (i)> : tensor<65536xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    %s = kernel.reduce add %q : f32
    %r = math.sqrt %s : f32
    kernel.yield %r : f32
  }
  return %0 : tensor<f32>
}

// A size that no number of chunks divides: points beyond the end count as nothing.
// CHECK-LABEL: func.func @odd
// CHECK:       kernel.nest "max_parts" [parallel 16, reduction 624]
// CHECK-NEXT:      ins(%arg0 pad 0.000000e+00 : f32 at affine_map<(d0, d1) -> (d0 * 624 + d1)> : tensor<9973xf32>)
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK:         kernel.reduce max
// CHECK:       kernel.nest "max" [reduction 16]
func.func @odd(%x: tensor<9973xf32>) -> tensor<f32> {
  %0 = kernel.nest "max" [reduction 9973] ins(%x at affine_map<(i) -> (i)> : tensor<9973xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce max %a : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<f32>
}

// Rows enough: no split.
// CHECK-LABEL: func.func @rows
// CHECK-NOT:   _parts
func.func @rows(%x: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = kernel.nest "sum" [parallel 4096, reduction 4096] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4096x4096xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4096xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<4096xf32>
}

// Products of a number of rows that is prime: both factors are zero behind the end, and the parts stay a contraction.
// CHECK-LABEL: func.func @products
// CHECK:       kernel.nest "dot_parts" [parallel 16, parallel 8, parallel 8, reduction 313]
// CHECK-NEXT:      ins(%arg0 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3) -> (d0 * 313 + d3, d1)> : tensor<4999x8xf32>,
// CHECK-NEXT:          %arg1 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3) -> (d0 * 313 + d3, d2)> : tensor<4999x8xf32>)
// CHECK-NEXT:      outs({{.*}}schedule = "contraction"
// CHECK-NOT:     arith.select
// CHECK:       kernel.nest "dot"
func.func @products(%x: tensor<4999x8xf32>, %y: tensor<4999x8xf32>) -> tensor<8x8xf32> {
  %0 = kernel.nest "dot" [parallel 8, parallel 8, reduction 4999]
      ins(%x at affine_map<(i, j, k) -> (k, i)> : tensor<4999x8xf32>, %y at affine_map<(i, j, k) -> (k, j)> : tensor<4999x8xf32>)
      outs(affine_map<(i, j, k) -> (i, j)> : tensor<8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<8x8xf32>
}

// A convolution's weight gradient has more results than points to sum up here, but nothing else to share between threads
// than its images.
// CHECK-LABEL: func.func @weight_grad
// CHECK:       kernel.nest "grad_parts" [parallel 16, parallel 3, parallel 3, parallel 32, parallel 64, reduction 4, reduction 14, reduction 14]
// CHECK:       kernel.nest "grad" [parallel 3, parallel 3, parallel 32, parallel 64, reduction 16]
func.func @weight_grad(%x: tensor<64x14x14x32xf32>, %g: tensor<64x14x14x64xf32>) -> tensor<3x3x32x64xf32> {
  %d = kernel.nest "grad" [parallel 3, parallel 3, parallel 32, parallel 64, reduction 64, reduction 14, reduction 14]
      ins(%x pad 0.0 : f32 at affine_map<(p, q, i, o, n, h, w) -> (n, h + p - 1, w + q - 1, i)> : tensor<64x14x14x32xf32>,
          %g at affine_map<(p, q, i, o, n, h, w) -> (n, h, w, o)> : tensor<64x14x14x64xf32>)
      outs(affine_map<(p, q, i, o, n, h, w) -> (p, q, i, o)> : tensor<3x3x32x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %d : tensor<3x3x32x64xf32>
}
