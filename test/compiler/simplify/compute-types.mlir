// RUN: tensorjit-opt %s --tj-compute-types | FileCheck %s

// Ops compute in f32, between casts that are their own rounding.
// CHECK-LABEL: func.func @chain
// CHECK:       %[[X:.*]] = tj.cast %arg0 {dtype = f32} : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK:       %[[E:.*]] = tj.exp %[[X]] : (tensor<3xf32>) -> tensor<3xf32>
// CHECK:       %[[R:.*]] = tj.cast %[[E]] {dtype = bf16} : (tensor<3xf32>) -> tensor<3xbf16>
// CHECK:       %[[W:.*]] = tj.cast %[[R]] {dtype = f32}
// CHECK:       tj.lt
// CHECK-SAME:  (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
func.func @chain(%x: tensor<3xbf16>, %y: tensor<3xbf16>) -> tensor<3xi1> {
  %e = tj.exp %x : (tensor<3xbf16>) -> tensor<3xbf16>
  %c = tj.lt %e, %y : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xi1>
  return %c : tensor<3xi1>
}

// i16 computes in i32; what only moves elements, and casts, stay.
// CHECK-LABEL: func.func @moves
// CHECK:       %[[T:.*]] = tj.permute %arg0 {dims = array<i64: 1, 0>} : (tensor<2x3xi16>) -> tensor<3x2xi16>
// CHECK:       %[[W:.*]] = tj.cast %[[T]] {dtype = i32}
// CHECK:       %[[N:.*]] = tj.neg %[[W]] : (tensor<3x2xi32>) -> tensor<3x2xi32>
// CHECK:       %[[R:.*]] = tj.cast %[[N]] {dtype = i16}
// CHECK:       tj.cast %[[R]] {dtype = f16} : (tensor<3x2xi16>) -> tensor<3x2xf16>
func.func @moves(%x: tensor<2x3xi16>) -> tensor<3x2xf16> {
  %t = tj.permute %x {dims = array<i64: 1, 0>} : (tensor<2x3xi16>) -> tensor<3x2xi16>
  %n = tj.neg %t : (tensor<3x2xi16>) -> tensor<3x2xi16>
  %h = tj.cast %n {dtype = f16} : (tensor<3x2xi16>) -> tensor<3x2xf16>
  return %h : tensor<3x2xf16>
}
