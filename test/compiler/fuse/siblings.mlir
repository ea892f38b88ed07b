// RUN: tensorjit-opt %s --kernel-merge-siblings | FileCheck %s

// Two sums over one tensor are one visit of it.
// CHECK-LABEL: func.func @two_sums
// CHECK:       %[[R:.*]]:2 = kernel.nest "sum_squares" [reduction 64]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0) -> (d0)> : tensor<64xf32>)
// CHECK:         kernel.reduce add
// CHECK:         kernel.reduce add
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @two_sums(%x: tensor<64xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = kernel.nest "sum" [reduction 64] ins(%x at affine_map<(i) -> (i)> : tensor<64xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "squares" [reduction 64] ins(%x at affine_map<(i) -> (i)> : tensor<64xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %q = arith.mulf %a, %a : f32
    %s = kernel.reduce add %q : f32
    kernel.yield %s : f32
  }
  return %0, %1 : tensor<f32>, tensor<f32>
}
