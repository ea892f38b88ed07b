// REQUIRES: nvrtc, ptxas
// RUN: tensorjit-translate --kernel-to-ptx --nvrtc=%nvrtc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_90 %t.ptx -o %t.cubin

// Softmax in f64, whose exp is CUDA's own.
// CHECK-LABEL: .entry softmax_0
// CHECK:         shfl.sync.bfly.b32
// CHECK:         bar.sync
func.func @softmax(%x: tensor<128x1000xf64>) -> tensor<128x1000xf64> {
  %r = kernel.nest "softmax" [parallel 128, reduction 1000]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<128x1000xf64>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<128x1000xf64>) {
  ^bb0(%a: f64):
    %max = kernel.reduce max %a : f64
    %d = arith.subf %a, %max : f64
    %e = math.exp %d : f64
    %s = kernel.reduce add %e : f64
    %q = arith.divf %e, %s : f64
    kernel.yield %q : f64
  }
  return %r : tensor<128x1000xf64>
}
