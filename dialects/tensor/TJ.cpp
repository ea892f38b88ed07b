#include "tensor/TJ.h"

#include "tensor/OpBridge.h"
#include "tensorjit/error.h"

using namespace mlir;

#include "tensor/TJDialect.cpp.inc"

namespace tensorjit::tj {

#define TENSORJIT_FAMILY(Family) void register##Family##Ops(TJDialect &dialect);
#include "op/Families.inc"
#undef TENSORJIT_FAMILY

void TJDialect::initialize() {
#define TENSORJIT_FAMILY(Family) register##Family##Ops(*this);
#include "op/Families.inc"
#undef TENSORJIT_FAMILY
}

/// The text of an error without the op's name in front, which MLIR puts there itself.
static StringRef withoutLabel(StringRef text) {
  auto [label, rest] = text.split(": ");
  return label.contains(' ') || rest.empty() ? text : rest;
}

LogicalResult verifyAgainstRecord(Operation *op) {
  OpId id;
  Attrs attrs;
  if (!toGraphNode(op, id, attrs)) return op->emitOpError("has attributes of other kinds than its record");
  SmallVector<TensorType> operands, results(op->getNumResults());
  for (Type type : op->getOperandTypes()) {
    auto tensor = tensorTypeOf(type);
    if (!tensor) return success(); // dynamic sizes are checked when they are known
    operands.push_back(*tensor);
  }
  try {
    info(id).infer({operands.data(), operands.size()}, attrs, {results.data(), results.size()});
  } catch (const Error &error) {
    return op->emitOpError() << withoutLabel(error.what());
  }
  for (auto [actual, inferred] : llvm::zip_equal(op->getResultTypes(), results)) {
    auto tensor = tensorTypeOf(actual);
    if (tensor && *tensor != inferred)
      return op->emitOpError() << "result is " << actual << ", but its operands and attributes make it "
                               << tensorType(op->getContext(), inferred);
  }
  return success();
}

} // namespace tensorjit::tj
