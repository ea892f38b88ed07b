#pragma once
/// Compiles kernels to PTX and runs them through the driver that the program is linked with.
#include "NestInterpreter.h"
#include "cuda/Program.h"

#include <cuda.h>

namespace tensorjit::cuda::test {

using Bytes = std::vector<char>;

class CudaLibrary {
public:
  explicit CudaLibrary(llvm::ArrayRef<mlir::Operation *> kernels);
  ~CudaLibrary();
  CudaLibrary(const CudaLibrary &) = delete;

  const CudaProgram &program() const { return program_; }
  /// Results, of the given sizes, of a kernel on these inputs. `error`: the error slot, read and written.
  std::vector<Bytes> run(size_t kernel, llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<size_t> resultBytes,
                         unsigned long long *error = nullptr) const;

private:
  CudaProgram program_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

} // namespace tensorjit::cuda::test
