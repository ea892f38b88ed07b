#include "Stage.h"

#include "Dump.h"
#include "kernel/Kernel.h"
#include "tensor/TJ.h"
#include "tensorjit/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tensorjit {

CompilerContext::CompilerContext() : mlir(MLIRContext::Threading::DISABLED) {
  mlir.loadDialect<func::FuncDialect, arith::ArithDialect, math::MathDialect, kernel::KernelDialect, tj::TJDialect>();
  mlir.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + '\n';
    return success();
  });
}

void CompilerContext::check(Operation *op) {
  if (failed(verify(op))) throw compile_error("the compiler made ill-formed IR: " + diagnostics);
}

void StageLog::finish(const char *stage, func::FuncOp function) {
#ifndef NDEBUG
  if (failed(verify(function))) throw compile_error(std::string("stage ") + stage + " made ill-formed IR");
#endif
  if (options_.dumpDir.empty()) return;
  std::string text;
  llvm::raw_string_ostream(text) << *function->getParentOp() << '\n';
  if (text == previous_) return;
  previous_ = text;
  dump(options_, graph_.name + "." + std::to_string(++number_) + "-" + stage + ".mlir", text);
}

} // namespace tensorjit
