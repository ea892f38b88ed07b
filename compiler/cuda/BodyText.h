#pragma once
#include "cuda/IndexText.h"
#include "nest/Body.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

namespace tensorjit::cuda {

/// Statements for the scalars of a nest's body, in whatever scopes a form opens around them.
class BodyText {
public:
  /// Lives as long as the space and what it knows of the body.
  BodyText(const nest::Space &space, const nest::Body &body) : space_(space), body_(body), index_(space) {}

  const nest::Space &space() const { return space_; }
  const nest::Body &body() const { return body_; }
  const IndexText &index() const { return index_; }
  const std::string &text() const { return text_; }

  void line(const std::string &text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }
  /// `head` is followed by a scope in braces, which ends at `close`; names that it gives end with it.
  void open(const std::string &head);
  void close();
  void defineDims(llvm::ArrayRef<unsigned> dims, const std::string &linear) {
    text_ += index_.defineDims(dims, linear, std::string(2 * depth_, ' '));
  }

  using Filter = llvm::function_ref<bool(mlir::Value)>;
  /// Writes what `value` needs and is not there yet, as far as `here` lets it. Fails, with an error at the op, where
  /// something has no CUDA form.
  llvm::LogicalResult define(
      mlir::Value value, Filter here = [](mlir::Value) { return true; });
  bool isDefined(mlir::Value value) const { return names_.contains(value); }
  std::string nameOf(mlir::Value value) const { return names_.lookup(value); }
  /// From here to the end of the scope.
  void setName(mlir::Value value, const std::string &name) { names_[value] = name; }
  /// A name that nothing else has.
  std::string newName(const char *prefix) { return prefix + std::to_string(counter_++); }

  /// Reads one element, of what `kernel.read` reads at `positions`.
  std::string loadText(unsigned input, llvm::ArrayRef<std::string> positions = {}) const;
  /// The names of the positions of a read, which are defined.
  llvm::SmallVector<std::string> positionNames(kernel::ReadOp read) const;
  /// Writes the value of a result where it belongs.
  void store(unsigned output, const std::string &value);

private:
  /// Values that `here` leaves out get no name: `visited` keeps those behind them from being looked at on every path.
  llvm::LogicalResult define(mlir::Value value, Filter here, llvm::DenseSet<mlir::Value> &visited);
  void name(mlir::Value value, const std::string &text);
  llvm::LogicalResult defineOp(mlir::Operation *op);

  const nest::Space &space_;
  const nest::Body &body_;
  IndexText index_;
  std::string text_;
  unsigned depth_ = 1, counter_ = 0;
  llvm::DenseMap<mlir::Value, std::string> names_;
  std::vector<llvm::DenseMap<mlir::Value, std::string>> outer_;
};

} // namespace tensorjit::cuda
