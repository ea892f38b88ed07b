// RUN: not tensorjit-translate --kernel-to-vector %s 2>&1 | FileCheck %s
// CHECK: kernel 'power': no code for math.ipowi
func.func @f(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = kernel.nest "power" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xi32>)
      outs(affine_map<(i) -> (i)> : tensor<8xi32>) {
  ^bb0(%v: i32):
    %d = math.ipowi %v, %v : i32
    kernel.yield %d : i32
  }
  return %0 : tensor<8xi32>
}
