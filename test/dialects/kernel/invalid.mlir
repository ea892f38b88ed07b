// RUN: tensorjit-opt %s --split-input-file --verify-diagnostics

func.func @leaves_tensor(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{input 0: map affine_map<(d0) -> (d0 + 1)> leaves 'tensor<8xf32>' and there is no pad}}
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i + 1)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @quotients_stay_inside(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i floordiv 2, i mod 2)> : tensor<4x2xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @pad_type(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{input 0: pad 0 : i64 for elements of 'f32'}}
  %r = kernel.nest "n" [parallel 8] ins(%x pad 0 : i64 at affine_map<(i) -> (i + 1)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @strided_result(%x: tensor<8xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{result 0: map affine_map<(d0) -> (d0 * 2)> is not a list of distinct dims}}
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i * 2)> : tensor<16xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<16xf32>
}

// -----

func.func @result_size(%x: tensor<8xf32>) -> tensor<9xf32> {
  // expected-error @+1 {{result 0: dim 0 has size 8, 'tensor<9xf32>' wants 9}}
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<9xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<9xf32>
}

// -----

func.func @written_twice(%x: tensor<8x2xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: parallel dim 1 is not in its map}}
  %r = kernel.nest "n" [parallel 8, parallel 2] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x2xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @some_reduction_dims(%x: tensor<8x2xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: map uses some but not all reduction dims}}
  %r = kernel.nest "n" [reduction 8, reduction 2] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x2xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @not_uniform(%x: tensor<8x2xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0: the yielded scalar varies over reduction dims that its map ignores}}
  %r = kernel.nest "n" [parallel 8, reduction 2] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<8x2xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    %s = kernel.reduce add %a : f32
    %d = arith.subf %a, %s : f32
    kernel.yield %d : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @reduce_without_reduction(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{is in a nest without reduction dims}}
    %s = kernel.reduce add %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<8xf32>
}

// -----

func.func @and_of_floats(%x: tensor<8xf32>) -> tensor<f32> {
  %r = kernel.nest "n" [reduction 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> ()> : tensor<f32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{of floats has no and, or}}
    %s = kernel.reduce and %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<f32>
}

// -----

func.func @no_such_dim() -> tensor<8xi64> {
  %r = kernel.nest "n" [parallel 8] outs(affine_map<(i) -> (i)> : tensor<8xi64>) {
    // expected-error @+1 {{dim 1 of a nest with 1 dims}}
    %i = kernel.index 1 : i64
    kernel.yield %i : i64
  }
  return %r : tensor<8xi64>
}

// -----

func.func @argument_type(%x: tensor<8xf32>) -> tensor<8xf64> {
  // expected-error @+1 {{body argument 0 is 'f64', elements are 'f32'}}
  %r = kernel.nest "n" [parallel 8] ins(%x at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf64>) {
  ^bb0(%a: f64):
    kernel.yield %a : f64
  }
  return %r : tensor<8xf64>
}

// -----

