#include "cuda/NestText.h"

#include "cuda/ScalarText.h"

using namespace mlir;

namespace tensorjit::cuda {

NestText::NestText(kernel::NestOp nest, std::string function)
    : nest_(nest), function_(std::move(function)), index_(nest), uniform_(nest), parallel_(nest.getParallelDims()),
      reduction_(nest.getReductionDims()) {
  for (unsigned dim : parallel_) parallelPoints_ *= nest.getSize(dim);
  for (unsigned dim : reduction_) reductionPoints_ *= nest.getSize(dim);
  nest.walk([&](kernel::CheckIndexOp) { checksIndex_ = true; });
  if (reduction_.empty()) return;
  while (threads_ > 32 && threads_ / 2 >= reductionPoints_) threads_ /= 2;
}

int64_t NestText::blocks() const {
  return reduction_.empty() ? (parallelPoints_ + threads_ - 1) / threads_ : parallelPoints_;
}

LogicalResult NestText::write(llvm::raw_ostream &out) {
  if (failed(reduction_.empty() ? writePoint() : writeReduction())) return failure();
  out << signature() << " {\n" << body_ << "}\n\n";
  return success();
}

std::string NestText::signature() const {
  std::string out = "static __device__ void " + function_ + "(";
  for (unsigned i = 0; i < nest_.getNumInputs(); ++i)
    out += "const " + memoryTypeText(nest_.getInputType(i).getElementType()) + " *in" + std::to_string(i) + ", ";
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    out += memoryTypeText(nest_.getOutputType(i).getElementType()) + " *out" + std::to_string(i) + ", ";
  return out + std::string(index_.type()) + " block" + (checksIndex_ ? ", unsigned long long *error)" : ")");
}

void NestText::name(Value value, const std::string &text, const std::string &type) {
  std::string name = "v" + std::to_string(counter_++);
  line("const " + type + " " + name + " = " + text + ";");
  names_[value] = name;
}

LogicalResult NestText::writePoint() {
  line(std::string("const ") + index_.type() + " point = block * " + std::to_string(threads_) + " + threadIdx.x;");
  line("if (point >= " + std::to_string(parallelPoints_) + ") return;");
  body_ += index_.defineDims(parallel_, "point", "  ");
  for (Operation &op : *nest_.getBlock())
    if (isa<kernel::CheckIndexOp>(op) && failed(define(op.getResult(0)))) return failure();
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    if (failed(define(nest_.getYield().getOperand(i)))) return failure();
  // After the last load: an output may be the memory of an input.
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    if (failed(store(i))) return failure();
  return success();
}

LogicalResult NestText::define(Value value, bool onlyUniform) {
  if (names_.contains(value)) return success();
  Operation *op = value.getDefiningOp();
  if (op)
    for (Value operand : op->getOperands())
      if (failed(define(operand, onlyUniform))) return failure();
  if (onlyUniform && !uniform_.contains(value)) return success();
  if (op) return defineOp(op);
  load(cast<BlockArgument>(value));
  return success();
}

void NestText::load(BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  AffineMap map = nest_.getInputMap(i);
  ArrayRef<int64_t> sizes = nest_.getInputType(i).getShape();
  std::string text = "in" + std::to_string(i) + "[" + index_.position(map, sizes) + "]";
  if (argument.getType().isInteger(1)) text += " != 0";
  std::string inside = index_.inside(map, sizes);
  if (!inside.empty()) text = inside + " ? " + text + " : " + constantText(nest_.getPad(i));
  name(argument, text, scalarTypeText(argument.getType()));
}

LogicalResult NestText::defineOp(Operation *op) {
  Value result = op->getResult(0);
  std::string type = scalarTypeText(result.getType());
  if (auto index = dyn_cast<kernel::IndexOp>(op)) {
    name(result, "d" + std::to_string(index.getDim()), type);
    return success();
  }
  SmallVector<std::string> operands;
  for (Value operand : op->getOperands()) operands.push_back(nameOf(operand));
  if (auto check = dyn_cast<kernel::CheckIndexOp>(op)) {
    checked_.insert(op);
    name(result,
         "checkIndex(" + operands[0] + ", " + operands[1] + ", " + std::to_string(check.getBound()) + ", " +
             std::to_string(check.getCheck()) + ", error)",
         type);
    return success();
  }
  auto text = expressionText(op, operands);
  if (!text) return op->emitOpError() << "has no CUDA form";
  name(result, *text, type);
  return success();
}

LogicalResult NestText::store(unsigned output) {
  Value value = nest_.getYield().getOperand(output);
  if (failed(define(value))) return failure();
  std::string position = index_.position(nest_.getOutputMap(output), nest_.getOutputType(output).getShape());
  line("out" + std::to_string(output) + "[" + position + "] = " + nameOf(value) + ";");
  return success();
}

} // namespace tensorjit::cuda
