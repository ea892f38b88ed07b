// RUN: tensorjit-opt %s --kernel-store-halves | FileCheck %s

// What casts copy is read where it lies, what is made is stored as it was rounded; two factors of f16 make a product of
// f16.
// CHECK-LABEL: func.func @layer
// CHECK-SAME:      (%[[X:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<16x64xf16>)
// CHECK-NEXT:    %[[R:.*]] = kernel.nest "relu" [parallel 32, parallel 64]
// CHECK-NEXT:        ins(%[[X]] at {{.*}} : tensor<32x64xf32>)
// CHECK-NEXT:        outs({{.*}} : tensor<32x64xf16>)
// CHECK:           %[[HALF:.*]] = arith.truncf {{.*}} : f32 to f16
// CHECK-NEXT:      kernel.yield %[[HALF]] : f16
// CHECK:         kernel.nest "linear"
// CHECK-NEXT:        ins(%[[R]] at affine_map<(d0, d1, d2) -> (d0, d2)> : tensor<32x64xf16>,
// CHECK-NEXT:            %[[W]] at affine_map<(d0, d1, d2) -> (d1, d2)> : tensor<16x64xf16>)
// CHECK:           %[[A:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:      %[[B:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT:      arith.mulf %[[A]], %[[B]] : f32
func.func @layer(%x: tensor<32x64xf32>, %w: tensor<16x64xf16>) -> tensor<32x16xf32> {
  %0 = kernel.nest "relu" [parallel 32, parallel 64]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<32x64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<32x64xf32>) {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %a, %zero : f32
    %h = arith.truncf %m : f32 to f16
    %y = arith.extf %h : f16 to f32
    kernel.yield %y : f32
  }
  %1 = kernel.nest "cast" [parallel 16, parallel 64]
      ins(%w at affine_map<(i, j) -> (i, j)> : tensor<16x64xf16>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<16x64xf32>) {
  ^bb0(%a: f16):
    %y = arith.extf %a : f16 to f32
    kernel.yield %y : f32
  }
  %2 = kernel.nest "linear" [parallel 32, parallel 16, reduction 64]
      ins(%0 at affine_map<(m, n, k) -> (m, k)> : tensor<32x64xf32>,
          %1 at affine_map<(m, n, k) -> (n, k)> : tensor<16x64xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<32x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %2 : tensor<32x16xf32>
}

// Through a view and a copy to another order; the pad is rounded with what it pads.
// CHECK-LABEL: func.func @turned
// CHECK-NEXT:    %[[T:.*]] = kernel.nest "turn" [parallel 3, parallel 8]
// CHECK-NEXT:        ins(%arg0 at affine_map<(d0, d1) -> (d1, d0)> : tensor<8x3xbf16>)
// CHECK-NEXT:        outs({{.*}} : tensor<3x8xbf16>)
// CHECK:           kernel.yield %{{.*}} : bf16
// CHECK:         %[[V:.*]] = kernel.view %[[T]] : tensor<3x8xbf16> -> tensor<24xbf16>
// CHECK:         kernel.nest "shift" [parallel 24]
// CHECK-NEXT:        ins(%[[V]] pad 0.000000e+00 : bf16 at affine_map<(d0) -> (d0 - 1)> : tensor<24xbf16>)
// CHECK:           arith.extf %{{.*}} : bf16 to f32
func.func @turned(%x: tensor<8x3xbf16>) -> tensor<24xf32> {
  %0 = kernel.nest "cast" [parallel 8, parallel 3]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x3xbf16>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x3xf32>) {
  ^bb0(%a: bf16):
    %y = arith.extf %a : bf16 to f32
    kernel.yield %y : f32
  }
  %1 = kernel.nest "turn" [parallel 3, parallel 8]
      ins(%0 at affine_map<(i, j) -> (j, i)> : tensor<8x3xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<3x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %2 = kernel.view %1 : tensor<3x8xf32> -> tensor<24xf32>
  %3 = kernel.nest "shift" [parallel 24]
      ins(%2 pad 0.0 : f32 at affine_map<(i) -> (i - 1)> : tensor<24xf32>)
      outs(affine_map<(i) -> (i)> : tensor<24xf32>) {
  ^bb0(%a: f32):
    %y = arith.negf %a : f32
    kernel.yield %y : f32
  }
  return %3 : tensor<24xf32>
}

// A product with a factor of f32 stays one of f32, and what the function returns stays what it is.
// CHECK-LABEL: func.func @kept
// CHECK:         kernel.nest "cast"
// CHECK-NEXT:        ins(%arg0 at {{.*}} : tensor<8x4xf16>)
// CHECK-NEXT:        outs({{.*}} : tensor<8x4xf32>)
// CHECK:         kernel.nest "dot"
// CHECK-NEXT:        ins(%{{.*}} at {{.*}} : tensor<8x4xf32>,
// CHECK:         kernel.nest "given"
// CHECK-NEXT:        ins(%arg0 at {{.*}} : tensor<8x4xf16>)
// CHECK-NEXT:        outs({{.*}} : tensor<8x4xf32>)
func.func @kept(%x: tensor<8x4xf16>, %w: tensor<5x4xf32>) -> (tensor<8x5xf32>, tensor<8x4xf32>) {
  %0 = kernel.nest "cast" [parallel 8, parallel 4]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x4xf16>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>) {
  ^bb0(%a: f16):
    %y = arith.extf %a : f16 to f32
    kernel.yield %y : f32
  }
  %1 = kernel.nest "dot" [parallel 8, parallel 5, reduction 4]
      ins(%0 at affine_map<(m, n, k) -> (m, k)> : tensor<8x4xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<5x4xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<8x5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %2 = kernel.nest "given" [parallel 8, parallel 4]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x4xf16>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>) {
  ^bb0(%a: f16):
    %y = arith.extf %a : f16 to f32
    kernel.yield %y : f32
  }
  return %1, %2 : tensor<8x5xf32>, tensor<8x4xf32>
}
