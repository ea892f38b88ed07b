#pragma once
/// A form is a way to share out a nest's points among threads; each is written by one file of this folder.
#include "cuda/BodyText.h"

#include <memory>

namespace tensorjit::cuda {

/// Threads of a block, in every form, so that nests of any can share a kernel.
constexpr int blockThreads = 256;

class Form {
public:
  explicit Form(nest::Space space) : space_(std::move(space)), body_(space_) {}
  virtual ~Form() = default;
  Form(const Form &) = delete;

  virtual int64_t blocks() const = 0;
  virtual int64_t sharedBytes() const { return 0; }
  /// The statements of a device function, in which `block` is the number of the block.
  virtual llvm::LogicalResult write(BodyText &text) = 0;

  const nest::Space &space() const { return space_; }
  const nest::Body &body() const { return body_; }

protected:
  kernel::NestOp nest() const { return space_.nest; }
  mlir::Value yielded(unsigned output) const { return nest().getYield().getOperand(output); }
  bool variesOverReduction(mlir::Value value) const { return body_.variesOverReduction(value); }
  /// Whether a result has elements for the points of reduction dims.
  bool isReducedAlong(unsigned output) const;
  /// `a` and the number of a reduction.
  std::string accumulator(mlir::Operation *reduction) const;

  nest::Space space_;
  nest::Body body_;
};

/// The best form for a nest; every nest with points has one.
std::unique_ptr<Form> chooseForm(kernel::NestOp nest);

/// One or a few neighbouring points of a parallel dim a thread; reduction dims are walked by it, or by several that
/// combine what they have.
std::unique_ptr<Form> makeLanesForm(nest::Space space);
/// Neighbouring threads share the reduction dims of a point and walk along memory. None where no input lies like that.
std::unique_ptr<Form> makeRowsForm(nest::Space space);
/// Rectangles of a nest that lies along one dim in some tensors and along another in others. None where it does not.
std::unique_ptr<Form> makeTransposeForm(nest::Space space);

} // namespace tensorjit::cuda
