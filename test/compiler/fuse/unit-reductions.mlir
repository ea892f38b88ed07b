// RUN: tensorjit-opt %s --kernel-remove-unit-reductions | FileCheck %s
// RUN: tensorjit-opt %s --kernel-fuse | FileCheck %s --check-prefix=FUSED

// CHECK-LABEL: func.func @count
// CHECK:       kernel.nest "count" [parallel 1]
// CHECK-NOT:     kernel.reduce
// CHECK:       kernel.nest "sum" [parallel 1, reduction 3]
// CHECK:         kernel.reduce add

// One nest, in which only the real sum is one.
// FUSED-LABEL: func.func @count
// FUSED:       kernel.nest {{.*}}reduction 3
// FUSED-COUNT-1: kernel.reduce add
// FUSED-NOT:   kernel.reduce
func.func @count(%t: tensor<1xf32>, %x: tensor<1x3xf32>) -> tensor<1xf32> {
  %n = kernel.nest "count" [reduction 1] ins(%t at affine_map<(i) -> (i)> : tensor<1xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %r = kernel.reduce add %a : f32
    kernel.yield %r : f32
  }
  %s = kernel.nest "sum" [parallel 1, reduction 3]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<1x3xf32>, %n at affine_map<(i, j) -> ()> : tensor<f32>)
      outs(affine_map<(i, j) -> (i)> : tensor<1xf32>) {
  ^bb0(%a: f32, %c: f32):
    %r = kernel.reduce add %a : f32
    %q = arith.divf %r, %c : f32
    kernel.yield %q : f32
  }
  return %s : tensor<1xf32>
}
