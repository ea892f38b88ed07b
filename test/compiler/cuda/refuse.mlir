// RUN: not tensorjit-translate --kernel-to-cuda %s 2>&1 | FileCheck %s

func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = kernel.nest "f" [parallel 8]
      ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>) outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    // CHECK: refuse.mlir:[[#@LINE+1]]:10: error: 'math.cbrt' op has no CUDA form
    %y = math.cbrt %a : f32
    kernel.yield %y : f32
  }
  return %r : tensor<8xf32>
}
