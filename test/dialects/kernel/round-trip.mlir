// RUN: tensorjit-opt %s | tensorjit-opt | FileCheck %s
// RUN: tensorjit-opt %s --mlir-print-op-generic | tensorjit-opt | FileCheck %s

// Two phases: the maximum of a row, then the difference from it.
// CHECK-LABEL: func.func @centre
// CHECK:       %{{.*}}:2 = kernel.nest "centre" [parallel 128, reduction 64]
// CHECK-NEXT:      ins(%{{.*}} at affine_map<(d0, d1) -> (d0, d1)> : tensor<128x64xf32>)
// CHECK-NEXT:      outs(affine_map<(d0, d1) -> (d0)> : tensor<128xf32>,
// CHECK-NEXT:           affine_map<(d0, d1) -> (d0, d1)> : tensor<128x64xf32>) {
// CHECK-NEXT:  ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT:    %[[MAX:.*]] = kernel.reduce max %[[X]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.subf %[[X]], %[[MAX]] : f32
// CHECK-NEXT:    kernel.yield %[[MAX]], %[[D]] : f32, f32
func.func @centre(%x: tensor<128x64xf32>) -> (tensor<128xf32>, tensor<128x64xf32>) {
  %m:2 = kernel.nest "centre" [parallel 128, reduction 64]
      ins(%x at affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<128xf32>, affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>) {
  ^bb0(%a: f32):
    %max = kernel.reduce max %a : f32
    %d = arith.subf %a, %max : f32
    kernel.yield %max, %d : f32, f32
  }
  return %m#0, %m#1 : tensor<128xf32>, tensor<128x64xf32>
}

// A convolution in NHWC reads outside its input, where it sees the pad.
// CHECK-LABEL: func.func @conv
// CHECK:       ins(%{{.*}} pad 0.000000e+00 : f32 at affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4 - 1, d2 + d5 - 1, d6)> : tensor<2x8x8x4xf32>,
// CHECK-NEXT:      %{{.*}} at affine_map
// CHECK:       attributes {schedule = "contraction", tile = {m = 6 : i64}}
func.func @conv(%x: tensor<2x8x8x4xf32>, %w: tensor<16x3x3x4xf32>) -> tensor<2x8x8x16xf32> {
  %r = kernel.nest "conv" [parallel 2, parallel 8, parallel 8, parallel 16, reduction 3, reduction 3, reduction 4]
      ins(%x pad 0.0 : f32 at affine_map<(n, h, w, o, a, b, c) -> (n, h + a - 1, w + b - 1, c)> : tensor<2x8x8x4xf32>,
          %w at affine_map<(n, h, w, o, a, b, c) -> (o, a, b, c)> : tensor<16x3x3x4xf32>)
      outs(affine_map<(n, h, w, o, a, b, c) -> (n, h, w, o)> : tensor<2x8x8x16xf32>)
      attributes {schedule = "contraction", tile = {m = 6 : i64}} {
  ^bb0(%a: f32, %b: f32):
    %p = arith.mulf %a, %b : f32
    %s = kernel.reduce add %p : f32
    kernel.yield %s : f32
  }
  return %r : tensor<2x8x8x16xf32>
}

// CHECK-LABEL: func.func @iota
// CHECK:       kernel.nest "iota" [parallel 5]
// CHECK-NEXT:      outs(affine_map<(d0) -> (d0)> : tensor<5xi64>) {
// CHECK-NEXT:    %[[I:.*]] = kernel.index 0 : i64
// CHECK-NEXT:    kernel.yield %[[I]] : i64
func.func @iota() -> tensor<5xi64> {
  %r = kernel.nest "iota" [parallel 5] outs(affine_map<(i) -> (i)> : tensor<5xi64>) {
    %i = kernel.index 0 : i64
    kernel.yield %i : i64
  }
  return %r : tensor<5xi64>
}

