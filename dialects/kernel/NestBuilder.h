#pragma once
#include "kernel/Kernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tensorjit::kernel {

/// Collects the parts of a `kernel.nest`, then makes it:
///
///   NestBuilder nest(builder, loc, "bias_gradient");
///   AffineExpr n = nest.reduction(128), c = nest.parallel(64);
///   nest.input(g, {n, c});
///   nest.output(f32, {c});
///   NestOp op = nest.create([](OpBuilder &b, Location loc, ValueRange in) { return SmallVector<Value>{...}; });
class NestBuilder {
public:
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

  NestBuilder(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name)
      : builder_(builder), loc_(loc), name_(name) {}

  mlir::AffineExpr parallel(int64_t size) { return dim(size, "parallel"); }
  mlir::AffineExpr reduction(int64_t size) { return dim(size, "reduction"); }
  llvm::SmallVector<mlir::AffineExpr> parallel(llvm::ArrayRef<int64_t> sizes);
  mlir::AffineExpr constant(int64_t value) { return mlir::getAffineConstantExpr(value, builder_.getContext()); }

  /// Reads `tensor` at `index`; `pad` is needed where the index can leave the tensor.
  unsigned input(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> index, mlir::TypedAttr pad = {});
  /// A result whose sizes are those of the dims in `index` (a constant 0 stands for a size of 1).
  unsigned output(mlir::Type elementType, llvm::ArrayRef<mlir::AffineExpr> index);

  NestOp create(Body body);

private:
  struct Access {
    mlir::Value tensor;
    llvm::SmallVector<mlir::AffineExpr> index;
    mlir::TypedAttr pad;
    mlir::Type elementType;
  };
  mlir::AffineExpr dim(int64_t size, llvm::StringRef iterator);
  mlir::AffineMap mapOf(const Access &access) const;

  mlir::OpBuilder &builder_;
  mlir::Location loc_;
  std::string name_;
  llvm::SmallVector<int64_t> sizes_;
  llvm::SmallVector<llvm::StringRef> iterators_;
  llvm::SmallVector<Access> inputs_, outputs_;
};

} // namespace tensorjit::kernel
