// RUN: tensorjit-opt %s --kernel-merge-producers | FileCheck %s

// An elementwise chain is one nest with the result that is still needed.
// CHECK-LABEL: func.func @chain
// CHECK:       kernel.nest "exp_neg" [parallel 8]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0) -> (d0)> : tensor<8xf32>)
// CHECK-NEXT:      outs(affine_map<(d0) -> (d0)> : tensor<8xf32>) {
// CHECK:         math.exp
// CHECK:         arith.negf
// CHECK-NOT:   kernel.nest
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = kernel.nest "exp" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    kernel.yield %e : f32
  }
  %1 = kernel.nest "neg" [parallel 8] ins(%0 at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  return %1 : tensor<8xf32>
}

// An epilogue joins the contraction; the sum is stored as well, since it is a result.
// CHECK-LABEL: func.func @epilogue
// CHECK:       %[[R:.*]]:2 = kernel.nest "matmul_relu" [parallel 4, parallel 8, reduction 16]
// CHECK:         %[[S:.*]] = kernel.reduce add
// CHECK:         %[[Y:.*]] = arith.select
// CHECK:         kernel.yield %[[S]], %[[Y]]
// CHECK:       return %[[R]]#0, %[[R]]#1
func.func @epilogue(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = kernel.nest "matmul" [parallel 4, parallel 8, reduction 16]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<4x16xf32>,
          %w at affine_map<(m, n, k) -> (k, n)> : tensor<16x8xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "relu" [parallel 4, parallel 8] ins(%0 at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf olt, %a, %zero : f32
    %y = arith.select %c, %zero, %a : f32
    kernel.yield %y : f32
  }
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Softmax written in parts: dependent reductions of one row.
// CHECK-LABEL: func.func @softmax
// CHECK:       kernel.nest {{.*}} [parallel 4, reduction 16]
// CHECK:         kernel.reduce max
// CHECK:         math.exp
// CHECK:         kernel.reduce add
// CHECK:         arith.divf
// CHECK-NOT:   kernel.nest
func.func @softmax(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = kernel.nest "max" [parallel 4, reduction 16] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    %r = kernel.reduce max %a : f32
    kernel.yield %r : f32
  }
  %e = kernel.nest "exp" [parallel 4, parallel 16]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>, %m at affine_map<(i, j) -> (i)> : tensor<4xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %r = math.exp %d : f32
    kernel.yield %r : f32
  }
  %s = kernel.nest "sum" [parallel 4, reduction 16] ins(%e at affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    %r = kernel.reduce add %a : f32
    kernel.yield %r : f32
  }
  %y = kernel.nest "div" [parallel 4, parallel 16]
      ins(%e at affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>, %s at affine_map<(i, j) -> (i)> : tensor<4xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x16xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.divf %a, %b : f32
    kernel.yield %r : f32
  }
  return %y : tensor<4x16xf32>
}

// A matrix product is not summed again while it is made: its rows are no reduction of the product.
// CHECK-LABEL: func.func @other_reduction
// CHECK:       kernel.nest "matmul"
// CHECK:       kernel.nest "sum"
func.func @other_reduction(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>) -> tensor<4xf32> {
  %0 = kernel.nest "matmul" [parallel 4, parallel 8, reduction 16]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<4x16xf32>,
          %w at affine_map<(m, n, k) -> (k, n)> : tensor<16x8xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "sum" [parallel 4, reduction 8] ins(%0 at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    %r = kernel.reduce add %a : f32
    kernel.yield %r : f32
  }
  return %1 : tensor<4xf32>
}

// Merging would need %c before and after the call.
// CHECK-LABEL: func.func @cycle
// CHECK:       kernel.nest "a"
// CHECK:       kernel.nest "c"
func.func @cycle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = kernel.nest "a" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    kernel.yield %n : f32
  }
  %b = call @opaque(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = kernel.nest "c" [parallel 8]
      ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>, %b at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32, %w: f32):
    %n = arith.addf %v, %w : f32
    kernel.yield %n : f32
  }
  return %c : tensor<8xf32>
}
func.func private @opaque(tensor<8xf32>) -> tensor<8xf32>
