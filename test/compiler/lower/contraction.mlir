// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK:       kernel.nest "linear" [parallel 4, parallel 8, reduction 16]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2) -> (d0, d2)> : tensor<4x16xf32>,
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1, d2) -> (d1, d2)> : tensor<8x16xf32>,
// CHECK-NEXT:          %arg2 at affine_map<(d0, d1, d2) -> (d1)> : tensor<8xf32>)
// CHECK:         %[[S:.*]] = kernel.reduce add
// CHECK:         arith.addf %[[S]]
func.func @linear(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>, %b: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = tj.linear %x, %w, %b : (tensor<4x16xf32>, tensor<8x16xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @batch
// CHECK:       kernel.nest "matmul" [parallel 2, parallel 3, parallel 5, reduction 4]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)> : tensor<2x3x4xf32>,
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)> : tensor<2x4x5xf32>)
func.func @batch(%x: tensor<2x3x4xf32>, %w: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = tj.matmul %x, %w : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// Padding is what is read outside the image.
// CHECK-LABEL: func.func @conv
// CHECK:       kernel.nest "conv2d" [parallel 2, parallel 6, parallel 5, parallel 4, reduction 3, reduction 3, reduction 3]
// CHECK-NEXT:      ins(%arg0 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d1 + d4 - 1, d2 + d5 - 1)>
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d3, d6, d4, d5)>
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d3, d1, d2)> : tensor<2x4x6x5xf32>)
func.func @conv(%x: tensor<2x3x6x5xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x4x6x5xf32> {
  %0 = tj.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<2x3x6x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x5xf32>
  return %0 : tensor<2x4x6x5xf32>
}

// -----

// Groups are a dim of their own; the result's channels are a view of both.
// CHECK-LABEL: func.func @groups
// CHECK:       kernel.nest "conv2d" [parallel 1, parallel 2, parallel 3, parallel 3, parallel 2, reduction 3, reduction 3, reduction 2]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d7, d2 * 2 + d5, d3 * 2 + d6)>
// CHECK:       kernel.view %{{.*}} : tensor<1x2x2x3x3xf32> -> tensor<1x4x3x3xf32>
func.func @groups(%x: tensor<1x4x7x7xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %0 = tj.conv2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x4x7x7xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}

// -----

// The gradient of a strided convolution: each phase of the stride meets its own taps of the window in a convolution of
// stride 1.
// CHECK-LABEL: func.func @input_grad
// CHECK:       kernel.nest "conv2d_input_grad" [parallel 1, parallel 4, parallel 4, parallel 2, reduction 2, reduction 2, reduction 4]
// CHECK-NEXT:      ins(%arg0 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d6, d1 + d4 - 1, d2 + d5 - 1)>
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d3, d4 * -2 + 2, d5 * -2 + 2)>
// CHECK:       kernel.nest "conv2d_input_grad" {{.*}} reduction 2, reduction 1, reduction 4]
// CHECK:       kernel.nest "conv2d_input_grad" {{.*}} reduction 1, reduction 2, reduction 4]
// CHECK:       kernel.nest "conv2d_input_grad" {{.*}} reduction 1, reduction 1, reduction 4]
// CHECK:       kernel.nest "interleave" [parallel 1, parallel 2, parallel 7, parallel 7]
// CHECK-NEXT:      ins(%{{.*}} at affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3 floordiv 2)> : tensor<1x2x4x4xf32>
func.func @input_grad(%g: tensor<1x4x3x3xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x2x7x7xf32> {
  %0 = tj.conv2d_input_grad %g, %w {input_sizes = array<i64: 1, 2, 7, 7>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x3x3xf32>, tensor<4x2x3x3xf32>) -> tensor<1x2x7x7xf32>
  return %0 : tensor<1x2x7x7xf32>
}

// Where the phases are many, the gradient with zeros between neighbours stands in for all of them.
// CHECK-LABEL: func.func @long_stride
// CHECK:       kernel.nest "dilate" [parallel 1, parallel 4, parallel 11, parallel 11]
// CHECK:       kernel.nest "conv2d_input_grad"
// CHECK-NOT:   kernel.nest
func.func @long_stride(%g: tensor<1x4x3x3xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x2x13x13xf32> {
  %0 = tj.conv2d_input_grad %g, %w {input_sizes = array<i64: 1, 2, 13, 13>, stride = array<i64: 5, 5>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x4x3x3xf32>, tensor<4x2x3x3xf32>) -> tensor<1x2x13x13xf32>
  return %0 : tensor<1x2x13x13xf32>
}
