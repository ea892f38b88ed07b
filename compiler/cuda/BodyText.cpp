#include "cuda/BodyText.h"

#include "cuda/ScalarText.h"

using namespace mlir;

namespace tensorjit::cuda {

void BodyText::open(const std::string &head) {
  line(head + (head.empty() ? "{" : " {"));
  ++depth_;
  outer_.push_back(names_);
}

void BodyText::close() {
  --depth_;
  line("}");
  names_ = std::move(outer_.back());
  outer_.pop_back();
}

void BodyText::name(Value value, const std::string &text) {
  std::string name = newName("v");
  line("const " + scalarTypeText(value.getType()) + " " + name + " = " + text + ";");
  names_[value] = name;
}

// What `kernel.read` reads has no value of its own.
static bool isReadArgument(Value value) {
  auto read = value.use_empty() ? kernel::ReadOp() : dyn_cast<kernel::ReadOp>(*value.user_begin());
  return read && read.getInput() == value;
}

SmallVector<std::string> BodyText::positionNames(kernel::ReadOp read) const {
  SmallVector<std::string> names;
  for (Value position : read.getPositions()) names.push_back(nameOf(position));
  return names;
}

LogicalResult BodyText::define(Value value, Filter here) {
  llvm::DenseSet<Value> visited;
  return define(value, here, visited);
}

LogicalResult BodyText::define(Value value, Filter here, llvm::DenseSet<Value> &visited) {
  if (names_.contains(value) || !visited.insert(value).second) return success();
  Operation *op = value.getDefiningOp();
  if (op)
    for (Value operand : op->getOperands())
      if (!isReadArgument(operand) && failed(define(operand, here, visited))) return failure();
  if (!here(value)) return success();
  if (op) return defineOp(op);
  name(value, loadText(cast<BlockArgument>(value).getArgNumber()));
  return success();
}

std::string BodyText::loadText(unsigned input, ArrayRef<std::string> positions) const {
  const nest::Access &access = space_.inputs[input];
  std::string text = "in" + std::to_string(input) + "[" + index_.text(access.address, positions) + "]";
  if (access.element.isInteger(1)) text += " != 0";
  std::string inside = index_.inside(access);
  return inside.empty() ? text : inside + " ? " + text + " : " + constantText(access.pad);
}

void BodyText::store(unsigned output, const std::string &value) {
  line("out" + std::to_string(output) + "[" + index_.text(space_.outputs[output].address) + "] = " + value + ";");
}

LogicalResult BodyText::defineOp(Operation *op) {
  Value result = op->getResult(0);
  if (auto index = dyn_cast<kernel::IndexOp>(op)) {
    name(result, index_.text(space_.indices[index.getDim()]));
    return success();
  }
  if (auto read = dyn_cast<kernel::ReadOp>(op)) {
    name(result, loadText(cast<BlockArgument>(read.getInput()).getArgNumber(), positionNames(read)));
    return success();
  }
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) operands.push_back(nameOf(operand));
  if (auto check = dyn_cast<kernel::CheckIndexOp>(op)) {
    name(result, "checkIndex(" + operands[0] + ", " + operands[1] + ", " + std::to_string(check.getBound()) + ", " +
                     std::to_string(check.getCheck()) + ", error)");
    return success();
  }
  auto text = expressionText(op, operands);
  if (!text) return op->emitOpError() << "has no CUDA form";
  name(result, *text);
  return success();
}

} // namespace tensorjit::cuda