// CHECK-LABEL: func.func @lookup
// CHECK:       kernel.check_index %{{.*}} at %{{.*}} in 10 check 0 : i64
// CHECK:       kernel.arg_reduce max %{{.*}}, %{{.*}} : f32
func.func @lookup(%t: tensor<4xi64>, %x: tensor<4x10xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %r:2 = kernel.nest "lookup" [parallel 4, reduction 10]
      ins(%t at affine_map<(i, j) -> (i)> : tensor<4xi64>, %x at affine_map<(i, j) -> (i, j)> : tensor<4x10xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>, affine_map<(i, j) -> (i)> : tensor<4xi64>) {
  ^bb0(%target: i64, %a: f32):
    %i = kernel.index 0 : i64
    %j = kernel.index 1 : i64
    %c = kernel.check_index %target at %i in 10 check 0 : i64
    %hit = arith.cmpi eq, %c, %j : i64
    %zero = arith.constant 0.0 : f32
    %picked = arith.select %hit, %a, %zero : f32
    %s = kernel.reduce add %picked : f32
    %m, %at = kernel.arg_reduce max %a, %j : f32
    kernel.yield %s, %at : f32, i64
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi64>
}

// CHECK-LABEL: func.func @update
// CHECK:       kernel.group "update"(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>) {
// CHECK:         kernel.yield %{{.*}}, %{{.*}} : tensor<8xf32>, tensor<2x2xf32>
func.func @update(%p: tensor<8xf32>, %q: tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>) {
  %r:2 = kernel.group "update"(%p, %q : tensor<8xf32>, tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<2x2xf32>):
    %0 = kernel.nest "p" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
        outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
    ^bb0(%x: f32):
      %y = arith.negf %x : f32
      kernel.yield %y : f32
    }
    %1 = kernel.nest "q" [parallel 2, parallel 2] ins(%b at affine_map<(i, j) -> (j, i)> : tensor<2x2xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<2x2xf32>) {
    ^bb0(%x: f32):
      %y = arith.negf %x : f32
      kernel.yield %y : f32
    }
    kernel.yield %0, %1 : tensor<8xf32>, tensor<2x2xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func @chain
// CHECK:       kernel.chain "rows" slices 2(%{{.*}} : tensor<4x3xf32>) -> (tensor<2x2x3xf32>) {
// CHECK:         kernel.view %{{.*}} : tensor<4x3xf32> -> tensor<2x2x3xf32>
// CHECK:         kernel.yield %{{.*}} : tensor<2x2x3xf32>
func.func @chain(%p: tensor<4x3xf32>) -> tensor<2x2x3xf32> {
  %r = kernel.chain "rows" slices 2(%p : tensor<4x3xf32>) -> (tensor<2x2x3xf32>) {
  ^bb0(%a: tensor<4x3xf32>):
    %0 = kernel.nest "p" [parallel 4, parallel 3] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<4x3xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<4x3xf32>) {
    ^bb0(%x: f32):
      %y = arith.negf %x : f32
      kernel.yield %y : f32
    }
    %1 = kernel.view %0 : tensor<4x3xf32> -> tensor<2x2x3xf32>
    %2 = kernel.nest "q" [parallel 2, parallel 2, parallel 3]
        ins(%1 at affine_map<(c, i, j) -> (c, 1 - i, j)> : tensor<2x2x3xf32>)
        outs(affine_map<(c, i, j) -> (c, i, j)> : tensor<2x2x3xf32>) {
    ^bb0(%x: f32):
      kernel.yield %x : f32
    }
    kernel.yield %2 : tensor<2x2x3xf32>
  }
  return %r : tensor<2x2x3xf32>
}

// CHECK-LABEL: func.func @flatten
// CHECK:       kernel.view %{{.*}} : tensor<2x3x4xf32> -> tensor<2x12xf32>
func.func @flatten(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %r = kernel.view %x : tensor<2x3x4xf32> -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

// CHECK-LABEL: func.func @scan
// CHECK:         kernel.scan add %{{.*}} : f32
// CHECK:         kernel.scan mul exclusive %{{.*}} : f32
func.func @scan(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %r:2 = kernel.nest "s" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>, affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    %s = kernel.scan add %a : f32
    %p = kernel.scan mul exclusive %a : f32
    kernel.yield %s, %p : f32, f32
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Positions that are data are symbols of the map; what reads them has checked them.
// CHECK-LABEL: func.func @rows
// CHECK:       ins(%{{.*}} at affine_map<(d0, d1)[s0] -> (s0, d1)> : tensor<100x64xf32>,
// CHECK:       kernel.read %{{.*}}[%{{.*}}] : f32
func.func @rows(%table: tensor<100x64xf32>, %list: tensor<8xi64>) -> tensor<8x64xf32> {
  %r = kernel.nest "rows" [parallel 8, parallel 64]
      ins(%table at affine_map<(i, j)[s] -> (s, j)> : tensor<100x64xf32>,
          %list at affine_map<(i, j) -> (i)> : tensor<8xi64>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<8x64xf32>) {
  ^bb0(%x: f32, %p: i64):
    %i = kernel.index 0 : i64
    %row = kernel.check_index %p at %i in 100 check 0 : i64
    %v = kernel.read %x[%row] : f32
    kernel.yield %v : f32
  }
  return %r : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @scatter
// CHECK:       kernel.scatter "s" set %{{.*}} at %{{.*}} onto %{{.*}} dim 1 check 3
// CHECK-SAME:  : (tensor<2x5x4xf32>, tensor<5xi64>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK:       kernel.scatter "a" add %{{.*}} at %{{.*}} dim 1 check 0
func.func @scatter(%v: tensor<2x5x4xf32>, %p: tensor<5xi64>, %q: tensor<2x5x4xi32>, %x: tensor<2x3x4xf32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = kernel.scatter "s" set %v at %p onto %x dim 1 check 3
      : (tensor<2x5x4xf32>, tensor<5xi64>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %1 = kernel.scatter "a" add %v at %q dim 1 check 0 : (tensor<2x5x4xf32>, tensor<2x5x4xi32>) -> tensor<2x3x4xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
