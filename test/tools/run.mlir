// A function of tj ops, eager and compiled, with the expected output in the exit code.
// RUN: tensorjit-run %s --function=f --input=2x2xf32=1,2,3,4 --input=2xf32=10,20 --expected_output=2x2xf32=11,22,13,24
// RUN: tensorjit-run %s --function=f --input=2x2xf32=1,2,3,4 --input=2xf32=10,20 --mode=compiled \
// RUN:   --expected_output=2x2xf32=11,22,13,24
// RUN: not tensorjit-run %s --function=f --input=2x2xf32=1,2,3,4 --input=2xf32=10,20 \
// RUN:   --expected_output=2x2xf32=11,22,13,25 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: result 0 at [1,1]: got 24, expected 25 (1 of 4)

// Without an expectation, results are printed; .npy files are read and written.
// RUN: tensorjit-run %s --function=f --input=2x2xf32=1,2,3,4 --input=2xf32=0.5 --output=%t.npy | FileCheck %s
// CHECK: 2x2xf32=1.5,2.5,3.5,4.5
// RUN: tensorjit-run %s --function=f --input=@%t.npy --input=2xf32=0 --expected_output=2x2xf32=1.5,2.5,3.5,4.5

// What cannot run says why.
// RUN: not tensorjit-run %s --function=f --input=2xf32=0 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: tensorjit-run: @f takes 2 inputs, got 1
// RUN: not tensorjit-run %s --function=f --input=2xf32=0 --input=2xf32=0 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: tensorjit-run: @f input 0 is f32[2x2], got f32[2]
// RUN: not tensorjit-run %s --function=f --input=2x2xf32=1,2,3 --input=2xf32=0 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: tensorjit-run: '2x2xf32=1,2,3': 3 numbers for 4 elements
// RUN: not tensorjit-run %s --function=f --input=2x2xf32=1,2,x,4 --input=2xf32=0 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: tensorjit-run: 'x' is not a number of this dtype
// RUN: not tensorjit-run %s --function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: no function @g
// RUN: not tensorjit-run %t.none.mlir 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: tensorjit-run: {{.*}}none.mlir
// RUN: not sh -c "tensorjit-run %s --function=f --input=2x2xf32=1 --input=2xf32=0 >/dev/full" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FULL
// FULL: tensorjit-run: cannot write the output: No space left on device

func.func @f(%x: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %y = tj.add %x, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
