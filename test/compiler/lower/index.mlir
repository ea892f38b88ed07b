// RUN: tensorjit-opt %s --tj-lower --split-input-file | FileCheck %s

// A row is read where the list says; the position is checked.
// CHECK-LABEL: func.func @index_select
// CHECK:       kernel.nest "index_select" [parallel 5, parallel 4]
// CHECK-NEXT:    ins(%{{.*}} at affine_map<(d0, d1)[s0] -> (s0, d1)> : tensor<3x4xf32>,
// CHECK-NEXT:        %{{.*}} at affine_map<(d0, d1) -> (d0)> : tensor<5xi32>)
// CHECK:         %[[P:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK:         %[[ROW:.*]] = kernel.check_index %[[P]] at %{{.*}} in 3 check 0 : i64
// CHECK:         kernel.read %{{.*}}[%[[ROW]]] : f32
func.func @index_select(%x: tensor<3x4xf32>, %i: tensor<5xi32>) -> tensor<5x4xf32> {
  %0 = tj.index_select %x, %i {dim = 0 : i64} : (tensor<3x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// -----

// CHECK-LABEL: func.func @gather
// CHECK:       ins(%{{.*}} at affine_map<(d0, d1)[s0] -> (d0, s0)> : tensor<3x4xbf16>,
// CHECK:       kernel.check_index %{{.*}} at %{{.*}} in 4 check 0 : i64
func.func @gather(%x: tensor<3x4xbf16>, %i: tensor<2x9xi64>) -> tensor<2x9xbf16> {
  %0 = tj.gather %x, %i {dim = 1 : i64} : (tensor<3x4xbf16>, tensor<2x9xi64>) -> tensor<2x9xbf16>
  return %0 : tensor<2x9xbf16>
}

// -----

// Zeros need not be made to be written on.
// CHECK-LABEL: func.func @gradient
// CHECK:       kernel.scatter "index_add" add %{{.*}} at %{{.*}} dim 0 check 0 : (tensor<5x4xf32>, tensor<5xi64>) -> tensor<3x4xf32>
func.func @gradient(%g: tensor<5x4xf32>, %i: tensor<5xi64>) -> tensor<3x4xf32> {
  %z = tj.full {sizes = array<i64: 3, 4>, value = 0.0 : f64, dtype = f32} : () -> tensor<3x4xf32>
  %0 = tj.index_add %z, %i, %g {dim = 0 : i64} : (tensor<3x4xf32>, tensor<5xi64>, tensor<5x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func.func @scatter
// CHECK:       kernel.scatter "scatter" set %{{.*}} at %{{.*}} onto %{{.*}} dim 1 check 0
func.func @scatter(%x: tensor<3x4xi1>, %i: tensor<3x2xi64>, %v: tensor<3x2xi1>) -> tensor<3x4xi1> {
  %0 = tj.scatter %x, %i, %v {dim = 1 : i64} : (tensor<3x4xi1>, tensor<3x2xi64>, tensor<3x2xi1>) -> tensor<3x4xi1>
  return %0 : tensor<3x4xi1>
}

// -----

// The eager kernel is called where a part of the source is written.
// CHECK-LABEL: func.func @corner
// CHECK:       tj.scatter_add {{.*}} {dim = 0 : i64, tj.refusal = "a scatter of a part of its source"}
func.func @corner(%x: tensor<3x4xf32>, %i: tensor<2x2xi64>, %v: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = tj.scatter_add %x, %i, %v {dim = 0 : i64} : (tensor<3x4xf32>, tensor<2x2xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
