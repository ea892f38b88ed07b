// RUN: tensorjit-opt %s --print-plan --mlir-disable-threading -o /dev/null | FileCheck %s

// %b can lie where %a was, since it reads it at the very element that it writes; %c reads another element.
// CHECK-LABEL: plan of in_place: arena 128
// CHECK-NEXT:    a: in 0, -> arena 0,
// CHECK-NEXT:    b: arena 0, -> arena 0,
// CHECK-NEXT:    c: arena 0, -> arena 64,
// CHECK-NEXT:    d: arena 64, -> out 0,
func.func @in_place(%x: tensor<16xf32>) -> tensor<16xf32> {
  %a = kernel.nest "a" [parallel 16] ins(%x at affine_map<(i) -> (i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  %b = kernel.nest "b" [parallel 16] ins(%a at affine_map<(i) -> (i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  %c = kernel.nest "c" [parallel 16] ins(%b at affine_map<(i) -> (15 - i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  %d = kernel.nest "d" [parallel 16] ins(%c at affine_map<(i) -> (15 - i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  return %d : tensor<16xf32>
}

// State is written in place, behind whoever reads the old one and behind the check.
// CHECK-LABEL: plan of state
// CHECK-NEXT:    reader: in 0, -> out 1,
// CHECK-NEXT:    check: in 1, -> out 2,
// CHECK-NEXT:    update: in 0, -> out 0,
// CHECK-NOT:     copy
func.func @state(%p: tensor<16xf32>, %t: tensor<4xi64>)
    -> (tensor<16xf32> {tj.updates = 0 : i64}, tensor<16xf32>, tensor<4xi64>) {
  %new = kernel.nest "update" [parallel 16] ins(%p at affine_map<(i) -> (i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    kernel.yield %n : f32
  }
  %r = kernel.nest "reader" [parallel 16] ins(%p at affine_map<(i) -> (15 - i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    kernel.yield %v : f32
  }
  %c = kernel.nest "check" [parallel 4] ins(%t at affine_map<(i) -> (i)> : tensor<4xi64>)
      outs(affine_map<(i) -> (i)> : tensor<4xi64>) {
  ^bb0(%v: i64):
    %i = kernel.index 0 : i64
    %k = kernel.check_index %v at %i in 10 check 0 : i64
    kernel.yield %k : i64
  }
  return %new, %r, %c : tensor<16xf32>, tensor<16xf32>, tensor<4xi64>
}

// Two arguments exchange their values: each update reads what the other overwrites, so one waits in the arena.
// CHECK-LABEL: plan of exchange: arena 64
// CHECK-NEXT:    two: in 0, -> arena 0,
// CHECK-NEXT:    one: in 1, -> out 0,
// CHECK-NEXT:    copy: arena 0 -> out 1
func.func @exchange(%p: tensor<16xf32>, %q: tensor<16xf32>)
    -> (tensor<16xf32> {tj.updates = 0 : i64}, tensor<16xf32> {tj.updates = 1 : i64}) {
  %one = kernel.nest "one" [parallel 16] ins(%q at affine_map<(i) -> (i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    kernel.yield %n : f32
  }
  %two = kernel.nest "two" [parallel 16] ins(%p at affine_map<(i) -> (i)> : tensor<16xf32>)
      outs(affine_map<(i) -> (i)> : tensor<16xf32>) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    kernel.yield %n : f32
  }
  return %one, %two : tensor<16xf32>, tensor<16xf32>
}
