// RUN: tensorjit-translate --kernel-to-cuda %s | FileCheck %s

// The user's lines; a thread has four neighbours, of the 256 threads of the block 75 have something to do.
// CHECK:       // scale: print.mlir:[[#]]
// CHECK-NEXT:  static __device__ void nest_scale_0(const float *in0, float *out0, int block) {
// CHECK-NEXT:    const int item = block * 256 + threadIdx.x;
// CHECK-NEXT:    if (item >= 75) return;
// CHECK-NEXT:    const int d0 = item;
// CHECK-NEXT:    const Vec<float, 4> x0 = load<4>(in0 + (d0 * 4));
// CHECK-NEXT:    const float v0 = 0x1.8p+1f;
// CHECK-NEXT:    Vec<float, 4> y0;
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int d1 = 0; d1 < 4; ++d1) {
// CHECK-NEXT:      const float v1 = x0[d1] * v0;
// CHECK-NEXT:      y0[d1] = v1;
// CHECK-NEXT:    }
// CHECK-NEXT:    store(out0 + (d0 * 4), y0);
// CHECK-NEXT:  }
// CHECK:       // scale_0: 1 block of 256 threads
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256, 1) scale_0(const float *p0, float *p1) {
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
// CHECK-LABEL: static __device__ void nest_shifted_1(const int *in0, const unsigned char *in1, int *out0, int block) {
// CHECK:         for (int d2 = 0; d2 < 4; ++d2) {
// CHECK-NEXT:      const bool v1 = in1[floorMod((d1 * 4 + d2 - 2), 3)] != 0;
// CHECK-NEXT:      const int v2 = d1 * 4 + d2 - 2 >= 0 ? in0[d0 * 6 + d1 * 4 + d2 - 2] : (int)0x7;
// CHECK-NEXT:      const int v3 = v1 ? v2 : v0;
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

// Reductions that depend on one another: a group of eight threads keeps a row in registers and reads it once.
// CHECK-LABEL: static __device__ void nest_centre_2(const float *in0, float *out0, float *out1, int block) {
// CHECK-NEXT:    const int thread = threadIdx.x % 8;
// CHECK-NEXT:    const int at = block * 32 + threadIdx.x / 8;
// CHECK-NEXT:    const int row = at < 128 ? at : 127;
// CHECK-NEXT:    const int d0 = row;
// CHECK-NEXT:    float a0 = __int_as_float(0xFF800000);
// CHECK-NEXT:    float k0[2][4];
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int i = 0; i < 2; ++i) {
// CHECK-NEXT:      const int r = i * 8 + thread;
// CHECK-NEXT:      const int d1 = r;
// CHECK-NEXT:      const Vec<float, 4> x0 = load<4>(in0 + (d0 * 64 + d1 * 4));
// CHECK-NEXT:      #pragma unroll
// CHECK-NEXT:      for (int d2 = 0; d2 < 4; ++d2) {
// CHECK-NEXT:        k0[i][d2] = x0[d2];
// CHECK-NEXT:        a0 = Max()(a0, (float)x0[d2]);
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    a0 = groupReduce<8>(a0, shared, Max());
// CHECK-NEXT:    float a1 = 0;
// CHECK-NEXT:    float k1[2][4];
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int i = 0; i < 2; ++i) {
// CHECK-NEXT:      const int r = i * 8 + thread;
// CHECK-NEXT:      const int d1 = r;
// CHECK-NEXT:      #pragma unroll
// CHECK-NEXT:      for (int d2 = 0; d2 < 4; ++d2) {
// CHECK-NEXT:        const float v0 = k0[i][d2] - ((float)a0);
// CHECK-NEXT:        k1[i][d2] = v0;
// CHECK-NEXT:        a1 = Add()(a1, (float)v0);
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    a1 = groupReduce<8>(a1, shared, Add());
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int i = 0; i < 2; ++i) {
// CHECK-NEXT:      const int r = i * 8 + thread;
// CHECK-NEXT:      const int d1 = r;
// CHECK-NEXT:      Vec<float, 4> y1;
// CHECK-NEXT:      #pragma unroll
// CHECK-NEXT:      for (int d2 = 0; d2 < 4; ++d2) {
// CHECK-NEXT:        const float v1 = k1[i][d2] / ((float)a1);
// CHECK-NEXT:        y1[d2] = v1;
// CHECK-NEXT:      }
// CHECK-NEXT:      store(out1 + (d0 * 64 + d1 * 4), y1);
// CHECK-NEXT:    }
// CHECK-NEXT:    if (thread != 0 || at != row) return;
// CHECK-NEXT:    out0[d0] = ((float)a1);
// CHECK-NEXT:  }
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
// CHECK-LABEL: static __device__ void nest_total_3(const float *in0, float *out0, int block) {
// CHECK:         float a0 = 0;
// CHECK-NEXT:    for (int first = 0; first < 25000; first += 8192) {
// CHECK-NEXT:      const int end = first + 8192 < 25000 ? first + 8192 : 25000;
// CHECK-NEXT:      float part_a0 = 0;
// CHECK-NEXT:      for (int r = first + thread; r < end; r += 256) {
// CHECK-NEXT:        const int d0 = r;
// CHECK-NEXT:        const Vec<float, 4> x0 = load<4>(in0 + (d0 * 4));
// CHECK-NEXT:        #pragma unroll
// CHECK-NEXT:        for (int d1 = 0; d1 < 4; ++d1) {
// CHECK-NEXT:          part_a0 = Add()(part_a0, (float)x0[d1]);
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      a0 += part_a0;
// CHECK-NEXT:    }
// CHECK-NEXT:    a0 = groupReduce<256>(a0, shared, Add());
// CHECK-NEXT:    if (thread != 0) return;
// CHECK-NEXT:    out0[0] = ((float)a0);
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
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256, 1) update_4(const float *p0, const double *p1, float *p2, double *p3) {
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

// What crosses memory orders is turned in shared memory.
// CHECK-LABEL: static __device__ void nest_turned_5(const float *in0, float *out0, int block) {
// CHECK-NEXT:    const int d1 = block % 4;
// CHECK-NEXT:    const int d0 = block / 4;
// CHECK-NEXT:    float *tile0 = reinterpret_cast<float *>(shared + 0);
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int i = 0; i < 4; ++i) {
// CHECK-NEXT:      const int p = i * 256 + threadIdx.x;
// CHECK-NEXT:      const int d3 = p % 32;
// CHECK-NEXT:      const int d2 = p / 32;
// CHECK-NEXT:      tile0[d2 * 33 + d3] = in0[(d1 * 32 + d2) * 64 + d0 * 32 + d3];
// CHECK-NEXT:    }
// CHECK-NEXT:    __syncthreads();
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int i = 0; i < 4; ++i) {
// CHECK-NEXT:      const int p = i * 256 + threadIdx.x;
// CHECK-NEXT:      const int d2 = p % 32;
// CHECK-NEXT:      const int d3 = p / 32;
// CHECK-NEXT:      const float v0 = -tile0[d2 * 33 + d3];
// CHECK-NEXT:      out0[(d0 * 32 + d3) * 128 + d1 * 32 + d2] = v0;
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @turned(%x: tensor<128x64xf32>) -> tensor<64x128xf32> {
  %r = kernel.nest "turned" [parallel 64, parallel 128]
      ins(%x at affine_map<(i, j) -> (j, i)> : tensor<128x64xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<64x128xf32>) {
  ^bb0(%a: f32):
    %y = arith.negf %a : f32
    kernel.yield %y : f32
  }
  return %r : tensor<64x128xf32>
}

// A product is tiled through shared memory; its epilogue reads and writes neighbours together.
// CHECK-LABEL: static __device__ void nest_product_6(const float *in0, const float *in1, const float *in2, float *out0, int block) {
// CHECK:         a[q] = load<4>(in0 + (d0 * 48 + d2));
// CHECK:         b[q] = load<4>(
// CHECK:           if (k0 > 0) multiplyStage(sum, stage);
// CHECK-NEXT:      if (k0 < 48) {
// CHECK-NEXT:        stage = stage == first ? first + 1024 : first;
// CHECK-NEXT:        stageQuads<32, true>(stage, a);
// CHECK-NEXT:        stageQuads<32, true>(stage + 512, b);
// CHECK-NEXT:        __syncthreads();
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    #pragma unroll
// CHECK-NEXT:    for (int h = 0; h < 1; ++h) {
// CHECK-NEXT:      const int m = m0 + h * 32 + ty * 2;
// CHECK-NEXT:      if (m >= 100) break;
// CHECK-NEXT:      const int last = m;
// CHECK-NEXT:      #pragma unroll
// CHECK-NEXT:      for (int i = 0; i < 2; ++i) {
// CHECK-NEXT:        const int d0 = last + i;
// CHECK-NEXT:        #pragma unroll
// CHECK-NEXT:        for (int g = 0; g < 1; ++g) {
// CHECK-NEXT:          const int n = n0 + g * 32 + tx * 2;
// CHECK-NEXT:          if (n >= 20) break;
// CHECK-NEXT:          const int d1 = n / 2;
// CHECK-NEXT:          const Vec<float, 2> x2 = load<2>(in2 + (d1 * 2));
// CHECK-NEXT:          Vec<float, 2> y0;
// CHECK-NEXT:          #pragma unroll
// CHECK-NEXT:          for (int d3 = 0; d3 < 2; ++d3) {
// CHECK-NEXT:            const float v0 = sum[h * 2 + i][g * 2 + d3] + x2[d3];
// CHECK-NEXT:            y0[d3] = v0;
// CHECK-NEXT:          }
// CHECK-NEXT:          store(out0 + (d0 * 20 + d1 * 2), y0);
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:  }
func.func @product(%x: tensor<100x48xf32>, %w: tensor<20x48xf32>, %b: tensor<20xf32>) -> tensor<100x20xf32> {
  %r = kernel.nest "product" [parallel 100, parallel 20, reduction 48]
      ins(%x at affine_map<(m, n, k) -> (m, k)> : tensor<100x48xf32>,
          %w at affine_map<(m, n, k) -> (n, k)> : tensor<20x48xf32>,
          %b at affine_map<(m, n, k) -> (n)> : tensor<20xf32>)
      outs(affine_map<(m, n, k) -> (m, n)> : tensor<100x20xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %p = arith.mulf %a, %c : f32
    %s = kernel.reduce add %p : f32
    %y = arith.addf %s, %d : f32
    kernel.yield %y : f32
  }
  return %r : tensor<100x20xf32>
}

