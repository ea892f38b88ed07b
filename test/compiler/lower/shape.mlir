// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @permute
// CHECK:       kernel.nest "permute" [parallel 4, parallel 2, parallel 3]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1, d2) -> (d1, d2, d0)> : tensor<2x3x4xf32>)
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tj.permute %x {dims = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @reshape
// CHECK:       kernel.view %arg0 : tensor<2x6xf32> -> tensor<3x4xf32>
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %0 = tj.reshape %x {sizes = array<i64: 3, 4>} : (tensor<2x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @broadcast
// CHECK:       ins(%arg0 at affine_map<(d0, d1, d2) -> (d1, 0)> : tensor<3x1xf32>)
func.func @broadcast(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = tj.broadcast_to %x {sizes = array<i64: 2, 3, 4>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// A negative step walks down.
// CHECK-LABEL: func.func @slice
// CHECK:       ins(%arg0 at affine_map<(d0) -> (-d0 + 4)> : tensor<5xf32>)
func.func @slice(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = tj.slice %x {dim = 0 : i64, start = 4 : i64, stop = -1 : i64, step = -1 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// The slice is read with a pad and taken where the position lies on it.
// CHECK-LABEL: func.func @slice_scatter
// CHECK:       ins(%arg0 at affine_map<(d0) -> (d0)> : tensor<5xf32>,
// CHECK-NEXT:      %arg1 pad 0.000000e+00 : f32 at affine_map<(d0) -> ((d0 - 1) floordiv 2)> : tensor<2xf32>)
// CHECK:         arith.remsi
// CHECK:         arith.select
func.func @slice_scatter(%x: tensor<5xf32>, %v: tensor<2xf32>) -> tensor<5xf32> {
  %0 = tj.slice_scatter %x, %v {dim = 0 : i64, start = 1 : i64, stop = 5 : i64, step = 2 : i64}
      : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @full
// CHECK:       kernel.nest "full" [parallel 2]
// CHECK:         arith.constant 1.500000e+00 : f32
func.func @full() -> tensor<2xf32> {
  %0 = tj.full {sizes = array<i64: 2>, value = 1.5 : f64, dtype = f32} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Bytes that are no sign of anything: a u8 tensor is read as i8 and extended with zeros.
// CHECK-LABEL: func.func @cast
// CHECK:       ins(%arg0 at affine_map<(d0) -> (d0)> : tensor<4xui8>)
// CHECK:       ^bb0(%[[X:.*]]: i8):
// CHECK:         arith.uitofp %[[X]] : i8 to f32
func.func @cast(%x: tensor<4xui8>) -> tensor<4xf32> {
  %0 = tj.cast %x {dtype = f32} : (tensor<4xui8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Truncated and saturated; NaN is 0.
// CHECK-LABEL: func.func @saturate
// CHECK:         %[[SAFE:.*]] = arith.select
// CHECK:         arith.fptosi %[[SAFE]] : f32 to i32
// CHECK:         arith.constant 2147483647 : i32
func.func @saturate(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = tj.cast %x {dtype = i32} : (tensor<4xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
