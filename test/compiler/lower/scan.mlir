// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK:       kernel.nest "scan_sum" [parallel 3, reduction 5]
// CHECK-NEXT:      ins(%arg0 at affine_map<(d0, d1) -> (d0, d1)> : tensor<3x5xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1) -> (d0, d1)> : tensor<3x5xf32>) {
// CHECK:         kernel.scan add reverse exclusive %{{.*}} : f32
func.func @rows(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tj.scan_sum %x {dim = 1 : i64, reverse = true, exclusive = true} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @columns
// CHECK:       kernel.nest "scan_prod" [reduction 3, parallel 16]
// CHECK:         kernel.scan mul %{{.*}} : i64
func.func @columns(%x: tensor<3x16xi64>) -> tensor<3x16xi64> {
  %0 = tj.scan_prod %x {dim = 0 : i64, reverse = false, exclusive = false} : (tensor<3x16xi64>) -> tensor<3x16xi64>
  return %0 : tensor<3x16xi64>
}

// -----

// CHECK-LABEL: func.func @few_columns
// CHECK:       tj.scan_sum {{.*}}tj.refusal = "too few columns lie side by side"
func.func @few_columns(%x: tensor<30x5xf32>) -> tensor<30x5xf32> {
  %0 = tj.scan_sum %x {dim = 0 : i64, reverse = false, exclusive = false} : (tensor<30x5xf32>) -> tensor<30x5xf32>
  return %0 : tensor<30x5xf32>
}

// -----

// One element is its own sum, and nothing comes before it.
// CHECK-LABEL: func.func @one
// CHECK:       kernel.nest "scan_prod" [parallel 4, parallel 1]
// CHECK-NOT:     kernel.scan
// CHECK:         arith.constant 1.0
func.func @one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = tj.scan_prod %x {dim = 1 : i64, reverse = false, exclusive = true} : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// CHECK-LABEL: func.func @product_of_rows
// CHECK:       tj.scan_prod {{.*}}tj.refusal = "products along the innermost dim follow one another"
func.func @product_of_rows(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = tj.scan_prod %x {dim = 1 : i64, reverse = false, exclusive = false} : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func.func @long_row
// CHECK:       tj.scan_sum {{.*}}tj.refusal = "a single long row is shared between threads by the eager kernel"
func.func @long_row(%x: tensor<65536xf32>) -> tensor<65536xf32> {
  %0 = tj.scan_sum %x {dim = 0 : i64, reverse = false, exclusive = false} : (tensor<65536xf32>) -> tensor<65536xf32>
  return %0 : tensor<65536xf32>
}
