#pragma once
/// Several neighbouring elements in one access.
#include "cuda/BodyText.h"

namespace tensorjit::cuda {

int64_t memoryBytes(mlir::Type element);

/// Whether the access runs along `dim` in memory, element by element.
bool isContiguous(const nest::Space &space, const nest::Access &access, unsigned dim);

/// The most elements, up to 16 bytes of the widest, that every access which is contiguous along `dim` can be read or
/// written in.
int64_t vectorWidth(const nest::Space &space, unsigned dim);

/// A dim taken apart for vectors: `outer` counts them, `inner` the elements of one.
struct Lanes {
  unsigned outer = 0, inner = 0;
  int64_t width = 1; ///< 1: there is no inner dim

  static Lanes split(nest::Space &space, unsigned dim, int64_t width);
  std::string index() const { return width == 1 ? "0" : "d" + std::to_string(inner); }
  std::string loop() const;
  bool isVector(const nest::Space &space, const nest::Access &access) const;
  /// Where the vector of the point begins.
  mlir::AffineExpr start(const nest::Access &access) const;
};

/// The values that differ between the elements of a vector. Results of reductions do where `alsoReductions`.
class VaryingValues {
public:
  VaryingValues(const nest::Body &body, const nest::Space &space, const Lanes &lanes, bool alsoReductions);
  bool contains(mlir::Value value) const { return values_.contains(value); }

private:
  llvm::DenseSet<mlir::Value> values_;
};

/// The inputs that `roots` need and that are not defined yet.
llvm::SmallVector<unsigned> undefinedInputs(const BodyText &text, llvm::ArrayRef<mlir::Value> roots);

/// The reads at positions that are data which `roots` need, and which are not defined though their positions are.
llvm::SmallVector<kernel::ReadOp> readyReads(const BodyText &text, llvm::ArrayRef<mlir::Value> roots);

/// Reads a vector; the name of what it holds at the current element is returned.
std::string loadVector(BodyText &text, const Lanes &lanes, unsigned input);
/// The same of what `kernel.read` reads, at positions that are defined.
std::string loadVector(BodyText &text, const Lanes &lanes, kernel::ReadOp read);
/// Declares a vector for a result and returns the name of its current element.
std::string declareVector(BodyText &text, const Lanes &lanes, unsigned output);
void storeVector(BodyText &text, const Lanes &lanes, unsigned output);

} // namespace tensorjit::cuda
