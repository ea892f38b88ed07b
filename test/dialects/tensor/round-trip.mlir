// RUN: tensorjit-opt %s | tensorjit-opt | FileCheck %s
// RUN: tensorjit-opt %s --mlir-print-op-generic | tensorjit-opt | FileCheck %s

// CHECK-LABEL: func.func @forward_and_backward
func.func @forward_and_backward(%x: tensor<8x1x28x28xf32>, %w: tensor<32x1x3x3xf32>, %b: tensor<32xf32>,
                                %fc: tensor<10x6272xf32>, %t: tensor<8xi64>) -> (tensor<f32>, tensor<32x1x3x3xf32>) {
  // CHECK: %[[C:.*]] = tj.conv2d %{{.*}}, %{{.*}}, %{{.*}} {dilation = array<i64: 1, 1>, groups = 1 : i64, padding = array<i64: 1, 1>, stride = array<i64: 1, 1>} : (tensor<8x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>) -> tensor<8x32x28x28xf32>
  %c = tj.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x1x28x28xf32>, tensor<32x1x3x3xf32>, tensor<32xf32>) -> tensor<8x32x28x28xf32>
  // CHECK: %[[R:.*]] = tj.relu %[[C]] : (tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  %r = tj.relu %c : (tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  // CHECK: %[[P:.*]]:2 = tj.max_pool2d %[[R]]
  %p, %i = tj.max_pool2d %r {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<8x32x28x28xf32>) -> (tensor<8x32x14x14xf32>, tensor<8x32x14x14xi64>)
  // CHECK: tj.reshape %[[P]]#0 {sizes = array<i64: 8, 6272>}
  %f = tj.reshape %p {sizes = array<i64: 8, 6272>} : (tensor<8x32x14x14xf32>) -> tensor<8x6272xf32>
  // CHECK: tj.linear
  %l = tj.linear %f, %fc : (tensor<8x6272xf32>, tensor<10x6272xf32>) -> tensor<8x10xf32>
  // CHECK: tj.cross_entropy %{{.*}}, %{{.*}} {ignore_index = -100 : i64, label_smoothing = 0.000000e+00 : f64, reduction = 1 : i64}
  %loss, %lse = tj.cross_entropy %l, %t {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<8x10xf32>, tensor<8xi64>) -> (tensor<f32>, tensor<8xf32>)
  // CHECK: tj.full {dtype = f32, sizes = array<i64>, value = 1.000000e+00 : f64} : () -> tensor<f32>
  %one = tj.full {sizes = array<i64>, value = 1.0 : f64, dtype = f32} : () -> tensor<f32>
  // CHECK: tj.cross_entropy_grad
  %gl = tj.cross_entropy_grad %one, %l, %lse, %t {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<f32>, tensor<8x10xf32>, tensor<8xf32>, tensor<8xi64>) -> tensor<8x10xf32>
  // CHECK: tj.matmul
  %gf = tj.matmul %gl, %fc : (tensor<8x10xf32>, tensor<10x6272xf32>) -> tensor<8x6272xf32>
  %gp = tj.reshape %gf {sizes = array<i64: 8, 32, 14, 14>} : (tensor<8x6272xf32>) -> tensor<8x32x14x14xf32>
  // CHECK: tj.max_pool2d_grad %{{.*}}, %[[P]]#1
  %gr = tj.max_pool2d_grad %gp, %i {input_sizes = array<i64: 8, 32, 28, 28>, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>} : (tensor<8x32x14x14xf32>, tensor<8x32x14x14xi64>) -> tensor<8x32x28x28xf32>
  // CHECK: tj.full {dtype = i64, sizes = array<i64>, value = 0 : i64}
  %zero = tj.full {sizes = array<i64>, value = 0 : i64, dtype = i64} : () -> tensor<i64>
  // CHECK: tj.cast %{{.*}} {dtype = f32} : (tensor<i64>) -> tensor<f32>
  %zf = tj.cast %zero {dtype = f32} : (tensor<i64>) -> tensor<f32>
  // CHECK: %[[M:.*]] = tj.le %[[R]], %{{.*}} : (tensor<8x32x28x28xf32>, tensor<f32>) -> tensor<8x32x28x28xi1>
  %m = tj.le %r, %zf : (tensor<8x32x28x28xf32>, tensor<f32>) -> tensor<8x32x28x28xi1>
  // CHECK: tj.where %[[M]]
  %gc = tj.where %m, %zf, %gr : (tensor<8x32x28x28xi1>, tensor<f32>, tensor<8x32x28x28xf32>) -> tensor<8x32x28x28xf32>
  // CHECK: tj.conv2d_weight_grad
  %gw = tj.conv2d_weight_grad %gc, %x {weight_sizes = array<i64: 32, 1, 3, 3>, stride = array<i64: 1, 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<8x32x28x28xf32>, tensor<8x1x28x28xf32>) -> tensor<32x1x3x3xf32>
  return %loss, %gw : tensor<f32>, tensor<32x1x3x3xf32>
}

// CHECK-LABEL: func.func @bytes
func.func @bytes(%x: tensor<4x3xui8>, %y: tensor<3xi8>) -> (tensor<4xi64>, tensor<3xi8>) {
  // CHECK: tj.add %{{.*}}, %{{.*}} : (tensor<4x3xui8>, tensor<4x3xui8>) -> tensor<4x3xui8>
  %s = tj.add %x, %x : (tensor<4x3xui8>, tensor<4x3xui8>) -> tensor<4x3xui8>
  // CHECK: tj.cast %{{.*}} {dtype = i64}
  %c = tj.cast %s {dtype = i64} : (tensor<4x3xui8>) -> tensor<4x3xi64>
  // CHECK: tj.reduce_sum %{{.*}} {dims = array<i64: 1>, keepdim = false}
  %r = tj.reduce_sum %c {dims = array<i64: 1>, keepdim = false} : (tensor<4x3xi64>) -> tensor<4xi64>
  // CHECK: tj.slice %{{.*}} {dim = 0 : i64, start = 2 : i64, step = -1 : i64, stop = -1 : i64}
  %n = tj.slice %y {dim = 0 : i64, start = 2 : i64, stop = -1 : i64, step = -1 : i64} : (tensor<3xi8>) -> tensor<3xi8>
  return %r, %n : tensor<4xi64>, tensor<3xi8>
}

// CHECK-LABEL: func.func @dynamic_sizes_are_not_inferred
func.func @dynamic_sizes_are_not_inferred(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // CHECK: tj.exp %{{.*}} : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = tj.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @update
func.func @update(%p: tensor<5xf32>, %g: tensor<5xf32>, %buf: tensor<5xf32>, %n: tensor<f32>, %first: tensor<i1>)
    -> (tensor<5xf32>, tensor<5xf32>) {
  // CHECK: tj.sgd_momentum
  %q:2 = tj.sgd_momentum %p, %g, %buf, %n, %n, %n, %n, %first : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<5xf32>, tensor<5xf32>)
  return %q#0, %q#1 : tensor<5xf32>, tensor<5xf32>
}
