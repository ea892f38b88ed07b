// RUN: tensorjit-opt %s --kernel-layout | FileCheck %s

// A nest that reads some of a merged dim keeps it whole: the parts of the dim are not parts of what the nest reads.
// CHECK-LABEL: func.func @some_points
// CHECK:       %[[V:.*]] = kernel.view %{{.*}} : tensor<11x6xf32> -> tensor<66xf32>
// CHECK:       kernel.nest "mul" [parallel 65]
// CHECK-NEXT:      ins(%[[V]] at affine_map<(d0) -> (d0)> : tensor<66xf32>,
func.func @some_points(%x: tensor<1xf32>, %y: tensor<65xf32>) -> tensor<65xf32> {
  %b = kernel.nest "broadcast_to" [parallel 11, parallel 6]
      ins(%x at affine_map<(i, j) -> (0)> : tensor<1xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<11x6xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %v = kernel.view %b : tensor<11x6xf32> -> tensor<66xf32>
  %z = kernel.nest "mul" [parallel 65]
      ins(%v at affine_map<(i) -> (i)> : tensor<66xf32>,
          %y at affine_map<(i) -> (i)> : tensor<65xf32>)
      outs(affine_map<(i) -> (i)> : tensor<65xf32>) {
  ^bb0(%a: f32, %b0: f32):
    %m = arith.mulf %a, %b0 : f32
    kernel.yield %m : f32
  }
  return %z : tensor<65xf32>
}

// Beside a merged dim that is read whole, what is read in part is read at the linear index.
// CHECK-LABEL: func.func @beside_some_points
// CHECK:       kernel.nest "mul" [parallel 11, parallel 6]
// CHECK:           at affine_map<(d0, d1) -> (d0 * 6 + d1)> : tensor<70xf32>
func.func @beside_some_points(%x: tensor<1xf32>, %y: tensor<70xf32>) -> tensor<66xf32> {
  %b = kernel.nest "broadcast_to" [parallel 11, parallel 6]
      ins(%x at affine_map<(i, j) -> (0)> : tensor<1xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<11x6xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %v = kernel.view %b : tensor<11x6xf32> -> tensor<66xf32>
  %z = kernel.nest "mul" [parallel 66]
      ins(%v at affine_map<(i) -> (i)> : tensor<66xf32>,
          %y at affine_map<(i) -> (i)> : tensor<70xf32>)
      outs(affine_map<(i) -> (i)> : tensor<66xf32>) {
  ^bb0(%a: f32, %b0: f32):
    %m = arith.mulf %a, %b0 : f32
    kernel.yield %m : f32
  }
  return %z : tensor<66xf32>
}