// Eight threads share the walk along a column.
// CHECK-LABEL: static __device__ void nest_columns_7(const float *in0, float *out0, int block) {
// CHECK-NEXT:    const int slice = threadIdx.x / 32;
// CHECK-NEXT:    const int at = block * 32 + threadIdx.x % 32;
// CHECK-NEXT:    const int item = at < 64 ? at : 63;
// CHECK-NEXT:    const int d0 = item;
// CHECK-NEXT:    float a0[1];
// CHECK-NEXT:    a0[0] = __int_as_float(0xFF800000);
// CHECK-NEXT:    for (int r = slice; r < 512; r += 8) {
// CHECK-NEXT:      const int d1 = r;
// CHECK-NEXT:      const float v0 = in0[d1 * 64 + d0];
// CHECK-NEXT:      a0[0] = Max()(a0[0], (float)v0);
// CHECK-NEXT:    }
// CHECK-NEXT:    combineSlices<32>(a0, shared, Max());
// CHECK-NEXT:    if (slice != 0 || at != item) return;
// CHECK-NEXT:    out0[d0] = ((float)a0[0]);
// CHECK-NEXT:  }
func.func @columns(%x: tensor<512x64xf32>) -> tensor<64xf32> {
  %r = kernel.nest "columns" [parallel 64, reduction 512]
      ins(%x at affine_map<(j, i) -> (i, j)> : tensor<512x64xf32>) outs(affine_map<(j, i) -> (j)> : tensor<64xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce max %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<64xf32>
}

// What a body computes from its place is an expression of the dims, and what is the same for neighbours is computed once.
// CHECK-LABEL: static __device__ void nest_quarters_{{.*}} {
// CHECK:         const int d0 = item / 2;
// CHECK-NEXT:    const long long v0 = d0 * 2 + d1;
// CHECK-NEXT:    const long long v1 = in0[0];
// CHECK:         const int v3 = (int)v2;
// CHECK:         for (int d2 = 0; d2 < 4; ++d2) {
// CHECK-NEXT:      const long long v4 = d2;
func.func @quarters(%x: tensor<i64>) -> tensor<4x8xi32> {
  %r = kernel.nest "quarters" [parallel 4, parallel 8]
      ins(%x at affine_map<(i, j) -> ()> : tensor<i64>) outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xi32>) {
  ^bb0(%a: i64):
    %i = kernel.index 0 : i64
    %j = kernel.index 1 : i64
    %eight = arith.constant 8 : i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %row = arith.muli %i, %eight : i64
    %n = arith.addi %row, %j : i64
    %quarter = arith.shrui %n, %two : i64
    %moved = arith.addi %quarter, %a : i64
    %q = arith.trunci %moved : i64 to i32
    %within = arith.andi %n, %three : i64
    %w = arith.trunci %within : i64 to i32
    %y = arith.xori %q, %w : i32
    kernel.yield %y : i32
  }
  return %r : tensor<4x8xi32>
}

// A number of the host is the parameter.
// CHECK-LABEL: // scaled_
// CHECK-NEXT:  extern "C" __global__ void __launch_bounds__(256, 1) scaled_[[#]](const float *p0, const __grid_constant__ float p1, float *p2) {
// CHECK-NEXT:    nest_scaled_[[#]](p0, &p1, p2, blockIdx.x);
func.func @scaled(%x: tensor<8xf32>, %lr: tensor<f32> {tj.on_host}) -> tensor<8xf32> {
  %r = kernel.nest "scaled" [parallel 8]
      ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>, %lr at affine_map<(i) -> ()> : tensor<f32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %b : f32
    kernel.yield %y : f32
  }
  return %r : tensor<8xf32>
}
