#include "tensor/TJ.h"

#include "tensor/OpBridge.h"
#include "tensor/RecordOp.h"
#include "tensorjit/error.h"

using namespace mlir;

MLIR_DEFINE_EXPLICIT_TYPE_ID(tensorjit::tj::TJDialect)

namespace tensorjit::tj {

TJDialect::TJDialect(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<TJDialect>()) {
  registerRecordOps(*this);
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
