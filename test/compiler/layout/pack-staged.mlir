// RUN: tensorjit-opt %s --kernel-layout-staged | FileCheck %s

// x w^T: a kernel that stages w turns it.
// CHECK-LABEL: func.func @linear
// CHECK-NOT:   "pack"
// CHECK:       return
func.func @linear(%x: tensor<128x784xf32>, %w: tensor<200x784xf32>) -> tensor<128x200xf32> {
  %0 = kernel.nest "linear" [parallel 128, parallel 200, reduction 784]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<128x784xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<200x784xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<128x200xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<128x200xf32>
}

// The image is contiguous along the channels, the weight along neither them nor the columns: it is copied, whole.
// CHECK-LABEL: func.func @convolution
// CHECK:       %[[P:.*]] = kernel.nest "pack" [parallel 1, parallel 3, parallel 16, parallel 40]
// CHECK-NEXT:      ins(%arg1 at affine_map<(d0, d1, d2, d3) -> (d3, d2, d1)> : tensor<40x16x3xf32>)
// CHECK:       kernel.nest "convolution"
// CHECK:           %[[P]] at affine_map<(d0, d1, d2, d3, d4) -> (0, d3, d4, d2)> : tensor<1x3x16x40xf32>)
func.func @convolution(%x: tensor<8x10x16xf32>, %w: tensor<40x16x3xf32>) -> tensor<8x8x40xf32> {
  %0 = kernel.nest "convolution" [parallel 8, parallel 8, parallel 40, reduction 3, reduction 16]
      ins(%x at affine_map<(n, h, o, p, i) -> (n, h + p, i)> : tensor<8x10x16xf32>,
          %w at affine_map<(n, h, o, p, i) -> (o, i, p)> : tensor<40x16x3xf32>)
      outs(affine_map<(n, h, o, p, i) -> (n, h, o)> : tensor<8x8x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    %s = kernel.reduce add %m : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<8x8x40xf32>
}
