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

// Two views of the same memory, of which one adds dims of one point: each reader would be split for the other's view
// without end.
// CHECK-LABEL: func.func @dims_of_one_point
// CHECK:       kernel.nest "positions" [parallel 3, parallel 3]
// CHECK:       kernel.nest "first" [parallel 3, parallel 3]
// CHECK:       kernel.nest "second" [parallel 2, parallel 3, parallel 3]
func.func @dims_of_one_point(%x: tensor<2x7xf32>) -> (tensor<2x2x3x3xf32>, tensor<2x3x3xf32>, tensor<9xf32>) {
  %a = kernel.nest "positions" [parallel 3, parallel 3]
      ins(%x at affine_map<(i, j) -> (0, i + j)> : tensor<2x7xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<3x3xf32>) {
  ^bb0(%p: f32):
    kernel.yield %p : f32
  }
  %v = kernel.view %a : tensor<3x3xf32> -> tensor<9xf32>
  %b = kernel.nest "first" [parallel 9]
      ins(%v at affine_map<(i) -> (i)> : tensor<9xf32>)
      outs(affine_map<(i) -> (i)> : tensor<9xf32>) {
  ^bb0(%p: f32):
    %n = arith.negf %p : f32
    kernel.yield %n : f32
  }
  %w = kernel.view %b : tensor<9xf32> -> tensor<1x1x3x3xf32>
  %c = kernel.nest "broadcast" [parallel 2, parallel 2, parallel 3, parallel 3]
      ins(%w at affine_map<(i, j, k, l) -> (0, 0, k, l)> : tensor<1x1x3x3xf32>)
      outs(affine_map<(i, j, k, l) -> (i, j, k, l)> : tensor<2x2x3x3xf32>) {
  ^bb0(%p: f32):
    kernel.yield %p : f32
  }
  %d = kernel.nest "second" [parallel 2, parallel 9]
      ins(%x at affine_map<(i, j) -> (i, 0)> : tensor<2x7xf32>,
          %v at affine_map<(i, j) -> (j)> : tensor<9xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<2x9xf32>) {
  ^bb0(%p: f32, %q: f32):
    %m = arith.mulf %p, %q : f32
    kernel.yield %m : f32
  }
  %e = kernel.view %d : tensor<2x9xf32> -> tensor<2x3x3xf32>
  %f = kernel.nest "third" [parallel 2, parallel 3, parallel 3]
      ins(%e at affine_map<(i, j, k) -> (i, j, k)> : tensor<2x3x3xf32>)
      outs(affine_map<(i, j, k) -> (i, j, k)> : tensor<2x3x3xf32>) {
  ^bb0(%p: f32):
    %n = arith.negf %p : f32
    kernel.yield %n : f32
  }
  return %c, %f, %v : tensor<2x2x3x3xf32>, tensor<2x3x3xf32>, tensor<9xf32>
}
