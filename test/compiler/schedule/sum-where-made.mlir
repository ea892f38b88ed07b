// RUN: tensorjit-opt %s --kernel-schedule | FileCheck %s

// The bias's gradient is summed up while the gradient that others read is made.
// CHECK-LABEL: func.func @bias_grad
// CHECK:       %[[Y:.*]]:2 = kernel.nest "neg_sum_parts" [parallel 16, parallel 64, reduction 8, reduction 14, reduction 14]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2, d3, d4) -> (d0 * 8 + d2, d3, d4, d1)> : tensor<128x14x14x64xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3, d4, d1)> : tensor<16x8x14x14x64xf32>,
// CHECK-NEXT:           affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)> : tensor<16x64xf32>)
// CHECK-SAME:      schedule = "column_reduction"
// CHECK:       %[[V:.*]] = kernel.view %[[Y]]#0 : tensor<16x8x14x14x64xf32> -> tensor<128x14x14x64xf32>
// CHECK:       %[[B:.*]] = kernel.nest "sum" [parallel 64, reduction 16]
// CHECK-NEXT:      ins(%[[Y]]#1
// CHECK:       return %[[V]], %[[B]]
func.func @bias_grad(%x: tensor<128x14x14x64xf32>) -> (tensor<128x14x14x64xf32>, tensor<64xf32>) {
  %y = kernel.nest "neg" [parallel 128, parallel 14, parallel 14, parallel 64]
      ins(%x at affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    kernel.yield %r : f32
  }
  %b = kernel.nest "sum" [parallel 64, reduction 128, reduction 14, reduction 14]
      ins(%y at affine_map<(c, n, h, w) -> (n, h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(c, n, h, w) -> (c)> : tensor<64xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %y, %b : tensor<128x14x14x64xf32>, tensor<64xf32>
}

// State is written in place by its own nest, which a sum would keep from it.
// CHECK-LABEL: func.func @state
// CHECK:       kernel.nest "neg" [parallel 128, parallel 14, parallel 14, parallel 64]
// CHECK:       kernel.nest "sum_parts"
func.func @state(%x: tensor<128x14x14x64xf32>) -> (tensor<128x14x14x64xf32> {tj.updates = 0 : i64}, tensor<64xf32>) {
  %y = kernel.nest "neg" [parallel 128, parallel 14, parallel 14, parallel 64]
      ins(%x at affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(n, h, w, c) -> (n, h, w, c)> : tensor<128x14x14x64xf32>) {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    kernel.yield %r : f32
  }
  %b = kernel.nest "sum" [parallel 64, reduction 128, reduction 14, reduction 14]
      ins(%y at affine_map<(c, n, h, w) -> (n, h, w, c)> : tensor<128x14x14x64xf32>)
      outs(affine_map<(c, n, h, w) -> (c)> : tensor<64xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %y, %b : tensor<128x14x14x64xf32>, tensor<64xf32>
}
