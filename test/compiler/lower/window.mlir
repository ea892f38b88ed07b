// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// A sum over the cells of each window; padding reads 0.
// CHECK-LABEL: func.func @window_sum
// CHECK:       kernel.nest "window_sum" [parallel 1, parallel 2, parallel 3, reduction 3]
// CHECK-NEXT:      ins(%arg0 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 2 + d3 - 1)>
// CHECK:         kernel.reduce add
func.func @window_sum(%x: tensor<1x2x6xf32>) -> tensor<1x2x3xf32> {
  %0 = tj.window_sum %x {kernel = array<i64: 3>, stride = array<i64: 2>, low = array<i64: 1>, high = array<i64: 0>,
      dilation = array<i64: 1>} : (tensor<1x2x6xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// -----

// Windows that lie side by side: each cell has the one that covers it.
// CHECK-LABEL: func.func @side_by_side
// CHECK:       kernel.nest "window_sum_backward" [parallel 1, parallel 2, parallel 4, parallel 4]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3 floordiv 2)>
// CHECK-NOT:     arith.select
// CHECK-NOT:     kernel.reduce
func.func @side_by_side(%g: tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32> {
  %0 = tj.window_sum_backward %g {input_sizes = array<i64: 1, 2, 4, 4>, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
      low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilation = array<i64: 1, 1>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x4x4xf32>
  return %0 : tensor<1x2x4x4xf32>
}

// -----

// Overlapping windows with gaps between their cells: a sum over those that may cover the cell, where they do.
// CHECK-LABEL: func.func @overlapping
// CHECK:       kernel.nest "window_sum_backward" [parallel 1, parallel 1, parallel 9, reduction 3]
// CHECK:         arith.cmpi slt
// CHECK:         arith.cmpi eq
// CHECK:         arith.select
// CHECK:         kernel.reduce add
func.func @overlapping(%g: tensor<1x1x4xf32>) -> tensor<1x1x9xf32> {
  %0 = tj.window_sum_backward %g {input_sizes = array<i64: 1, 1, 9>, kernel = array<i64: 3>, stride = array<i64: 2>,
      low = array<i64: 2>, high = array<i64: 1>, dilation = array<i64: 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x9xf32>
  return %0 : tensor<1x1x9xf32>
}
