// RUN: tensorjit-opt %s --kernel-layout | FileCheck %s

// What a convolution makes lies channels last, and so does what is made of it, results that are images included.
// CHECK-LABEL: func.func @conv_relu
// CHECK-SAME:  -> (tensor<2x4x4x32xf32> {tj.order = array<i64: 0, 2, 3, 1>})
// CHECK:       %[[P:.*]] = kernel.nest "pack"
// CHECK:       %[[Y:.*]] = kernel.nest "conv2d" [parallel 2, parallel 8, parallel 8, parallel 32, reduction 16, reduction 3, reduction 3]
// CHECK:         -> (d0, d1, d2, d3)> : tensor<2x8x8x32xf32>
// CHECK:       kernel.nest "half" [parallel 2, parallel 4, parallel 4, parallel 32]
// CHECK-NEXT:      ins(%[[Y]] at affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2, d2 * 2, d3)> : tensor<2x8x8x32xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<2x4x4x32xf32>)
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

// What a convolution reads is made channels last, and once more as the state that it updates lies.
// CHECK-LABEL: func.func @read_by_conv
// CHECK:       %[[R:.*]]:2 = kernel.nest "neg" [parallel 2, parallel 16, parallel 8, parallel 8]
// CHECK:           -> (d0, d1, d2, d3)> : tensor<2x16x8x8xf32>,
// CHECK:           -> (d0, d2, d3, d1)> : tensor<2x8x8x16xf32>)
// CHECK:       kernel.nest "conv2d" {{.*}}reduction 3, reduction 3, reduction 16]
// CHECK-NEXT:      ins(%[[R]]#1 pad
func.func @read_by_conv(%x: tensor<2x16x8x8xf32>, %w: tensor<32x16x3x3xf32>) -> (tensor<2x16x8x8xf32> {tj.updates = 0 : i64}, tensor<2x32x4x4xf32>) {
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

// An argument that lies channels last is read as it lies, and leads what is made of it.
// CHECK-LABEL: func.func @argument
// CHECK-SAME:  -> (tensor<2x8x8x16xf32> {tj.order = array<i64: 0, 2, 3, 1>}, tensor<2x16x8x8xf32> {tj.updates = 1 : i64})
// CHECK:       kernel.nest "neg" [parallel 2, parallel 8, parallel 8, parallel 16]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<2x8x8x16xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<2x8x8x16xf32>)
// CHECK:       kernel.nest "add" [parallel 2, parallel 16, parallel 8, parallel 8]
// CHECK:           outs(affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)> : tensor<2x16x8x8xf32>)
func.func @argument(%x: tensor<2x8x8x16xf32> {tj.order = array<i64: 0, 2, 3, 1>}, %state: tensor<2x16x8x8xf32>)
    -> (tensor<2x16x8x8xf32>, tensor<2x16x8x8xf32> {tj.updates = 1 : i64}) {
  %t = kernel.nest "permute" [parallel 2, parallel 16, parallel 8, parallel 8]
      ins(%x at affine_map<(n, c, h, w) -> (n, h, w, c)> : tensor<2x8x8x16xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %n = kernel.nest "neg" [parallel 2, parallel 16, parallel 8, parallel 8]
      ins(%t at affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    kernel.yield %r : f32
  }
  %s = kernel.nest "add" [parallel 2, parallel 16, parallel 8, parallel 8]
      ins(%n at affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>,
          %state at affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>)
      outs(affine_map<(n, c, h, w) -> (n, c, h, w)> : tensor<2x16x8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    kernel.yield %r : f32
  }
  return %n, %s : tensor<2x16x8x8xf32>, tensor<2x16x8x8xf32>
}

// A weight's gradient is no image, and a flattened one must be row-major: both keep their order.
// CHECK-LABEL: func.func @others
// CHECK-SAME:  -> (tensor<32x16x3x3xf32>, tensor<2x2048xf32>)
func.func @others(%x: tensor<2x16x8x8xf32>, %g: tensor<2x32x8x8xf32>, %w: tensor<32x16x3x3xf32>)
    -> (tensor<32x16x3x3xf32>, tensor<2x2048xf32>) {
  %d = kernel.nest "weight_grad" [parallel 3, parallel 3, parallel 16, parallel 32, reduction 2, reduction 8, reduction 8]
      ins(%x pad 0.0 : f32 at affine_map<(a, b, c, o, n, h, w) -> (n, c, h + a - 1, w + b - 1)> : tensor<2x16x8x8xf32>,
          %g at affine_map<(a, b, c, o, n, h, w) -> (n, o, h, w)> : tensor<2x32x8x8xf32>)
      outs(affine_map<(a, b, c, o, n, h, w) -> (o, c, a, b)> : tensor<32x16x3x3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %y = kernel.nest "conv2d" [parallel 2, parallel 8, parallel 8, parallel 32, reduction 3, reduction 3, reduction 16]
      ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, a, b, c) -> (n, c, h + a - 1, w + b - 1)> : tensor<2x16x8x8xf32>,
          %w at affine_map<(n, h, w, o, a, b, c) -> (o, c, a, b)> : tensor<32x16x3x3xf32>)
      outs(affine_map<(n, h, w, o, a, b, c) -> (n, o, h, w)> : tensor<2x32x8x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %v = kernel.view %y : tensor<2x32x8x8xf32> -> tensor<2x2048xf32>
  return %d, %v : tensor<32x16x3x3xf32>, tensor<2x2048xf32>
}

// A product that writes the rows of another order is copied for who returns it, and the state, which lies row-major, is
// updated from the copy.
// CHECK-LABEL: func.func @kept_gradient
// CHECK:       %[[D:.*]] = kernel.nest "grad" [parallel 16, parallel 32, reduction 128]
// CHECK:           affine_map<(d0, d1, d2) -> (d0, d1)> : tensor<16x32xf32>)
// CHECK:       %[[C:.*]] = kernel.nest "reorder"
// CHECK-NEXT:      ins(%[[D]]
// CHECK:       kernel.nest "step"
// CHECK:           %[[C]] at affine_map<(d0, d1) -> (d0, d1)> : tensor<32x16xf32>)
// CHECK:       return %[[C]]
func.func @kept_gradient(%x: tensor<128x16xf32>, %g: tensor<128x32xf32>, %w: tensor<32x16xf32>)
    -> (tensor<32x16xf32>, tensor<32x16xf32> {tj.updates = 2 : i64}) {
  %d = kernel.nest "grad" [parallel 16, parallel 32, reduction 128]
      ins(%x at affine_map<(i, o, n) -> (n, i)> : tensor<128x16xf32>,
          %g at affine_map<(i, o, n) -> (n, o)> : tensor<128x32xf32>)
      outs(affine_map<(i, o, n) -> (o, i)> : tensor<32x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %y = kernel.nest "step" [parallel 32, parallel 16]
      ins(%w at affine_map<(o, i) -> (o, i)> : tensor<32x16xf32>,
          %d at affine_map<(o, i) -> (o, i)> : tensor<32x16xf32>)
      outs(affine_map<(o, i) -> (o, i)> : tensor<32x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.subf %a, %b : f32
    kernel.yield %r : f32
  }
  return %d, %y : tensor<32x16xf32>, tensor<32x16xf32>
}
