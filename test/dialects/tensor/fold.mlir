// RUN: tensorjit-opt %s --canonicalize --split-input-file | FileCheck %s

// What may go away (the op contract's list), and next to each what looks like it but must stay.

// CHECK-LABEL: func.func @identities
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = tj.full {sizes = array<i64>, value = 1.0 : f64, dtype = f32} : () -> tensor<f32>
  %plus = tj.full {sizes = array<i64>, value = 0.0 : f64, dtype = f32} : () -> tensor<f32>
  %minus = tj.full {sizes = array<i64>, value = -0.0 : f64, dtype = f32} : () -> tensor<f32>
  %a = tj.mul %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tj.div %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tj.add %x, %minus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = tj.sub %x, %plus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %n = tj.neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %e = tj.neg %n : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// x + 0 turns -0 into +0, x - (-0) too; 0 * x, x - x and x / x are NaN for some x.
// CHECK-LABEL: func.func @not_identities
// CHECK-DAG:     tj.add
// CHECK-DAG:     tj.sub %{{.*}}, %[[MINUS:.*]] : (tensor<4xf32>, tensor<f32>)
// CHECK-DAG:     tj.mul
// CHECK-DAG:     tj.sub %[[X:.*]], %[[X]]
// CHECK-DAG:     tj.div
func.func @not_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %plus = tj.full {sizes = array<i64>, value = 0.0 : f64, dtype = f32} : () -> tensor<f32>
  %minus = tj.full {sizes = array<i64>, value = -0.0 : f64, dtype = f32} : () -> tensor<f32>
  %a = tj.add %x, %plus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tj.sub %x, %minus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tj.mul %x, %plus : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %d = tj.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = tj.div %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A factor of one that broadcasts x is not nothing.
// CHECK-LABEL: func.func @broadcasting_one
// CHECK:         tj.mul
func.func @broadcasting_one(%x: tensor<4xf32>) -> tensor<3x4xf32> {
  %one = tj.full {sizes = array<i64: 3, 1>, value = 1.0 : f64, dtype = f32} : () -> tensor<3x1xf32>
  %a = tj.mul %x, %one : (tensor<4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return %a : tensor<3x4xf32>
}

// -----

// Division by a power of two is a product; 1/3 would round, 2^-127 is no normal f32.
// CHECK-LABEL: func.func @division
// CHECK-DAG:     %[[EIGHTH:.*]] = tj.full {dtype = f32, sizes = array<i64>, value = 1.250000e-01 : f64}
// CHECK-DAG:     tj.mul %{{.*}}, %[[EIGHTH]]
// CHECK-COUNT-2: tj.div
func.func @division(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %eight = tj.full {sizes = array<i64>, value = 8.0 : f64, dtype = f32} : () -> tensor<f32>
  %three = tj.full {sizes = array<i64>, value = 3.0 : f64, dtype = f32} : () -> tensor<f32>
  %huge = tj.full {sizes = array<i64>, value = 1.7014118346046923e38 : f64, dtype = f32} : () -> tensor<f32>
  %a = tj.div %x, %eight : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %b = tj.div %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = tj.div %x, %huge : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A number is cast where it stands: 300 saturates to 255, 0.1 has been rounded to f32 before it becomes f64.
// CHECK-LABEL: func.func @numbers
// CHECK-DAG:     tj.full {dtype = ui8, sizes = array<i64>, value = 255 : i64} : () -> tensor<ui8>
// CHECK-DAG:     tj.full {dtype = f64, sizes = array<i64>, value = 0.10000000149011612 : f64} : () -> tensor<f64>
// CHECK-NOT:     tj.cast
func.func @numbers() -> (tensor<ui8>, tensor<f64>) {
  %a = tj.full {sizes = array<i64>, value = 300.0 : f64, dtype = f32} : () -> tensor<f32>
  %b = tj.full {sizes = array<i64>, value = 0.1 : f64, dtype = f32} : () -> tensor<f32>
  %c = tj.cast %a {dtype = ui8} : (tensor<f32>) -> tensor<ui8>
  %d = tj.cast %b {dtype = f64} : (tensor<f32>) -> tensor<f64>
  return %c, %d : tensor<ui8>, tensor<f64>
}

// -----

// Casts that round stay, in pairs too.
// CHECK-LABEL: func.func @rounding_casts
// CHECK-COUNT-2: tj.cast
func.func @rounding_casts(%x: tensor<4xf64>) -> tensor<4xf64> {
  %a = tj.cast %x {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
  %b = tj.cast %a {dtype = f64} : (tensor<4xf32>) -> tensor<4xf64>
  return %b : tensor<4xf64>
}

// -----

// CHECK-LABEL: func.func @views
// CHECK-SAME:    (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG:     %[[R:.*]] = tj.reshape %[[X]] {sizes = array<i64: 6, 4>}
// CHECK-DAG:     %[[P:.*]] = tj.permute %[[X]] {dims = array<i64: 1, 2, 0>}
// CHECK:         return %[[R]], %[[P]], %[[X]]
func.func @views(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %a = tj.reshape %x {sizes = array<i64: 24>} : (tensor<2x3x4xf32>) -> tensor<24xf32>
  %b = tj.reshape %a {sizes = array<i64: 6, 4>} : (tensor<24xf32>) -> tensor<6x4xf32>
  %c = tj.permute %x {dims = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %d = tj.permute %c {dims = array<i64: 2, 0, 1>} : (tensor<4x2x3xf32>) -> tensor<3x4x2xf32>
  %e = tj.slice %x {dim = 0 : i64, start = 0 : i64, stop = 2 : i64, step = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %b, %d, %e : tensor<6x4xf32>, tensor<3x4x2xf32>, tensor<2x3x4xf32>
}

// -----

// A dead op goes, unless it may report a bad index.
// CHECK-LABEL: func.func @dead
// CHECK-NOT:     tj.exp
// CHECK:         tj.nll_loss
// CHECK-NOT:     tj.exp
func.func @dead(%x: tensor<4x3xf32>, %t: tensor<4xi64>) {
  %a = tj.exp %x : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %b = tj.nll_loss %x, %t {reduction = 1 : i64, ignore_index = -100 : i64} : (tensor<4x3xf32>, tensor<4xi64>) -> tensor<f32>
  return
}
