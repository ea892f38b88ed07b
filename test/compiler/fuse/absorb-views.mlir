// RUN: tensorjit-opt %s --kernel-absorb-views --kernel-inline-producers | FileCheck %s

// Dims of one point come and go freely; a real reshape stays a view.
// CHECK-LABEL: func.func @unsqueeze
// CHECK-NOT:   kernel.view
// CHECK:       ins(%arg0 at affine_map<(d0, d1) -> (d0)> : tensor<8xf32>)
func.func @unsqueeze(%x: tensor<8xf32>) -> tensor<8x1xf32> {
  %v = kernel.view %x : tensor<8xf32> -> tensor<8x1xf32>
  %0 = kernel.nest "neg" [parallel 8, parallel 1] ins(%v at affine_map<(i, j) -> (i, j)> : tensor<8x1xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x1xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  return %0 : tensor<8x1xf32>
}

// CHECK-LABEL: func.func @flatten
// CHECK:       %[[V:.*]] = kernel.view %arg0 : tensor<12xf32> -> tensor<3x4xf32>
// CHECK:       ins(%[[V]] at
func.func @flatten(%x: tensor<12xf32>) -> tensor<4x3xf32> {
  %v = kernel.view %x : tensor<12xf32> -> tensor<3x4xf32>
  %0 = kernel.nest "neg" [parallel 4, parallel 3] ins(%v at affine_map<(i, j) -> (j, i)> : tensor<3x4xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x3xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  return %0 : tensor<4x3xf32>
}
