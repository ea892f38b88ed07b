#pragma once
/// Short forms for the few ops that skeletons are written in.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tensorjit::cpu {

using Values = llvm::SmallVector<mlir::Value>;

class Builder {
public:
  /// Constants stand once each at the start of `entry`.
  Builder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block *entry) : b(builder), loc(loc), entry_(entry) {}

  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value);
  /// `value` in an integer or float type, or in every lane of a vector of one.
  mlir::Value number(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, int64_t value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return b == 0 ? a : add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b); ///< of values that are not negative
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value andBits(mlir::Value a, mlir::Value b); ///< either may be null: "all true"
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);
  /// A splat of a scalar index in `lanes` integers of `type`.
  mlir::Value splatIndex(mlir::Value index, mlir::Type type, int64_t lanes);
  /// A mask of the first `count` of `lanes`; null, "all", where these are all.
  mlir::Value firstLanes(int64_t count, int64_t lanes);
  /// 0, step, 2*step, ...
  mlir::Value iota(mlir::Type type, int64_t lanes, int64_t step = 1);

  /// `for (i = lo; i < hi; i += step)`. The body gets the loop-carried values and returns the next ones.
  Values loop(mlir::Value lo, mlir::Value hi, int64_t step, mlir::ValueRange init,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  void loop(mlir::Value lo, mlir::Value hi, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);
  void ifThenElse(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  mlir::Block *entry_;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants_;
};

inline int64_t lanesOf(mlir::Type type) {
  auto vector = mlir::dyn_cast<mlir::VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}
/// `scalar` itself for one lane, else a vector of it.
inline mlir::Type withLanes(mlir::Type scalar, int64_t lanes) {
  return lanes == 1 ? scalar : mlir::VectorType::get({lanes}, scalar);
}

} // namespace tensorjit::cpu
