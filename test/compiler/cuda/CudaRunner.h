#pragma once
/// Compiles kernels to PTX and runs them through the driver that the program is linked with.
#include "NestInterpreter.h"
#include "cuda/Program.h"
#include "execute/DeviceErrorSlot.h"

#include <cuda.h>

namespace tensorjit::cuda::test {

using Bytes = std::vector<char>;

/// What ptxas says of a program.
struct PtxasReport {
  int status = 0; ///< 0: it was taken
  std::string output;
  int kernels = 0, mostRegisters = 0;
  int64_t spilledBytes = 0;
};
PtxasReport assemble(const std::string &source, const char *virtualArchitecture, const char *architecture);

class CudaLibrary {
public:
  explicit CudaLibrary(llvm::ArrayRef<mlir::Operation *> kernels);
  ~CudaLibrary();
  CudaLibrary(const CudaLibrary &) = delete;

  const CudaProgram &program() const { return program_; }
  /// Results, of the given sizes, of a kernel on these inputs. `error`: the error slot, read and written.
  std::vector<Bytes> run(size_t kernel, llvm::ArrayRef<Bytes> inputs, llvm::ArrayRef<size_t> resultBytes,
                         DeviceErrorSlot *error = nullptr) const;

private:
  CUfunction function(const std::string &name) const;

  CudaProgram program_;
  CUcontext context_ = nullptr;
  std::vector<CUmodule> modules_; ///< a kernel is in one of them
};

} // namespace tensorjit::cuda::test
