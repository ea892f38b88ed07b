// RUN: tensorjit-opt %s --kernel-schedule-blocks | FileCheck %s
// RUN: tensorjit-opt %s --kernel-schedule | FileCheck %s --check-prefix=CPU

// 16 blocks of 32 by 32 results: as many chunks of the sum as make the device full.
// CHECK-LABEL: func.func @few
// CHECK:       kernel.nest "linear_parts" [parallel 8, parallel 128, parallel 128, reduction 392]
// CHECK:       kernel.nest "linear" [parallel 128, parallel 128, reduction 8]
// CPU-LABEL:   func.func @few
// CPU-NOT:     _parts
func.func @few(%x: tensor<128x3136xf32>, %w: tensor<128x3136xf32>) -> tensor<128x128xf32> {
  %0 = kernel.nest "linear" [parallel 128, parallel 128, reduction 3136]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<128x3136xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<128x3136xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<128x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<128x128xf32>
}

// Too short to be split, and blocks enough.
// CHECK-LABEL: func.func @short
// CHECK-NOT:   _parts
func.func @short(%x: tensor<128x400xf32>, %w: tensor<128x400xf32>, %y: tensor<1024x3136xf32>)
    -> (tensor<128x128xf32>, tensor<1024x1024xf32>) {
  %0 = kernel.nest "linear" [parallel 128, parallel 128, reduction 400]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<128x400xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<128x400xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<128x128xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "square" [parallel 1024, parallel 1024, reduction 3136]
      ins(%y at affine_map<(m, n, k) -> (m, k)> : tensor<1024x3136xf32>,
          %y at affine_map<(m, n, k) -> (n, k)> : tensor<1024x3136xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0, %1 : tensor<128x128xf32>, tensor<1024x1024xf32>
}
