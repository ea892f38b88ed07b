#include "cuda/Reduction.h"

#include "cuda/ScalarText.h"

using namespace mlir;

namespace tensorjit::cuda {

/// Sums and products of types that shuffles lack are formed in int.
static std::string numberType(Type type) {
  return type.isInteger(1) || type.isInteger(8) ? "int" : scalarTypeText(type);
}

std::string accumulatorType(Operation *op) {
  if (auto arg = dyn_cast<kernel::ArgReduceOp>(op)) return "At<" + numberType(arg.getValue().getType()) + ">";
  return numberType(cast<kernel::ReduceOp>(op).getValue().getType());
}

std::string startText(Operation *op) {
  if (auto arg = dyn_cast<kernel::ArgReduceOp>(op)) {
    // The largest index loses every tie against a real one.
    bool largest = arg.getKind() == kernel::ArgReduceKind::Max;
    return "{" + extremeText(arg.getValue().getType(), !largest) + ", 0x7fffffffffffffffLL}";
  }
  auto reduce = cast<kernel::ReduceOp>(op);
  Type type = reduce.getValue().getType();
  switch (reduce.getKind()) {
  case kernel::ReduceKind::Max: return extremeText(type, false);
  case kernel::ReduceKind::Min: return extremeText(type, true);
  case kernel::ReduceKind::Mul: return "1";
  case kernel::ReduceKind::And: return type.isInteger(1) ? "1" : "-1";
  default: return "0";
  }
}

std::string combinerText(Operation *op) {
  if (auto arg = dyn_cast<kernel::ArgReduceOp>(op))
    return arg.getKind() == kernel::ArgReduceKind::Max ? "Extreme<true>()" : "Extreme<false>()";
  const char *names[] = {"Add()", "Mul()", "Max()", "Min()", "And()", "Or()"};
  return names[static_cast<int>(cast<kernel::ReduceOp>(op).getKind())];
}

std::string contributionText(Operation *op, ArrayRef<std::string> operands) {
  if (isa<kernel::ArgReduceOp>(op)) return accumulatorType(op) + "{" + operands[0] + ", " + operands[1] + "}";
  return "(" + accumulatorType(op) + ")" + operands[0];
}

std::string resultText(OpResult result, const std::string &accumulator) {
  std::string cast = "(" + scalarTypeText(result.getType()) + ")";
  if (isa<kernel::ReduceOp>(result.getOwner())) return cast + accumulator;
  return result.getResultNumber() == 0 ? cast + accumulator + ".value" : accumulator + ".index";
}

bool isFloatSum(Operation *op) {
  auto reduce = dyn_cast<kernel::ReduceOp>(op);
  return reduce && reduce.getKind() == kernel::ReduceKind::Add && isa<FloatType>(reduce.getType());
}

} // namespace tensorjit::cuda
