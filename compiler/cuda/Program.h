#pragma once
#include "mlir/Support/LLVM.h"

#include "llvm/Support/LogicalResult.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace tensorjit::cuda {

/// Of a large device, which kernels are made to fill.
constexpr int64_t multiprocessors = 132;

/// How one nest or group is started: one launch. Its parameters are pointers to the inputs, then to the results, each a
/// multiple of 16, and then, where it checks indices, to the error slot (DeviceErrorSlot). An input that is an argument
/// of the function with `tj.on_host` is not pointed to: the parameter is the number.
struct KernelLaunch {
  std::string name;                         ///< of an `extern "C"` function; kernels that are equal share one
  std::array<int64_t, 3> grid = {1, 1, 1};  ///< blocks; 0 where there is nothing to compute: no launch then
  std::array<int32_t, 3> block = {1, 1, 1}; ///< threads
  int32_t sharedBytes = 0;                  ///< dynamic shared memory
  bool checksIndex = false;                 ///< whether there is the error slot
};

/// CUDA C++ that includes no header, and a launch for each kernel, in the order in which they were asked for.
struct CudaProgram {
  std::vector<std::string> sources; ///< each compiles alone; a kernel is in one of them
  std::vector<KernelLaunch> kernels;
};

/// Why there can be no kernel for a nest or group, or nothing.
std::optional<std::string> refusalOf(mlir::Operation *kernelOp);

/// Nests and groups as one program:
///
///   kernel.nest "add" [parallel 8] ...     ->   // add_0: 1 block of 256 threads
///                                               extern "C" __global__ void add_0(const float *p0, ..., float *p2)
///
/// A long program is shared out among `mostSources`. Emits an error at an op that has no CUDA form and fails; not where
/// nothing is refused.
llvm::FailureOr<CudaProgram> printProgram(llvm::ArrayRef<mlir::Operation *> kernels, unsigned mostSources = 1);
/// All nests and groups below `root`, in order.
llvm::FailureOr<CudaProgram> printProgram(mlir::Operation *root);

} // namespace tensorjit::cuda
