// A function on a CUDA device, over the stand-in driver.
// REQUIRES: cuda
// RUN: %cuda tensorjit-run %s --function=f --device=cuda --mode=compiled --input=2x2xf32=1,2,3,4 --input=2xf32=10,20 \
// RUN:   --expected_output=2x2xf32=11,22,13,24
// RUN: %cuda tensorjit-run %s --function=f --device=cuda --mode=eager --input=2x2xf32=1,2,3,4 --input=2xf32=10,20 \
// RUN:   --expected_output=2x2xf32=11,22,13,24
// RUN: not %cuda tensorjit-run %s --function=f --device=cuda --mode=compiled --input=2x2xf32=1,2,3,4 \
// RUN:   --input=2xf32=10,20 --expected_output=2x2xf32=11,22,13,25 2>&1 | FileCheck %s --check-prefix=DIFFERS
// DIFFERS: result 0 at [1,1]: got 24, expected 25 (1 of 4)
// RUN: not tensorjit-run %s --function=f --device=gpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: tensorjit-run: there is no device 'gpu'; there are cpu, cuda

func.func @f(%x: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %y = tj.add %x, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}
