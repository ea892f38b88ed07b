// Which kernels code can be generated for. Whatever passes here must not fail later.
#include "cpu/CpuCodegen.h"
#include "cpu/emit/MathCalls.h"

#include "kernel/Kernel.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tensorjit::cpu {

static std::optional<std::string> refusalOfNest(kernel::NestOp nest) {
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (isa<kernel::KernelDialect>(op.getDialect())) continue;
    if (op.getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(&op))
      if (!isa<arith::ConstantOp>(op)) return op.getName().getStringRef().str() + " is not a scalar op with one result";
    if (isa<math::MathDialect>(op.getDialect()) && !canEmitMath(&op))
      return "no code for " + op.getName().getStringRef().str();
  }
  return std::nullopt;
}

std::optional<std::string> refusalOf(Operation *op) {
  if (!kernel::isKernel(op)) return op->getName().getStringRef().str() + " is not a kernel";
  std::optional<std::string> refusal;
  op->walk([&](kernel::NestOp nest) {
    if (!refusal) refusal = refusalOfNest(nest);
  });
  return refusal;
}

// The elements of a nest make a block of random words each, where four could share one: what that costs is more than
// another pass over memory for normals, and pays for bits only where what they are made into is fused with them.
std::optional<std::string> betterCalled(Operation *op) {
  StringRef name = op->getName().getStringRef();
  auto isReturned = [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); };
  if (name == "tj.random_normal" || (name == "tj.random_bits" && llvm::all_of(op->getUsers(), isReturned)))
    return name.str() + " shares each block of random words among the elements";
  return std::nullopt;
}

} // namespace tensorjit::cpu
