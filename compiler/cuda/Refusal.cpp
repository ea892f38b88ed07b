// Which kernels there is CUDA code for. Whatever passes here must not fail later.
#include "cuda/Program.h"
#include "cuda/ScalarText.h"
#include "execute/DeviceErrorSlot.h"
#include "kernel/Kernel.h"
#include "lower/ScalarFnExpansion.h"

using namespace mlir;

namespace tensorjit::cuda {

static std::optional<std::string> refusalOfCheck(uint64_t check) {
  if (check < static_cast<uint64_t>(DeviceErrorSlot::mostChecks)) return std::nullopt;
  return "index check " + std::to_string(check) + " of a graph: the error slot tells " +
         std::to_string(DeviceErrorSlot::mostChecks) + " apart";
}

static std::optional<std::string> refusalOfNest(kernel::NestOp nest) {
  for (Operation &op : nest.getBlock()->without_terminator()) {
    if (auto check = dyn_cast<kernel::CheckIndexOp>(op))
      if (auto why = refusalOfCheck(check.getCheck())) return why;
    if (isa<kernel::ScanOp>(op)) return "no CUDA code for scans";
    if (isa<kernel::KernelDialect>(op.getDialect()) || hasScalarFn(&op)) continue;
    SmallVector<std::string> operands(op.getNumOperands(), "v");
    if (op.getNumResults() != 1 || op.getNumRegions() || !expressionText(&op, operands))
      return "no CUDA code for " + op.getName().getStringRef().str();
  }
  return std::nullopt;
}

std::optional<std::string> refusalOf(Operation *op) {
  if (auto nest = dyn_cast<kernel::NestOp>(op)) return refusalOfNest(nest);
  if (auto scatter = dyn_cast<kernel::ScatterOp>(op)) return refusalOfCheck(scatter.getCheck());
  auto group = dyn_cast<kernel::GroupOp>(op);
  if (!group) return op->getName().getStringRef().str() + " is not a kernel";
  for (kernel::NestOp nest : group.getNests())
    if (auto refusal = refusalOfNest(nest)) return refusal;
  return std::nullopt;
}

} // namespace tensorjit::cuda
