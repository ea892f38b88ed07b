#pragma once
#include "cuda/form/Form.h"

#include "mlir/Support/LLVM.h"

namespace tensorjit::cuda {

/// The device function of one nest.
class NestText {
public:
  explicit NestText(kernel::NestOp nest);

  /// A comment that names the nest and the user's lines.
  std::string comment() const;
  /// The function but for its name: `(in0, ..., out0, ..., block, error) { ... }`. Empty where there are no points.
  /// Fails, with an error at the op, where something has no CUDA form.
  llvm::FailureOr<std::string> function();

  int64_t blocks() const { return form_ ? form_->blocks() : 0; }
  int64_t sharedBytes() const { return form_ ? form_->sharedBytes() : 0; }
  /// Whether the function takes the error slot.
  bool checksIndex() const { return checksIndex_; }

private:
  std::string parameters(const BodyText &body) const;

  mutable kernel::NestOp nest_; ///< the accessors of MLIR ops are not const
  std::unique_ptr<Form> form_;  ///< none where there are no points
  bool checksIndex_ = false;
};

/// ": a.cpp:12, b.cpp:3", the user's lines that a kernel was made of; empty where there are none.
std::string linesOf(mlir::Location location);

} // namespace tensorjit::cuda
