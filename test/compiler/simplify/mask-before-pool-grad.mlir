// RUN: tensorjit-opt %s --tj-simplify | FileCheck %s

// relu, max pool and both gradients: the mask is asked of the pooled values.
// CHECK-LABEL: func.func @relu_pool
// CHECK-DAG:   %[[ZERO:.*]] = tj.full
// CHECK-DAG:   %[[P:.*]]:2 = tj.max_pool2d
// CHECK:       %[[M:.*]] = tj.le %[[P]]#0, %[[ZERO]] : (tensor<2x3x4x4xf32>, tensor<f32>) -> tensor<2x3x4x4xi1>
// CHECK:       %[[G:.*]] = tj.where %[[M]], %[[ZERO]], %arg1 : (tensor<2x3x4x4xi1>, tensor<f32>, tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
// CHECK:       %[[R:.*]] = tj.max_pool2d_grad %[[G]], %[[P]]#1
// CHECK:       return %[[R]]
func.func @relu_pool(%x: tensor<2x3x8x8xf32>, %g: tensor<2x3x4x4xf32>) -> tensor<2x3x8x8xf32> {
  %zero = tj.full {sizes = array<i64>, value = 0.0 : f64, dtype = f32} : () -> tensor<f32>
  %y = tj.relu %x : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %p:2 = tj.max_pool2d %y {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  %d = tj.max_pool2d_grad %g, %p#1 {input_sizes = array<i64: 2, 3, 8, 8>, kernel = array<i64: 2, 2>,
      stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>}
      : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>) -> tensor<2x3x8x8xf32>
  %m = tj.le %y, %zero : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8x8xi1>
  %r = tj.where %m, %zero, %d : (tensor<2x3x8x8xi1>, tensor<f32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %r : tensor<2x3x8x8xf32>
}

// What lies outside of the mask is not zero, or the gradient is needed as it is: nothing changes.
// CHECK-LABEL: func.func @others
// CHECK:       %[[D:.*]] = tj.max_pool2d_grad %arg1
// CHECK:       tj.where %{{.*}}, %{{.*}}, %[[D]] : (tensor<2x3x8x8xi1>
// CHECK:       %[[E:.*]] = tj.max_pool2d_grad %arg1
// CHECK:       tj.where %{{.*}}, %{{.*}}, %[[E]] : (tensor<2x3x8x8xi1>
func.func @others(%x: tensor<2x3x8x8xf32>, %g: tensor<2x3x4x4xf32>)
    -> (tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>) {
  %zero = tj.full {sizes = array<i64>, value = 0.0 : f64, dtype = f32} : () -> tensor<f32>
  %one = tj.full {sizes = array<i64>, value = 1.0 : f64, dtype = f32} : () -> tensor<f32>
  %p:2 = tj.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  %m = tj.le %x, %zero : (tensor<2x3x8x8xf32>, tensor<f32>) -> tensor<2x3x8x8xi1>
  %d = tj.max_pool2d_grad %g, %p#1 {input_sizes = array<i64: 2, 3, 8, 8>, kernel = array<i64: 2, 2>,
      stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>}
      : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>) -> tensor<2x3x8x8xf32>
  %r = tj.where %m, %one, %d : (tensor<2x3x8x8xi1>, tensor<f32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  %p2:2 = tj.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>,
      dilation = array<i64: 1, 1>, ceil_mode = true} : (tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>)
  %e = tj.max_pool2d_grad %g, %p2#1 {input_sizes = array<i64: 2, 3, 8, 8>, kernel = array<i64: 2, 2>,
      stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>}
      : (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi64>) -> tensor<2x3x8x8xf32>
  %s = tj.where %m, %zero, %e : (tensor<2x3x8x8xi1>, tensor<f32>, tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
  return %r, %e, %s : tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>, tensor<2x3x8x8xf32>
}
