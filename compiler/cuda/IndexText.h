#pragma once
#include "nest/Space.h"

#include <string>

namespace tensorjit::cuda {

/// Index arithmetic of one nest as C++: `int` where every index and every position in memory is below 2^31, else
/// `long long`. Dims of the space are d0, d1, ...
class IndexText {
public:
  explicit IndexText(const nest::Space &space);

  const char *type() const { return wide_ ? "long long" : "int"; }
  std::string number(int64_t value) const;
  /// An affine expression. In a space with dims split, of points that are inside. `positions` name the values of
  /// positions that are data.
  std::string text(mlir::AffineExpr expr, llvm::ArrayRef<std::string> positions = {}) const;
  /// The condition under which an access stays inside its tensor; empty where it always does.
  std::string inside(const nest::Access &access) const;
  /// Statements that define the names of `dims` from their row-major number `linear`.
  std::string defineDims(llvm::ArrayRef<unsigned> dims, const std::string &linear, const std::string &indent) const;

private:
  const nest::Space &space_;
  bool wide_;
};

/// A part of an expression in parentheses, where it needs them.
std::string inParentheses(const std::string &text);

} // namespace tensorjit::cuda
