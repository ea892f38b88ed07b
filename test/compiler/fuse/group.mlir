// RUN: tensorjit-opt %s --kernel-group | FileCheck %s

// Two independent updates with one body are one kernel; %2 needs %0 and stays behind.
// CHECK-LABEL: func.func @updates
// CHECK:       %[[G:.*]]:2 = kernel.group "scale_group"(%arg0, %arg1 : tensor<8xf32>, tensor<2x2xf32>)
// CHECK:         kernel.nest "scale" [parallel 8]
// CHECK:         kernel.nest "scale" [parallel 2, parallel 2]
// CHECK:       }
// CHECK:       %[[R:.*]] = kernel.nest "scale" [parallel 8]
// CHECK:       return %[[G]]#1, %[[R]]
func.func @updates(%p: tensor<8xf32>, %q: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<8xf32>) {
  %0 = kernel.nest "scale" [parallel 8] ins(%p at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %1 = kernel.nest "scale" [parallel 2, parallel 2] ins(%q at affine_map<(i, j) -> (i, j)> : tensor<2x2xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<2x2xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  %2 = kernel.nest "scale" [parallel 8] ins(%0 at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    kernel.yield %n : f32
  }
  return %1, %2 : tensor<2x2xf32>, tensor<8xf32>
}
