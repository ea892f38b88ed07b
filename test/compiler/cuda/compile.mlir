// REQUIRES: nvrtc, ptxas
// RUN: tensorjit-translate --kernel-to-ptx --nvrtc=%nvrtc %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: %ptxas -arch=sm_80 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS

// Nothing spills.
// PTXAS-NOT: {{[1-9][0-9]*}} bytes spill

// A product and a sum stay two roundings; division rounds correctly; denormals are kept.
// CHECK-LABEL: .entry axpy_0
// CHECK-NOT:     fma.
// CHECK:         mul.rn.f32
// CHECK-NOT:     fma.
// CHECK:         add.rn.f32
// CHECK:         div.rn.f32
// CHECK:         ret;
func.func @axpy(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> tensor<1000xf32> {
  %r = kernel.nest "axpy" [parallel 1000]
      ins(%x at affine_map<(i) -> (i)> : tensor<1000xf32>, %y at affine_map<(i) -> (i)> : tensor<1000xf32>)
      outs(affine_map<(i) -> (i)> : tensor<1000xf32>) {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %b : f32
    %q = arith.divf %s, %a : f32
    kernel.yield %q : f32
  }
  return %r : tensor<1000xf32>
}

// Softmax in f32: exp is written out, the same steps as on the CPU.
// CHECK-LABEL: .entry softmax_1
// CHECK:         shfl.sync.bfly.b32
// CHECK:         bar.sync
// CHECK-NOT:     ex2.approx
// CHECK:         fma.rn.f32
// CHECK:         ret;
func.func @softmax(%x: tensor<128x1000xf32>) -> tensor<128x1000xf32> {
  %r = kernel.nest "softmax" [parallel 128, reduction 1000]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<128x1000xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<128x1000xf32>) {
  ^bb0(%a: f32):
    %max = kernel.reduce max %a : f32
    %d = arith.subf %a, %max : f32
    %e = math.exp %d : f32
    %s = kernel.reduce add %e : f32
    %q = arith.divf %e, %s : f32
    kernel.yield %q : f32
  }
  return %r : tensor<128x1000xf32>
}

// The class of each row, its loss picked by comparing positions, and a check of the classes.
// CHECK-LABEL: .entry pick_2
// CHECK:         atom.global.min.u64
func.func @pick(%x: tensor<32x10xf32>, %t: tensor<32xi64>) -> (tensor<32xf32>, tensor<32xi64>) {
  %r:2 = kernel.nest "pick" [parallel 32, reduction 10]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<32x10xf32>, %t at affine_map<(i, j) -> (i)> : tensor<32xi64>)
      outs(affine_map<(i, j) -> (i)> : tensor<32xf32>, affine_map<(i, j) -> (i)> : tensor<32xi64>) {
  ^bb0(%a: f32, %class: i64):
    %row = kernel.index 0 : i64
    %c = kernel.check_index %class at %row in 10 check 0 : i64
    %j = kernel.index 1 : i64
    %here = arith.cmpi eq, %j, %c : i64
    %zero = arith.constant 0.0 : f32
    %own = arith.select %here, %a, %zero : f32
    %loss = kernel.reduce add %own : f32
    %best, %at = kernel.arg_reduce max %a, %j : f32
    kernel.yield %loss, %at : f32, i64
  }
  return %r#0, %r#1 : tensor<32xf32>, tensor<32xi64>
}

// Every dtype, and bits that must survive.
// CHECK-LABEL: .entry dtypes_3
func.func @dtypes(%m: tensor<7xi1>, %b: tensor<7xi8>, %u: tensor<7xui8>, %i: tensor<7xi32>, %l: tensor<7xi64>,
                  %d: tensor<7xf64>) -> (tensor<7xi1>, tensor<7xui8>, tensor<7xi64>, tensor<7xf32>) {
  %r:4 = kernel.nest "dtypes" [parallel 7]
      ins(%m at affine_map<(i) -> (i)> : tensor<7xi1>, %b at affine_map<(i) -> (i)> : tensor<7xi8>,
          %u at affine_map<(i) -> (i)> : tensor<7xui8>, %i at affine_map<(i) -> (i)> : tensor<7xi32>,
          %l at affine_map<(i) -> (i)> : tensor<7xi64>, %d at affine_map<(i) -> (i)> : tensor<7xf64>)
      outs(affine_map<(i) -> (i)> : tensor<7xi1>, affine_map<(i) -> (i)> : tensor<7xui8>,
           affine_map<(i) -> (i)> : tensor<7xi64>, affine_map<(i) -> (i)> : tensor<7xf32>) {
  ^bb0(%m0: i1, %b0: i8, %u0: i8, %i0: i32, %l0: i64, %d0: f64):
    %sum = arith.addi %b0, %u0 : i8
    %wide = arith.extui %sum : i8 to i64
    %mask = arith.extsi %m0 : i1 to i64
    %and = arith.andi %wide, %mask : i64
    %shifted = arith.shrsi %l0, %and : i64
    %big = arith.maxsi %shifted, %wide : i64
    %low = arith.trunci %i0 : i32 to i1
    %not = arith.xori %low, %m0 : i1
    %max = arith.maximumf %d0, %d0 : f64
    %cut = arith.truncf %max : f64 to f32
    %bits = arith.bitcast %cut : f32 to i32
    %more = arith.ori %bits, %i0 : i32
    %back = arith.bitcast %more : i32 to f32
    %root = math.sqrt %back : f32
    kernel.yield %not, %sum, %big, %root : i1, i8, i64, f32
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<7xi1>, tensor<7xui8>, tensor<7xi64>, tensor<7xf32>
}
