// RUN: tensorjit-translate --kernel-to-vector --cpu=x86-64-v4 %s | FileCheck %s
// RUN: tensorjit-translate --kernel-to-vector --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=AVX2

// CHECK: // matmul: contraction, extent 32, scratch 0 bytes
// CHECK: // convolution: contraction, extent 16, scratch 34560 bytes
// CHECK: // dot: row_reduction
// CHECK: // chunks: contraction, extent 3,

// 6 x 64 results in 24 registers, K by 2.
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-48: math.fma %{{.*}} : vector<16xf32>
// CHECK-NOT: math.fma
// CHECK: scf.yield
// CHECK-COUNT-24: vector.store
// AVX2: math.fma %{{.*}} : vector<8xf32>
func.func @f(%a: tensor<96x128xf32>, %b: tensor<2x128x64xf32>) -> tensor<96x128xf32> {
  %r = kernel.nest "matmul" [parallel 96, parallel 128, reduction 128]
      ins(%a at affine_map<(m, n, k) -> (m, k)> : tensor<96x128xf32>,
          %b at affine_map<(m, n, k) -> (n floordiv 64, k, n mod 64)> : tensor<2x128x64xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<96x128xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<96x128xf32>
}

// The padded image lies in scratch; a unit is an image, a tile 14 pixels of a row by 32 channels. Rows of padding are
// stepped over. Every other pixel is loaded for each of the two vectors, from pointers that look like two.
// CHECK-LABEL: func.func @convolution
// CHECK: memref.view
// CHECK: %[[FROM:.*]] = arith.maxsi
// CHECK: %[[TO:.*]] = arith.minsi
// CHECK: scf.for {{.*}} = %[[FROM]] to %[[TO]] step {{.*}} iter_args
// CHECK: llvm.intr.launder.invariant.group
// CHECK: scf.for {{.*}} iter_args
// CHECK-COUNT-2: llvm.load
// CHECK: %[[TWICE:.*]] = vector.broadcast
// CHECK: math.fma %[[TWICE]]
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.load
// CHECK-COUNT-24: math.fma
// CHECK-COUNT-2: llvm.intr.launder.invariant.group
// CHECK: scf.yield
// CHECK-LABEL: func.func @dot
// AVX2-NOT: launder
func.func @g(%x: tensor<16x14x14x32xf32>, %w: tensor<2x3x3x32x32xf32>) -> tensor<16x14x14x64xf32> {
  %r = kernel.nest "convolution"
      [parallel 16, parallel 14, parallel 14, parallel 64, reduction 3, reduction 3, reduction 32]
      ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 1, w + q - 1, i)> : tensor<16x14x14x32xf32>,
          %w at affine_map<(n, h, w, o, p, q, i) -> (o floordiv 32, p, q, i, o mod 32)> : tensor<2x3x3x32x32xf32>)
      outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<16x14x14x64xf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<16x14x14x64xf32>
}

// Rows of a product whose B is contiguous along k are streamed, not tiled.
func.func @h(%a: tensor<2x128xf32>, %b: tensor<64x128xf32>) -> tensor<2x64xf32> {
  %r = kernel.nest "dot" [parallel 2, parallel 64, reduction 128]
      ins(%a at affine_map<(m, n, k) -> (m, k)> : tensor<2x128xf32>,
          %b at affine_map<(m, n, k) -> (n, k)> : tensor<64x128xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<2x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %p = arith.mulf %x, %y : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<2x64xf32>
}

// The last of three chunks of images is shorter: its loop over images ends early.
// CHECK-LABEL: func.func @chunks
// CHECK: %[[LEFT:.*]] = arith.subi %c7, %{{.*}}
// CHECK: %[[END:.*]] = arith.minsi %[[LEFT]], %c3
// CHECK: scf.for %{{.*}} = %c0 to %[[END]]
// CHECK: math.fma
func.func @w(%x: tensor<7x6x9x5xf32>, %g: tensor<7x6x9x32xf32>) -> tensor<3x3x3x5x32xf32> {
  %r = kernel.nest "chunks"
      [parallel 3, parallel 3, parallel 3, parallel 5, parallel 32, reduction 3, reduction 6, reduction 9]
      ins(%x pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * 3 + n, h + p - 1, w + q - 1, i)> : tensor<7x6x9x5xf32>,
          %g pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * 3 + n, h, w, o)> : tensor<7x6x9x32xf32>)
      outs(affine_map<(c, p, q, i, o, n, h, w) -> (c, p, q, i, o)> : tensor<3x3x3x5x32xf32>) {
  ^bb0(%u: f32, %v: f32):
    %p = arith.mulf %u, %v : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<3x3x3x5x32xf32>
}
