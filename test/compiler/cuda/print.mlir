// RUN: tensorjit-translate --kernel-to-cuda %s | FileCheck %s

// One thread a point; the last block is not full.
// CHECK-LABEL: static __device__ void nest_scale_0(const float *in0, float *out0, int block) {
// CHECK-NEXT:    const int point = block * 256 + threadIdx.x;
// CHECK-NEXT:    if (point >= 300) return;
// CHECK-NEXT:    const int d0 = point;
// CHECK-NEXT:    const float v0 = in0[d0];
// CHECK-NEXT:    const float v1 = 0x1.8p+1f;
// CHECK-NEXT:    const float v2 = v0 * v1;
// CHECK-NEXT:    out0[d0] = v2;
// CHECK-NEXT:  }
// CHECK:       // scale_0: 2 blocks of 256 threads
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256) scale_0(const float *p0, float *p1) {
// CHECK-NEXT:    nest_scale_0(p0, p1, blockIdx.x);
// CHECK-NEXT:  }
func.func @scale(%x: tensor<300xf32>) -> tensor<300xf32> {
  %r = kernel.nest "scale" [parallel 300]
      ins(%x at affine_map<(i) -> (i)> : tensor<300xf32>) outs(affine_map<(i) -> (i)> : tensor<300xf32>) {
  ^bb0(%a: f32):
    %three = arith.constant 3.0 : f32
    %y = arith.mulf %a, %three : f32
    kernel.yield %y : f32
  }
  return %r : tensor<300xf32>
}

// A read that may leave the tensor has its condition, and its pad otherwise. Quotients of what may be negative round
// down.
// CHECK-LABEL: nest_shifted_1
// CHECK:         const int d1 = point % 8;
// CHECK-NEXT:    const int d0 = point / 8;
// CHECK-NEXT:    const bool v0 = in1[floorMod((d1 + (-2)), 3)] != 0;
// CHECK-NEXT:    const int v1 = (d1 + (-2)) >= 0 ? in0[d0 * 6 + (d1 + (-2))] : (int)0x7;
func.func @shifted(%x: tensor<4x6xi32>, %m: tensor<3xi1>) -> tensor<4x8xi32> {
  %r = kernel.nest "shifted" [parallel 4, parallel 8]
      ins(%x pad 7 : i32 at affine_map<(i, j) -> (i, j - 2)> : tensor<4x6xi32>,
          %m pad false at affine_map<(i, j) -> ((j - 2) mod 3)> : tensor<3xi1>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xi32>) {
  ^bb0(%a: i32, %b: i1):
    %zero = arith.constant 0 : i32
    %y = arith.select %b, %a, %zero : i32
    kernel.yield %y : i32
  }
  return %r : tensor<4x8xi32>
}

// Reductions that depend on one another: the row is visited three times, its loads are written again each time.
// CHECK-LABEL: nest_centre_2
// CHECK:         const int row = block;
// CHECK-NEXT:    const int d0 = row;
// CHECK-NEXT:    float a0 = __int_as_float(0xFF800000);
// CHECK-NEXT:    for (int r = threadIdx.x; r < 64; r += 64) {
// CHECK-NEXT:      const int d1 = r;
// CHECK-NEXT:      const float [[A:v[0-9]+]] = in0[d0 * 64 + d1];
// CHECK-NEXT:      a0 = Max()(a0, (float)[[A]]);
// CHECK-NEXT:    }
// CHECK-NEXT:    const float [[MAX:v[0-9]+]] = (float)blockReduce<64>(a0, Max());
// CHECK-NEXT:    float a1 = 0;
// CHECK-NEXT:    for (
// CHECK:           const float [[B:v[0-9]+]] = in0[d0 * 64 + d1];
// CHECK-NEXT:      const float [[D:v[0-9]+]] = [[B]] - [[MAX]];
// CHECK-NEXT:      a1 = Add()(a1, (float)[[D]]);
// CHECK-NEXT:    }
// CHECK-NEXT:    const float [[SUM:v[0-9]+]] = (float)blockReduce<64>(a1, Add());
// CHECK:           out1[d0 * 64 + d1] =
// CHECK:         if (threadIdx.x != 0) return;
// CHECK:         out0[d0] = [[SUM]];
func.func @centre(%x: tensor<128x64xf32>) -> (tensor<128xf32>, tensor<128x64xf32>) {
  %r:2 = kernel.nest "centre" [parallel 128, reduction 64]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<128xf32>, affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>) {
  ^bb0(%a: f32):
    %max = kernel.reduce max %a : f32
    %d = arith.subf %a, %max : f32
    %s = kernel.reduce add %d : f32
    %q = arith.divf %d, %s : f32
    kernel.yield %s, %q : f32, f32
  }
  return %r#0, %r#1 : tensor<128xf32>, tensor<128x64xf32>
}

// A thread's part of a long sum is formed in pieces of 128 terms.
// CHECK-LABEL: nest_total_3
// CHECK:         float a0 = 0;
// CHECK-NEXT:    for (int first = 0; first < 100000; first += 32768) {
// CHECK:           float part_a0 = 0;
// CHECK-NEXT:      for (int r = first + threadIdx.x; r < end; r += 256) {
// CHECK:             part_a0 = Add()(part_a0,
// CHECK:           a0 += part_a0;
func.func @total(%x: tensor<100000xf32>) -> tensor<f32> {
  %r = kernel.nest "total" [reduction 100000]
      ins(%x at affine_map<(i) -> (i)> : tensor<100000xf32>) outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<f32>
}

// The nests of a group take ranges of the blocks.
// CHECK-LABEL: // update_4: 2 blocks of 256 threads
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256) update_4(const float *p0, const double *p1, float *p2, double *p3) {
// CHECK-NEXT:    if (blockIdx.x < 1) return nest_update_4_0(p0, p2, blockIdx.x);
// CHECK-NEXT:    nest_update_4_1(p1, p3, blockIdx.x - 1);
// CHECK-NEXT:  }
func.func @update(%p: tensor<8xf32>, %q: tensor<4xf64>) -> (tensor<8xf32>, tensor<4xf64>) {
  %r:2 = kernel.group "update"(%p, %q : tensor<8xf32>, tensor<4xf64>) -> (tensor<8xf32>, tensor<4xf64>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<4xf64>):
    %0 = kernel.nest "p" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
        outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
    ^bb0(%v: f32):
      %w = arith.negf %v : f32
      kernel.yield %w : f32
    }
    %1 = kernel.nest "q" [parallel 4] ins(%b at affine_map<(i) -> (i)> : tensor<4xf64>)
        outs(affine_map<(i) -> (i)> : tensor<4xf64>) {
    ^bb0(%v: f64):
      %w = math.exp %v : f64
      kernel.yield %w : f64
    }
    kernel.yield %0, %1 : tensor<8xf32>, tensor<4xf64>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4xf64>
}
