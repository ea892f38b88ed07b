// RUN: tensorjit-opt %s --kernel-inline-producers | FileCheck %s

// A transposition becomes the index of its reader.
// CHECK-LABEL: func.func @transpose
// CHECK:       kernel.nest "matmul" [parallel 4, parallel 8, reduction 16]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2) -> (d0, d2)> : tensor<4x16xf32>,
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1, d2) -> (d1, d2)> : tensor<8x16xf32>)
// CHECK-NOT:   kernel.nest
func.func @transpose(%x: tensor<4x16xf32>, %w: tensor<8x16xf32>) -> tensor<4x8xf32> {
  %t = kernel.nest "permute" [parallel 16, parallel 8] ins(%w at affine_map<(i, j) -> (j, i)> : tensor<8x16xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<16x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %0 = kernel.nest "matmul" [parallel 4, parallel 8, reduction 16]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<4x16xf32>,
          %t at affine_map<(m, n, k) -> (k, n)> : tensor<16x8xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<4x8xf32>
}

// Positions of the producer are expressions of the reader's.
// CHECK-LABEL: func.func @iota_slice
// CHECK:       kernel.nest "slice" [parallel 4]
// CHECK-NEXT:      outs(affine_map<(d0) -> (d0)> : tensor<4xi64>) {
// CHECK:         %[[I:.*]] = kernel.index 0 : i64
// CHECK:         arith.muli %[[I]]
// CHECK:         arith.addi
// CHECK-NOT:   kernel.nest
func.func @iota_slice() -> tensor<4xi64> {
  %0 = kernel.nest "iota" [parallel 16] outs(affine_map<(i) -> (i)> : tensor<16xi64>) {
    %i = kernel.index 0 : i64
    kernel.yield %i : i64
  }
  %1 = kernel.nest "slice" [parallel 4] ins(%0 at affine_map<(i) -> (i * 2 + 3)> : tensor<16xi64>)
      outs(affine_map<(i) -> (i)> : tensor<4xi64>) {
  ^bb0(%a: i64):
    kernel.yield %a : i64
  }
  return %1 : tensor<4xi64>
}

// A contraction reads each element many times: what costs anything is computed once, before.
// CHECK-LABEL: func.func @not_into_contraction
// CHECK:       kernel.nest "exp"
// CHECK:       kernel.nest "matmul"
func.func @not_into_contraction(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %e = kernel.nest "exp" [parallel 4, parallel 16] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>) {
  ^bb0(%a: f32):
    %r = math.exp %a : f32
    kernel.yield %r : f32
  }
  %0 = kernel.nest "matmul" [parallel 4, parallel 8, reduction 16]
      ins(%e at affine_map<(m, n, k) -> (m, k)> : tensor<4x16xf32>,
          %w at affine_map<(m, n, k) -> (k, n)> : tensor<16x8xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %0 : tensor<4x8xf32>
}
