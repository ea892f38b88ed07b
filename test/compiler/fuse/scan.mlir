// RUN: tensorjit-opt %s --kernel-merge-producers | FileCheck %s

// What follows a scan point by point is computed in its kernel.
// CHECK-LABEL: func.func @epilogue
// CHECK:       kernel.nest "scan_sqrt" [parallel 4, reduction 8]
// CHECK:         %[[S:.*]] = kernel.scan add
// CHECK:         math.sqrt %[[S]]
// CHECK-NOT:   kernel.nest
func.func @epilogue(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = kernel.nest "scan" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    %s = kernel.scan add %a : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "sqrt" [parallel 4, parallel 8] ins(%0 at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    %r = math.sqrt %a : f32
    kernel.yield %r : f32
  }
  return %1 : tensor<4x8xf32>
}

// A scan is not done again in each visit of its row.
// CHECK-LABEL: func.func @sum_of_scan
// CHECK:       kernel.nest "scan"
// CHECK:       kernel.nest "sum"
func.func @sum_of_scan(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = kernel.nest "scan" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    %s = kernel.scan add %a : f32
    kernel.yield %s : f32
  }
  %1 = kernel.nest "sum" [parallel 4, reduction 8] ins(%0 at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %1 : tensor<4xf32>
}
