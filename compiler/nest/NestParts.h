#pragma once
/// A nest taken apart, to be changed and put together again.
#include "kernel/Kernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace tensorjit::nest {

using namespace mlir; // NOLINT: the compiler speaks MLIR
using kernel::NestOp;

struct Input {
  Value tensor;
  AffineMap map;
  TypedAttr pad; ///< null: the map never leaves the tensor
  friend bool operator==(const Input &, const Input &) = default;
};

struct Output {
  AffineMap map;
  Type elementType;
};

struct NestParts {
  explicit NestParts(NestOp nest);

  std::string name;
  Location loc;
  SmallVector<int64_t> sizes;
  SmallVector<bool> reduction; ///< of each dim
  SmallVector<Input> inputs;
  SmallVector<Output> outputs;
  StringAttr schedule;
  DictionaryAttr tile;

  using Body = llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange inputs)>;
  /// `body` receives one scalar for each input and returns one for each output.
  NestOp create(OpBuilder &builder, Body body) const;
};

/// Copies a body's ops to the builder's place. `inputs` stand for its arguments, `index` gives its positions in its own
/// dims. Returns what the body yields.
SmallVector<Value> copyBody(OpBuilder &builder, NestOp nest, ValueRange inputs,
                            llvm::function_ref<Value(unsigned dim)> index);

/// The same, where the dims of both nests are the same.
SmallVector<Value> copyBody(OpBuilder &builder, NestOp nest, ValueRange inputs);

/// Rewrites a nest over another iteration space; `oldDims` are its present dims in terms of the new ones. Result maps
/// become plain dims again or the rewrite is refused (null). Results keep their types.
NestOp changeSpace(OpBuilder &builder, NestOp nest, ArrayRef<int64_t> sizes, ArrayRef<bool> reduction,
                   ArrayRef<AffineExpr> oldDims);

/// Drops results that nobody uses, inputs that the body does not read, and second reads of the same element; replaces
/// the nest where that changes anything. Returns what stands there now, null where nothing is left.
NestOp tidy(OpBuilder &builder, NestOp nest);

/// User lines of both, each once.
Location fuseLocations(Location a, Location b);

int64_t numPoints(ArrayRef<int64_t> sizes);

} // namespace tensorjit::nest
