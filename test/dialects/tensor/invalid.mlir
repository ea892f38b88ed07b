// RUN: tensorjit-opt %s --split-input-file --verify-diagnostics

// Pointwise

func.func @broadcast(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{'tj.add' op cannot broadcast [2x3] with [4]: sizes 3 and 4 are neither equal nor 1}}
  %r = tj.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

func.func @dtypes_differ(%a: tensor<3xf32>, %b: tensor<3xi64>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.mul' op operands of one dtype expected, got f32 and i64}}
  %r = tj.mul %a, %b : (tensor<3xf32>, tensor<3xi64>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @bool_has_no_difference(%a: tensor<3xi1>) -> tensor<3xi1> {
  // expected-error @+1 {{'tj.sub' op expected an integer or float, got bool}}
  %r = tj.sub %a, %a : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// -----

func.func @result_type(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.lt' op result is 'tensor<3xf32>', but its operands and attributes make it 'tensor<3xi1>'}}
  %r = tj.lt %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @condition(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.where' op a bool condition expected, got f32}}
  %r = tj.where %a, %a, %a : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @operand_count(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.add' op expected 2 operands, got 1}}
  %r = tj.add %a : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @optional_operand_count(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-error @+1 {{'tj.linear' op expected 2 to 3 operands, got 4}}
  %r = tj.linear %a, %a, %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// -----

func.func @result_count(%a: tensor<3xf32>) {
  // expected-error @+1 {{'tj.neg' op expected 1 results, got 2}}
  %r:2 = tj.neg %a : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @operand_type(%a: vector<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.neg' op operand #0 must be a ranked tensor of i1, ui8, i8, i16, i32, i64, f16, bf16, f32 or f64, got 'vector<3xf32>'}}
  %r = tj.neg %a : (vector<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @element_type(%a: tensor<3xf80>) -> tensor<3xf80> {
  // expected-error @+1 {{'tj.neg' op operand #0 must be a ranked tensor of i1, ui8, i8, i16, i32, i64, f16, bf16, f32 or f64, got 'tensor<3xf80>'}}
  %r = tj.neg %a : (tensor<3xf80>) -> tensor<3xf80>
  return %r : tensor<3xf80>
}

// -----

func.func @attribute_kind(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.reshape' op has attributes of other kinds than its record}}
  %r = tj.reshape %a {sizes = 3 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// Shape

func.func @element_counts(%a: tensor<2x3xf32>) -> tensor<7xf32> {
  // expected-error @+1 {{'tj.reshape' op [2x3] has 6 elements, [7] has 7}}
  %r = tj.reshape %a {sizes = array<i64: 7>} : (tensor<2x3xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}

// -----

func.func @permutation(%a: tensor<2x3xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{'tj.permute' op dims [1x1] are not each dim of [2x3] once}}
  %r = tj.permute %a {dims = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// -----

func.func @broadcast_to(%a: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{'tj.broadcast_to' op cannot broadcast [2x3] to [2x4]: size 3 is neither 1 nor 4}}
  %r = tj.broadcast_to %a {sizes = array<i64: 2, 4>} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

func.func @step(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tj.slice' op step must not be 0}}
  %r = tj.slice %a {dim = 0 : i64, start = 0 : i64, stop = 4 : i64, step = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @missing_attribute(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tj.reshape' op requires attribute 'sizes'}}
  %r = tj.reshape %a : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Reduction

func.func @empty_maximum(%a: tensor<0x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'tj.reduce_max' op no elements along dim 0 of [0x3]}}
  %r = tj.reduce_max %a {dims = array<i64: 0>, keepdim = false} : (tensor<0x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

func.func @mean_of_integers(%a: tensor<3xi64>) -> tensor<i64> {
  // expected-error @+1 {{'tj.mean' op expected a float, got i64}}
  %r = tj.mean %a {dims = array<i64: 0>, keepdim = false} : (tensor<3xi64>) -> tensor<i64>
  return %r : tensor<i64>
}

// -----

// Contraction

func.func @inner_sizes(%a: tensor<128x784xf32>, %b: tensor<512x10xf32>) -> tensor<128x10xf32> {
  // expected-error @+1 {{'tj.matmul' op cannot multiply [128x784] by [512x10]: inner sizes 784 and 512 differ}}
  %r = tj.matmul %a, %b : (tensor<128x784xf32>, tensor<512x10xf32>) -> tensor<128x10xf32>
  return %r : tensor<128x10xf32>
}

// -----

func.func @channels(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+1 {{'tj.conv2d' op input [1x3x8x8] has 3 channels, weight [4x2x3x3] in 1 group expects 2}}
  %r = tj.conv2d %x, %w {stride = array<i64: 1, 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %r : tensor<1x4x6x6xf32>
}

// -----

// Window

func.func @padding(%x: tensor<1x1x8x8xf32>) -> (tensor<1x1x6x6xf32>, tensor<1x1x6x6xi64>) {
  // expected-error @+1 {{'tj.max_pool2d' op padding 2 must be between 0 and half the window of 2}}
  %r:2 = tj.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 2, 2>, dilation = array<i64: 1, 1>, ceil_mode = false} : (tensor<1x1x8x8xf32>) -> (tensor<1x1x6x6xf32>, tensor<1x1x6x6xi64>)
  return %r#0, %r#1 : tensor<1x1x6x6xf32>, tensor<1x1x6x6xi64>
}

// -----

// Loss

func.func @rows(%x: tensor<4x3xf32>, %t: tensor<5xi64>) -> (tensor<f32>, tensor<4xf32>) {
  // expected-error @+1 {{'tj.cross_entropy' op input [4x3] has 4 rows, target [5] has 5}}
  %r:2 = tj.cross_entropy %x, %t {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<4x3xf32>, tensor<5xi64>) -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}

// -----

func.func @float_targets(%x: tensor<4x3xf32>, %t: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  // expected-error @+1 {{'tj.cross_entropy' op targets of i64 or i32 expected, got f32}}
  %r:2 = tj.cross_entropy %x, %t {reduction = 1 : i64, ignore_index = -100 : i64, label_smoothing = 0.0 : f64} : (tensor<4x3xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
  return %r#0, %r#1 : tensor<f32>, tensor<4xf32>
}

// -----

// Creation

func.func @index_dtype() -> tensor<4xf32> {
  // expected-error @+1 {{'tj.iota' op i64 or i32 expected, got f32}}
  %r = tj.iota {sizes = array<i64: 4>, dim = 0 : i64, dtype = f32} : () -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Optimizer

func.func @gradient_sizes(%p: tensor<5xf32>, %g: tensor<4xf32>, %n: tensor<f32>) -> tensor<5xf32> {
  // expected-error @+1 {{'tj.sgd' op operand 1 of [5] expected beside a parameter [5], got [4]}}
  %r = tj.sgd %p, %g, %n, %n : (tensor<5xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
