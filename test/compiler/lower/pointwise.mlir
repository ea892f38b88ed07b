// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// The record's expression, over the broadcast sizes.
// CHECK-LABEL: func.func @add
// CHECK:       kernel.nest "add" [parallel 4, parallel 3]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1) -> (d0, d1)> : tensor<4x3xf32>,
// CHECK-NEXT:          %arg1 at affine_map<(d0, d1) -> (d1)> : tensor<3xf32>)
// CHECK:         arith.addf
func.func @add(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = tj.add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// u8 compares without a sign.
// CHECK-LABEL: func.func @unsigned
// CHECK:         arith.cmpi ult
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xi1> {
  %0 = tj.lt %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// Bool orders as 0 and 1, also where a signed i1 would not.
// CHECK-LABEL: func.func @max_bool
// CHECK:         %[[W:.*]] = arith.extui
// CHECK:         %[[M:.*]] = kernel.reduce max %[[W]] : i32
// CHECK:         arith.trunci %[[M]] : i32 to i1
func.func @max_bool(%x: tensor<4xi1>) -> tensor<i1> {
  %0 = tj.reduce_max %x {dims = array<i64: 0>, keepdim = false} : (tensor<4xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

// An op that no lowering takes stays, with the reason.
// CHECK-LABEL: func.func @refused
// CHECK:       tj.max_pool2d {{.*}}tj.refusal = "max_pool2d of bool and u8"
func.func @refused(%x: tensor<1x1x2x2xui8>) -> (tensor<1x1x1x1xui8>, tensor<1x1x1x1xi64>) {
  %0:2 = tj.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<1x1x2x2xui8>) -> (tensor<1x1x1x1xui8>, tensor<1x1x1x1xi64>)
  return %0#0, %0#1 : tensor<1x1x1x1xui8>, tensor<1x1x1x1xi64>
}
