// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// One visit of a row: the class is picked by its position, and checked.
// CHECK-LABEL: func.func @cross_entropy
// CHECK:       kernel.nest "cross_entropy" [parallel 4, reduction 3]
// CHECK:         kernel.check_index %{{.*}} at %{{.*}} in 3 check 0 : i64
// CHECK:         kernel.reduce max
// CHECK:         math.exp
// CHECK:         kernel.reduce add
// CHECK:         math.log
// CHECK:       kernel.nest "loss" [reduction 4]
// CHECK:         arith.divf
func.func @cross_entropy(%x: tensor<4x3xf32>, %t: tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>) {
  %0:2 = tj.cross_entropy %x, %t {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64}
      : (tensor<4x3xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<f32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @softmax
// CHECK:       kernel.nest "softmax" [reduction 4, parallel 3]
func.func @softmax(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = tj.softmax %x {dim = 0 : i64} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Windows that do not overlap: each cell looks at one.
// CHECK-LABEL: func.func @pool_grad
// CHECK:       kernel.nest "max_pool2d_grad" [parallel 1, parallel 2, parallel 4, parallel 4]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3 floordiv 2)>
// CHECK-NOT:     kernel.reduce
func.func @pool_grad(%g: tensor<1x2x2x2xf32>, %i: tensor<1x2x2x2xi64>) -> tensor<1x2x4x4xf32> {
  %0 = tj.max_pool2d_grad %g, %i {input_sizes = array<i64: 1, 2, 4, 4>, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
      padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xi64>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// -----

// Overlapping windows: a sum over those that cover the cell. Those outside won nothing.
// CHECK-LABEL: func.func @overlapping
// CHECK:       kernel.nest "max_pool2d_grad" [parallel 1, parallel 1, parallel 7, parallel 5, reduction 2, reduction 2]
// CHECK:           %arg1 pad -1 : i64 at
// CHECK:         kernel.reduce add
func.func @overlapping(%g: tensor<1x1x4x3xf32>, %i: tensor<1x1x4x3xi64>) -> tensor<1x1x7x5xf32> {
  %0 = tj.max_pool2d_grad %g, %i {input_sizes = array<i64: 1, 1, 7, 5>, kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>,
      padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>} : (tensor<1x1x4x3xf32>, tensor<1x1x4x3xi64>) -> tensor<1x1x7x5xf32>
  return %0 : tensor<1x1x7x5xf32>
}
