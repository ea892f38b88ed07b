// RUN: tensorjit-opt %s --kernel-chain | FileCheck %s

// What a convolution makes is read by a pool, image by image, and never goes to memory. What the pool makes does.
// CHECK-LABEL: func.func @conv_pool
// CHECK:       %[[R:.*]] = kernel.chain "conv2d_chain" slices 64(%arg0, %arg1
// CHECK:         %[[Y:.*]] = kernel.nest "conv2d"
// CHECK:         %[[Z:.*]] = kernel.nest "pool"
// CHECK-NEXT:        ins(%[[Y]]
// CHECK:         kernel.yield %[[Z]] :
// CHECK:       return %[[R]]
func.func @conv_pool(%x: tensor<128x28x28x1xf32>, %w: tensor<3x3x1x32xf32>) -> tensor<128x14x14x32xf32> {
  %y = kernel.nest "conv2d" [parallel 128, parallel 28, parallel 28, parallel 32, reduction 3, reduction 3, reduction 1]
      ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 1, w + q - 1, i)> : tensor<128x28x28x1xf32>,
          %w at affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)> : tensor<3x3x1x32xf32>)
      outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<128x28x28x32xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %z = kernel.nest "pool" [parallel 128, parallel 14, parallel 14, parallel 32, reduction 2, reduction 2]
      ins(%y at affine_map<(n, h, w, c, p, q) -> (n, h * 2 + p, w * 2 + q, c)> : tensor<128x28x28x32xf32>)
      outs(affine_map<(n, h, w, c, p, q) -> (n, h, w, c)> : tensor<128x14x14x32xf32>) {
  ^bb0(%a: f32):
    %m = kernel.reduce max %a : f32
    kernel.yield %m : f32
  }
  return %z : tensor<128x14x14x32xf32>
}

// A gradient that is made in 16 chunks is read through a view, image by image and chunk by chunk; the reader that lets
// its memory go first runs first.
// CHECK-LABEL: func.func @chunks
// CHECK:       %[[R:.*]]:2 = kernel.chain "grad_chain" slices 16(
// CHECK:         %[[Y:.*]] = kernel.nest "grad"
// CHECK:         %[[V:.*]] = kernel.view %[[Y]]
// CHECK:         kernel.nest "weight_grad"
// CHECK:         kernel.nest "shift"
// CHECK-NEXT:        ins(%[[V]]
// CHECK:         kernel.nest "shift_back"
// CHECK-NOT:     kernel.nest
// CHECK:         kernel.yield
// CHECK-NEXT:  }
// CHECK:       kernel.nest "sum"
func.func @chunks(%x: tensor<16x8x14x14x64xf32>, %i: tensor<128x14x14x32xf32>)
    -> (tensor<3x32x64xf32>, tensor<128x14x14x64xf32>) {
  %y = kernel.nest "grad" [parallel 16, parallel 8, parallel 14, parallel 14, parallel 64]
      ins(%x at affine_map<(q, n, h, w, c) -> (q, n, h, w, c)> : tensor<16x8x14x14x64xf32>)
      outs(affine_map<(q, n, h, w, c) -> (q, n, h, w, c)> : tensor<16x8x14x14x64xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %v = kernel.view %y : tensor<16x8x14x14x64xf32> -> tensor<128x14x14x64xf32>
  %d = kernel.nest "shift" [parallel 128, parallel 14, parallel 14, parallel 64]
      ins(%v at affine_map<(n, h, w, c) -> (n, 13 - h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %back = kernel.nest "shift_back" [parallel 128, parallel 14, parallel 14, parallel 64]
      ins(%d at affine_map<(n, h, w, c) -> (n, 13 - h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  %e = kernel.nest "weight_grad" [parallel 16, parallel 3, parallel 32, parallel 64, reduction 8, reduction 14, reduction 14]
      ins(%i pad 0.0 : f32 at affine_map<(c, p, i, o, n, h, w) -> (c * 8 + n, h + p - 1, w, i)> : tensor<128x14x14x32xf32>,
          %v at affine_map<(c, p, i, o, n, h, w) -> (c * 8 + n, h, w, o)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(c, p, i, o, n, h, w) -> (c, p, i, o)> : tensor<16x3x32x64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %s = kernel.nest "sum" [parallel 3, parallel 32, parallel 64, reduction 16]
      ins(%e at affine_map<(p, i, o, c) -> (c, p, i, o)> : tensor<16x3x32x64xf32>)
      outs(affine_map<(p, i, o, c) -> (p, i, o)> : tensor<3x32x64xf32>) {
  ^bb0(%a: f32):
    %t = kernel.reduce add %a : f32
    kernel.yield %t : f32
  }
  return %s, %back : tensor<3x32x64xf32>, tensor<128x14x14x64xf32>
}

// A product whose rows are the images would read all of its second factor in each slice.
// CHECK-LABEL: func.func @product
// CHECK-NOT:   kernel.chain
func.func @product(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = kernel.nest "neg" [parallel 1024, parallel 1024]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %z = kernel.nest "matmul" [parallel 1024, parallel 1024, reduction 1024]
      ins(%y at affine_map<(i, j, k) -> (i, k)> : tensor<1024x1024xf32>,
          %w at affine_map<(i, j, k) -> (k, j)> : tensor<1024x1024xf32>)
      outs(affine_map<(i, j, k) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %z : tensor<1024x1024xf32>
}

// Between the two stands a sum over all rows.
// CHECK-LABEL: func.func @through_others
// CHECK-NOT:   kernel.chain
func.func @through_others(%x: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %y = kernel.nest "neg" [parallel 1024, parallel 1024]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %s = kernel.nest "sum" [parallel 1024, reduction 1024]
      ins(%y at affine_map<(j, i) -> (i, j)> : tensor<1024x1024xf32>)
      outs(affine_map<(j, i) -> (j)> : tensor<1024xf32>) {
  ^bb0(%a: f32):
    %t = kernel.reduce add %a : f32
    kernel.yield %t : f32
  }
  %z = kernel.nest "sub" [parallel 1024, parallel 1024]
      ins(%y at affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>,
          %s at affine_map<(i, j) -> (j)> : tensor<1024xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    kernel.yield %d : f32
  }
  return %z : tensor<1024x1024xf32>
}

// State is written in place by its own nest.
// CHECK-LABEL: func.func @state
// CHECK-NOT:   kernel.chain
func.func @state(%x: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32> {tj.updates = 0 : i64}, tensor<1024x1024xf32>) {
  %y = kernel.nest "neg" [parallel 1024, parallel 1024]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %z = kernel.nest "turn" [parallel 1024, parallel 1024]
      ins(%y at affine_map<(i, j) -> (i, 1023 - j)> : tensor<1024x1024xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<1024x1024xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %y, %z : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}
