#pragma once
#include "kernel/Kernel.h"

#include "llvm/Support/LogicalResult.h"

#include <string>

namespace tensorjit::cuda {

/// The device function of a scatter, as NestText is that of a nest. The file begins with the code that it writes.
class ScatterText {
public:
  explicit ScatterText(kernel::ScatterOp op);

  std::string comment() const;
  llvm::FailureOr<std::string> function();
  int64_t blocks() const { return blocks_; }
  int64_t sharedBytes() const;
  bool checksIndex() const { return true; }

private:
  bool inRows() const { return isList_ || inner_ == 1; }
  std::string constants() const;
  std::string rows() const;
  std::string columns() const;

  mutable kernel::ScatterOp op_; ///< the accessors of MLIR ops are not const
  int64_t outer_, size_, inner_, count_;
  bool isList_;
  int64_t rowsOfBlock_ = 0, blocks_ = 0;
};

} // namespace tensorjit::cuda
