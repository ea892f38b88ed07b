#include "cpu/PrintVector.h"

#include "cpu/CpuCodegen.h"
#include "cpu/Lowering.h"
#include "cpu/emit/KernelEmitter.h"
#include "tensorjit/error.h"

#include "kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tensorjit::cpu {

static std::string nameOf(Operation *op) { return op->getAttrOfType<StringAttr>("sym_name").str(); }

void printVectorForm(Operation *module, llvm::raw_ostream &out, const std::string &cpu) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  module->getContext()->appendDialectRegistry(registry);
  module->getContext()->loadAllAvailableDialects();
  Target target = makeTarget(cpu);
  OwningOpRef<ModuleOp> emitted = ModuleOp::create(module->getLoc());
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!kernel::isKernel(op)) return WalkResult::advance();
    if (auto refusal = refusalOf(op)) throw compile_error("kernel '" + nameOf(op) + "': " + *refusal);
    EmittedKernel kernel = emitKernel(*emitted, op, nameOf(op), target);
    out << "// " << nameOf(op) << ": " << kernel.skeletons << ", extent " << kernel.extent << ", scratch "
        << kernel.scratchBytes << " bytes\n";
    return WalkResult::skip();
  });
  emitted->print(out);
}

} // namespace tensorjit::cpu
