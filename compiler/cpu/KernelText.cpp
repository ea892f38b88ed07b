#include "cpu/KernelText.h"

#include "kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tensorjit::cpu {

static void dropNames(Operation *op) {
  op->walk([](Operation *inner) {
    if (inner->hasAttr("sym_name")) inner->setAttr("sym_name", StringAttr::get(inner->getContext(), "kernel"));
  });
}

std::string kernelText(Operation *op) {
  OpBuilder b(op->getContext());
  Location loc = b.getUnknownLoc();
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(b, loc, "kernel", b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  b.setInsertionPointToStart(function->addEntryBlock());
  Operation *copy = b.clone(*op);
  copy->setOperands(function->getArguments());
  func::ReturnOp::create(b, loc, copy->getResults());
  dropNames(copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  function->print(stream, OpPrintingFlags().enableDebugInfo(false).assumeVerified());
  return text;
}

} // namespace tensorjit::cpu
