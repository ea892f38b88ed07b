// RUN: tensorjit-opt %s --kernel-layout | FileCheck %s

// x w^T: w is read along k, so its rows become columns of panels; 200 columns leave the last panel padded.
// CHECK-LABEL: func.func @linear
// CHECK:       %[[P:.*]] = kernel.nest "pack" [parallel 7, parallel 784, parallel 32]
// CHECK-NEXT:      ins(%arg1 pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2) -> (d0 * 32 + d2, d1)> : tensor<200x784xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2) -> (d0, d1, d2)> : tensor<7x784x32xf32>)
// CHECK:       kernel.nest "linear"
// CHECK:           %[[P]] at affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)> : tensor<7x784x32xf32>)
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

// Few rows stream B as it lies.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT:   "pack"
func.func @few_rows(%x: tensor<2x784xf32>, %w: tensor<200x784xf32>) -> tensor<2x200xf32> {
  %0 = kernel.nest "linear" [parallel 2, parallel 200, reduction 784]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<2x784xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<200x784xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<2x200xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<2x200xf32>
}

// x^T g: rows of x are 4096 bytes apart, whose lines meet in 32 sets of the second-level cache. x is turned round for the product.
// CHECK-LABEL: func.func @transposed
// CHECK:       %[[X:.*]] = kernel.nest "pack" [parallel 1024, parallel 1024]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1) -> (d1, d0)> : tensor<1024x1024xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1) -> (d0, d1)> : tensor<1024x1024xf32>)
// CHECK:       kernel.nest "matmul"
// CHECK:           %[[X]] at affine_map<(d0, d1, d2) -> (d0, d2)> : tensor<1024x1024xf32>
func.func @transposed(%x: tensor<1024x1024xf32>, %g: tensor<1024x784xf32>) -> tensor<1024x784xf32> {
  %0 = kernel.nest "matmul" [parallel 1024, parallel 784, reduction 1024]
      ins(%x at affine_map<(m, n, k) -> (k, m)> : tensor<1024x1024xf32>,
          %g at affine_map<(m, n, k) -> (k, n)> : tensor<1024x784xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<1024x784xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<1024x784xf32>
}

// Nothing to read is nothing to turn round.
// CHECK-LABEL: func.func @transposed_empty
// CHECK-NOT:   "pack"
func.func @transposed_empty(%x: tensor<0x64xf32>, %g: tensor<0x96xf32>) -> tensor<64x96xf32> {
  %0 = kernel.nest "matmul" [parallel 64, parallel 96, reduction 0]
      ins(%x at affine_map<(m, n, k) -> (k, m)> : tensor<0x64xf32>,
          %g at affine_map<(m, n, k) -> (k, n)> : tensor<0x96xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<64x96xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<64x96xf32>
}
