// RUN: tensorjit-translate --kernel-to-vector --cpu=x86-64-v4 %s | FileCheck %s
// RUN: tensorjit-translate --kernel-to-vector --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=AVX2

// CHECK: // dense: pointwise, extent 3, scratch 0 bytes

// Dense dims become one; a unit is a block of it, and only the last vector is masked.
// CHECK-LABEL: func.func @dense
// CHECK: scf.for
// CHECK:   vector.load %{{.*}} : memref<5000xf32>, vector<16xf32>
// CHECK:   arith.mulf %{{.*}} : vector<16xf32>
// CHECK:   vector.store %{{.*}} : memref<5000xf32>, vector<16xf32>
// CHECK: scf.if
// CHECK:   vector.maskedload
// CHECK:   vector.maskedstore
// AVX2: vector.load %{{.*}} : memref<5000xf32>, vector<8xf32>
func.func @f(%a: tensor<50x100xf32>) -> tensor<50x100xf32> {
  %r = kernel.nest "dense" [parallel 50, parallel 100]
      ins(%a at affine_map<(i, j) -> (i, j)> : tensor<50x100xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<50x100xf32>) {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %x : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<50x100xf32>
}

// What a row shares is read once, outside the loop over it.
// CHECK-LABEL: func.func @row_scale
// CHECK: scf.for
// CHECK:   memref.load %arg1
// CHECK:   scf.for
// CHECK-NOT: memref.load
// CHECK:     vector.broadcast
func.func @g(%a: tensor<64x64xf32>, %s: tensor<64xf32>) -> tensor<64x64xf32> {
  %r = kernel.nest "row_scale" [parallel 64, parallel 64]
      ins(%a at affine_map<(i, j) -> (i, j)> : tensor<64x64xf32>, %s at affine_map<(i, j) -> (i)> : tensor<64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.mulf %x, %y : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<64x64xf32>
}

// A column is gathered so that the result is written in order.
// CHECK-LABEL: func.func @transpose
// CHECK: vector.gather %arg0
// CHECK: vector.store %{{.*}}, %arg1
func.func @h(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = kernel.nest "transpose" [parallel 64, parallel 64]
      ins(%a at affine_map<(i, j) -> (j, i)> : tensor<64x64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<64x64xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %r : tensor<64x64xf32>
}

// Outside the tensor the pad is read.
// CHECK-LABEL: func.func @shift
// CHECK: arith.cmpi ult
// CHECK: vector.maskedload
func.func @p(%a: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = kernel.nest "shift" [parallel 4, parallel 64]
      ins(%a pad 1.0 : f32 at affine_map<(i, j) -> (i, j + 1)> : tensor<4x64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x64xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %r : tensor<4x64xf32>
}

// What is read along another dim than it is written goes through square blocks: four rows are turned round in 128-bit
// parts, then four columns put together.
// CHECK-LABEL: func.func @channels_last
// CHECK: scf.for
// CHECK-COUNT-4: vector.load %arg0
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store
// CHECK: scf.for
// CHECK-COUNT-4: vector.load
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.store {{.*}}, %arg1
// CHECK-NOT: vector.gather
func.func @t(%x: tensor<8x32x16x16xf32>) -> tensor<8x16x16x32xf32> {
  %r = kernel.nest "channels_last" [parallel 8, parallel 16, parallel 16, parallel 32]
      ins(%x at affine_map<(n, h, w, c) -> (n, c, h, w)> : tensor<8x32x16x16xf32>)
      outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<8x16x16x32xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  return %r : tensor<8x16x16x32xf32>
}
