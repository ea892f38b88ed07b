// RUN: tensorjit-translate --kernel-to-vector --cpu=x86-64-v4 %s | FileCheck %s

// CHECK: // row_sum: row_reduction, extent 8, scratch 0 bytes
// CHECK: // softmax: row_reduction, extent 8, scratch 320 bytes
// CHECK: // column_sum: column_reduction

// Four sums in flight along the row, combined at the end by halves.
// CHECK-LABEL: func.func @row_sum
// CHECK: scf.for
// CHECK:   scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.addf %{{.*}} : vector<16xf32>
// CHECK:   vector.shuffle {{.*}} [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK:   memref.store
func.func @f(%a: tensor<8x256xf32>) -> tensor<8xf32> {
  %r = kernel.nest "row_sum" [parallel 8, reduction 256]
      ins(%a at affine_map<(i, j) -> (i, j)> : tensor<8x256xf32>) outs(affine_map<(i, j) -> (i)> : tensor<8xf32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    kernel.yield %s : f32
  }
  return %r : tensor<8xf32>
}

// The exponentials wait in scratch for the division.
// CHECK-LABEL: func.func @softmax
// CHECK: memref.view
// CHECK: arith.maximumf
// CHECK: vector.store %{{.*}}, %[[KEPT:.*]][
// CHECK: vector.load %[[KEPT]]
// CHECK: arith.divf
// CHECK-NOT: math.exp
func.func @g(%a: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %r = kernel.nest "softmax" [parallel 8, reduction 64]
      ins(%a at affine_map<(i, j) -> (i, j)> : tensor<8x64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x64xf32>) {
  ^bb0(%x: f32):
    %m = kernel.reduce max %x : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %s = kernel.reduce add %e : f32
    %y = arith.divf %e, %s : f32
    kernel.yield %y : f32
  }
  return %r : tensor<8x64xf32>
}

// Columns side by side in registers; no more than 128 additions into one accumulator.
// CHECK-LABEL: func.func @column_sum
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK:   scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
func.func @h(%a: tensor<300x32xf32>) -> tensor<32xf32> {
  %r = kernel.nest "column_sum" [reduction 300, parallel 32]
      ins(%a at affine_map<(i, j) -> (i, j)> : tensor<300x32xf32>) outs(affine_map<(i, j) -> (j)> : tensor<32xf32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    kernel.yield %s : f32
  }
  return %r : tensor<32xf32>
}
