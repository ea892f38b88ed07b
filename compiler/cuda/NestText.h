#pragma once
#include "cuda/form/Form.h"

#include "llvm/Support/raw_ostream.h"

namespace tensorjit::cuda {

/// Writes the device function of one nest: `nest_NAME(in0, ..., out0, ..., block, error)`.
class NestText {
public:
  NestText(kernel::NestOp nest, std::string function);

  /// Fails, with an error at the op, where something has no CUDA form.
  llvm::LogicalResult write(llvm::raw_ostream &out);

  const std::string &function() const { return function_; }
  int64_t blocks() const { return form_ ? form_->blocks() : 0; }
  int64_t sharedBytes() const { return form_ ? form_->sharedBytes() : 0; }
  /// Whether the function takes the error slot.
  bool checksIndex() const { return checksIndex_; }

private:
  std::string signature(const BodyText &body) const;

  mutable kernel::NestOp nest_; ///< the accessors of MLIR ops are not const
  std::string function_;
  std::unique_ptr<Form> form_; ///< none where there are no points
  bool checksIndex_ = false;
};

} // namespace tensorjit::cuda
