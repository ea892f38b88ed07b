// RUN: tensorjit-opt %s --kernel-store-indices | FileCheck %s

// Positions in 200 x 150 fit into 16 bits; what reads them through a view widens them, and pads with what they are
// padded with.
// CHECK-LABEL: func.func @pool
// CHECK-SAME:      (%[[X:.*]]: tensor<4x200x150xf32>
// CHECK:         %[[R:.*]]:2 = kernel.nest "max"
// CHECK:             outs({{.*}} : tensor<4xf32>,
// CHECK-NEXT:             {{.*}} : tensor<4xi16>)
// CHECK:           %[[V:.*]], %[[AT:.*]] = kernel.arg_reduce max
// CHECK-NEXT:      %[[NARROW:.*]] = arith.trunci %[[AT]] : i64 to i16
// CHECK-NEXT:      kernel.yield %[[V]], %[[NARROW]] : f32, i16
// CHECK:         %[[VIEW:.*]] = kernel.view %[[R]]#1 : tensor<4xi16> -> tensor<2x2xi16>
// CHECK-NEXT:    kernel.nest "mark"
// CHECK-NEXT:        ins(%[[VIEW]] pad -1 : i16 at
// CHECK:         ^bb0(%[[I:.*]]: i16):
// CHECK-NEXT:      %[[WIDE:.*]] = arith.extsi %[[I]] : i16 to i64
// CHECK:           arith.cmpi eq, %[[WIDE]]
func.func @pool(%x: tensor<4x200x150xf32>) -> (tensor<4xf32>, tensor<3x2xi1>) {
  %r:2 = kernel.nest "max" [parallel 4, reduction 200, reduction 150]
      ins(%x at affine_map<(n, h, w) -> (n, h, w)> : tensor<4x200x150xf32>)
      outs(affine_map<(n, h, w) -> (n)> : tensor<4xf32>, affine_map<(n, h, w) -> (n)> : tensor<4xi64>) {
  ^bb0(%a: f32):
    %h = kernel.index 1 : i64
    %w = kernel.index 2 : i64
    %row = arith.constant 150 : i64
    %rows = arith.muli %h, %row : i64
    %i = arith.addi %rows, %w : i64
    %v, %at = kernel.arg_reduce max %a, %i : f32
    kernel.yield %v, %at : f32, i64
  }
  %pairs = kernel.view %r#1 : tensor<4xi64> -> tensor<2x2xi64>
  %m = kernel.nest "mark" [parallel 3, parallel 2]
      ins(%pairs pad -1 : i64 at affine_map<(i, j) -> (i, j)> : tensor<2x2xi64>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<3x2xi1>) {
  ^bb0(%i: i64):
    %j = kernel.index 1 : i64
    %eq = arith.cmpi eq, %i, %j : i64
    kernel.yield %eq : i1
  }
  return %r#0, %m : tensor<4xf32>, tensor<3x2xi1>
}

// One row more than 16 bits hold.
// CHECK-LABEL: func.func @large
// CHECK:             outs({{.*}} : tensor<4xi32>)
// CHECK:         kernel.nest "next"
// CHECK:         ^bb0(%{{.*}}: i32):
// CHECK:             arith.extsi %{{.*}} : i32 to i64
func.func @large(%x: tensor<4x32769xf32>) -> tensor<4xi64> {
  %r = kernel.nest "max" [parallel 4, reduction 32769]
      ins(%x at affine_map<(n, i) -> (n, i)> : tensor<4x32769xf32>)
      outs(affine_map<(n, i) -> (n)> : tensor<4xi64>) {
  ^bb0(%a: f32):
    %i = kernel.index 1 : i64
    %v, %at = kernel.arg_reduce max %a, %i : f32
    kernel.yield %at : i64
  }
  %s = kernel.nest "next" [parallel 4]
      ins(%r at affine_map<(i) -> (i)> : tensor<4xi64>) outs(affine_map<(i) -> (i)> : tensor<4xi64>) {
  ^bb0(%i: i64):
    %one = arith.constant 1 : i64
    %n = arith.addi %i, %one : i64
    kernel.yield %n : i64
  }
  return %s : tensor<4xi64>
}

// What the caller gets, what is made of data, and a pad that does not fit stay as they are.
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     i16
// CHECK-NOT:     i32
func.func @kept(%x: tensor<4x8xf32>, %t: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<5xi1>) {
  %r:3 = kernel.nest "max" [parallel 4, reduction 8]
      ins(%x at affine_map<(n, i) -> (n, i)> : tensor<4x8xf32>, %t at affine_map<(n, i) -> (n)> : tensor<4xi64>)
      outs(affine_map<(n, i) -> (n)> : tensor<4xi64>, affine_map<(n, i) -> (n)> : tensor<4xi64>,
           affine_map<(n, i) -> (n)> : tensor<4xi64>) {
  ^bb0(%a: f32, %b: i64):
    %i = kernel.index 1 : i64
    %v, %at = kernel.arg_reduce max %a, %i : f32
    %sum = arith.addi %at, %b : i64
    kernel.yield %at, %sum, %at : i64, i64, i64
  }
  %s = kernel.nest "next" [parallel 4]
      ins(%r#1 at affine_map<(i) -> (i)> : tensor<4xi64>) outs(affine_map<(i) -> (i)> : tensor<4xi64>) {
  ^bb0(%i: i64):
    %n = arith.addi %i, %i : i64
    kernel.yield %n : i64
  }
  %m = kernel.nest "mark" [parallel 5]
      ins(%r#2 pad 9223372036854775807 : i64 at affine_map<(i) -> (i)> : tensor<4xi64>)
      outs(affine_map<(i) -> (i)> : tensor<5xi1>) {
  ^bb0(%i: i64):
    %j = kernel.index 0 : i64
    %eq = arith.cmpi eq, %i, %j : i64
    kernel.yield %eq : i1
  }
  return %r#0, %s, %m : tensor<4xi64>, tensor<4xi64>, tensor<5xi1>
}
