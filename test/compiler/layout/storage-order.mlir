// RUN: tensorjit-opt %s --kernel-layout | FileCheck %s

// What a convolution makes lies channels last, and so does what is made of it; results keep their order.
// CHECK-LABEL: func.func @conv_relu
// CHECK:       %[[P:.*]] = kernel.nest "pack"
// CHECK:       %[[Y:.*]] = kernel.nest "conv2d" [parallel 2, parallel 8, parallel 8, parallel 32, reduction 16, reduction 3, reduction 3]
// CHECK:         -> (d0, d1, d2, d3)> : tensor<2x8x8x32xf32>
// CHECK:       kernel.nest "half" [parallel 2, parallel 32, parallel 4, parallel 4]
// CHECK-NEXT:      ins(%[[Y]] at affine_map<(d0, d1, d2, d3) -> (d0, d2 * 2, d3 * 2, d1)> : tensor<2x8x8x32xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<2x32x4x4xf32>)
func.func @conv_relu(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<2x32x4x4xf32> {
  %y = kernel.nest "conv2d" [parallel 2, parallel 8, parallel 8, parallel 32, reduction 3, reduction 3, reduction 16]
      ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, a, b, c) -> (n, c, h + a - 1, w + b - 1)> : tensor<2x16x8x8xf32>,
          %w at affine_map<(n, h, w, o, a, b, c) -> (o, c, a, b)> : tensor<32x16x3x3xf32>)
      outs(affine_map<(n, h, w, o, a, b, c) -> (n, o, h, w)> : tensor<2x32x8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %z = kernel.nest "half" [parallel 2, parallel 32, parallel 4, parallel 4]
      ins(%y at affine_map<(n, c, h, w) -> (n, c, h * 2, w * 2)> : tensor<2x32x8x8xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x32x4x4xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %z : tensor<2x32x4x4xf32>
}

// What a convolution reads is made channels last, and once more as the caller wants it.
// CHECK-LABEL: func.func @read_by_conv
// CHECK:       %[[R:.*]]:2 = kernel.nest "neg" [parallel 2, parallel 16, parallel 8, parallel 8]
// CHECK:           -> (d0, d1, d2, d3)> : tensor<2x16x8x8xf32>,
// CHECK:           -> (d0, d2, d3, d1)> : tensor<2x8x8x16xf32>)
// CHECK:       kernel.nest "conv2d" {{.*}}reduction 3, reduction 3, reduction 16]
// CHECK-NEXT:      ins(%[[R]]#1 pad
func.func @read_by_conv(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32>) -> (tensor<2x16x8x8xf32>, tensor<2x32x4x4xf32>) {
  %n = kernel.nest "neg" [parallel 2, parallel 16, parallel 8, parallel 8]
      ins(%x at affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    kernel.yield %r : f32
  }
  %y = kernel.nest "conv2d" [parallel 2, parallel 8, parallel 8, parallel 32, reduction 3, reduction 3, reduction 16]
      ins(%n pad 0.0 : f32 at affine_map<(n, h, w, o, a, b, c) -> (n, c, h + a - 1, w + b - 1)> : tensor<2x16x8x8xf32>,
          %w at affine_map<(n, h, w, o, a, b, c) -> (o, c, a, b)> : tensor<32x16x3x3xf32>)
      outs(affine_map<(n, h, w, o, a, b, c) -> (n, o, h, w)> : tensor<2x32x8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %z = kernel.nest "half" [parallel 2, parallel 32, parallel 4, parallel 4]
      ins(%y at affine_map<(n, c, h, w) -> (n, c, h * 2, w * 2)> : tensor<2x32x8x8xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x32x4x4xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %n, %z : tensor<2x16x8x8xf32>, tensor<2x32x4x4xf32>
}