func.func @dependent_group(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = kernel.group "g"(%x : tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    %0 = kernel.nest "p" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
        outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    // expected-error @+1 {{depends on another nest of its group}}
    %1 = kernel.nest "q" [parallel 8] ins(%0 at affine_map<(i) -> (i)> : tensor<8xf32>)
        outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    kernel.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @view_size(%x: tensor<8xf32>) -> tensor<3x3xf32> {
  // expected-error @+1 {{turns 8 elements into 9}}
  %r = kernel.view %x : tensor<8xf32> -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// -----

func.func @chain_over_slices(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = kernel.chain "c" slices 4(%x : tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %0 = kernel.nest "p" [parallel 8, parallel 4] ins(%a at affine_map<(i, j) -> (7 - i, j)> : tensor<8x4xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    // expected-error @+1 {{input 0 is made in the chain and read from other slices}}
    %1 = kernel.nest "q" [parallel 8, parallel 4] ins(%0 at affine_map<(i, j) -> (7 - i, j)> : tensor<8x4xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    kernel.yield %1 : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @chain_writes_elsewhere(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %r = kernel.chain "c" slices 4(%x : tensor<8x4xf32>) -> (tensor<4x8xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    // expected-error @+1 {{has no outermost parallel dim, written to the outermost dim of each result, that 4 divides}}
    %0 = kernel.nest "p" [parallel 8, parallel 4] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>)
        outs(affine_map<(i, j) -> (j, i)> : tensor<4x8xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    kernel.yield %0 : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @chain_view(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %r = kernel.chain "c" slices 4(%x : tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %0 = kernel.nest "p" [parallel 8, parallel 4] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<8x4xf32>) {
    ^bb0(%v: f32):
      kernel.yield %v : f32
    }
    // expected-error @+1 {{4 slices do not divide the outermost dim of 'tensor<2x16xf32>'}}
    %1 = kernel.view %0 : tensor<8x4xf32> -> tensor<2x16xf32>
    kernel.yield %0 : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @chain_yield(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{must yield results of its nests, each once}}
  %r = kernel.chain "c" slices 4(%x : tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    kernel.yield %a : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @scan_without_dim(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = kernel.nest "s" [parallel 4, parallel 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{is in a nest with 0 reduction dims, not one}}
    %s = kernel.scan add %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @scan_and_reduce(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = kernel.nest "s" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{is in a nest that reduces}}
    %s = kernel.scan add %a : f32
    %t = kernel.reduce add %a : f32
    %y = arith.divf %s, %t : f32
    kernel.yield %y : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @scans_both_ways(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = kernel.nest "s" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{runs the other way than another scan of its nest}}
    %s = kernel.scan add %a : f32
    %t = kernel.scan add reverse %a : f32
    %y = arith.addf %s, %t : f32
    kernel.yield %y : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @scan_kind(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = kernel.nest "s" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{adds or multiplies}}
    %s = kernel.scan max %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<4x8xf32>
}

// -----

func.func @scan_is_not_uniform(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{result 0: the yielded scalar varies over reduction dims that its map ignores}}
  %r = kernel.nest "s" [parallel 4, reduction 8] ins(%x at affine_map<(i, j) -> (i, j)> : tensor<4x8xf32>)
      outs(affine_map<(i, j) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    %s = kernel.scan add %a : f32
    kernel.yield %s : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @unchecked(%x: tensor<8xf32>, %p: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 is read at a position that is not checked}}
  %r = kernel.nest "n" [parallel 4]
      ins(%x at affine_map<(i)[s] -> (s)> : tensor<8xf32>, %p at affine_map<(i) -> (i)> : tensor<4xi64>)
      outs(affine_map<(i) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32, %at: i64):
    %v = kernel.read %a[%at] : f32
    kernel.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @bound_too_large(%x: tensor<8xf32>, %p: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0: positions below 9 in a dim of size 8}}
  %r = kernel.nest "n" [parallel 4]
      ins(%x at affine_map<(i)[s] -> (s)> : tensor<8xf32>, %p at affine_map<(i) -> (i)> : tensor<4xi64>)
      outs(affine_map<(i) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32, %at: i64):
    %c = kernel.check_index %at at %at in 9 check 0 : i64
    %v = kernel.read %a[%c] : f32
    kernel.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @position_in_a_sum(%x: tensor<8xf32>, %p: tensor<4xi64>) -> tensor<4xf32> {
  // expected-error @+1 {{leaves 'tensor<8xf32>' and there is no pad}}
  %r = kernel.nest "n" [parallel 4]
      ins(%x at affine_map<(i)[s] -> (s + i)> : tensor<8xf32>, %p at affine_map<(i) -> (i)> : tensor<4xi64>)
      outs(affine_map<(i) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32, %at: i64):
    %c = kernel.check_index %at at %at in 4 check 0 : i64
    %v = kernel.read %a[%c] : f32
    kernel.yield %v : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @not_by_read(%x: tensor<8xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{input 0 has positions and is not only read by kernel.read}}
  %r = kernel.nest "n" [parallel 4] ins(%x at affine_map<(i)[s] -> (s)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<4xf32>) {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
  return %r : tensor<4xf32>
}

// -----

func.func @scatter_source(%v: tensor<5x3xf32>, %p: tensor<5xi64>) -> tensor<8x4xf32> {
  // expected-error @+1 {{source 'tensor<5x3xf32>' does not go into dim 0 of 'tensor<8x4xf32>'}}
  %r = kernel.scatter "s" add %v at %p dim 0 check 0 : (tensor<5x3xf32>, tensor<5xi64>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

func.func @scatter_index(%v: tensor<5x4xf32>, %p: tensor<4xi64>) -> tensor<8x4xf32> {
  // expected-error @+1 {{is neither a list nor has the sizes of the source}}
  %r = kernel.scatter "s" add %v at %p dim 0 check 0 : (tensor<5x4xf32>, tensor<4xi64>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
