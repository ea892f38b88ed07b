#include "cuda/form/Vectors.h"

#include "cuda/ScalarText.h"

using namespace mlir;
using tensorjit::nest::Access;
using tensorjit::nest::Body;
using tensorjit::nest::Guard;
using tensorjit::nest::LinearForm;
using tensorjit::nest::Space;

namespace tensorjit::cuda {

int64_t memoryBytes(Type element) { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }

bool isContiguous(const Space &space, const Access &access, unsigned dim) {
  if (llvm::any_of(access.guards, [&](const Guard &guard) { return guard.index.isFunctionOfDim(dim); })) return false;
  LinearForm form = space.addressForm(access);
  return form.isLinearIn(dim) && form.coefficients[dim] == 1;
}

// Whether vectors of `width` along `dim` begin at multiples of the width.
static bool isAligned(const Space &space, const Access &access, unsigned dim, int64_t width) {
  LinearForm form = space.addressForm(access);
  if (form.constant % width) return false;
  for (unsigned other = 0; other < space.dimCount(); ++other)
    if (other != dim && form.coefficients[other] % width) return false;
  return llvm::all_of(form.atoms, [&](auto &atom) { return atom.second % width == 0; });
}

int64_t vectorWidth(const Space &space, unsigned dim) {
  int64_t width = 16;
  auto limit = [&](const Access &access) {
    if (!isContiguous(space, access, dim)) return;
    width = std::min(width, 16 / memoryBytes(access.element));
    while (width > 1 && !isAligned(space, access, dim, width)) width /= 2;
  };
  bool any = false;
  for (const auto *accesses : {&space.inputs, &space.outputs})
    for (const Access &access : *accesses) {
      limit(access);
      any |= isContiguous(space, access, dim);
    }
  while (width > 1 && space.sizes[dim] % width) width /= 2;
  return any ? width : 1;
}

Lanes Lanes::split(Space &space, unsigned dim, int64_t width) {
  Lanes lanes{dim, dim, width};
  if (width > 1) lanes.inner = space.split(dim, width);
  return lanes;
}

std::string Lanes::loop() const {
  return "for (int " + index() + " = 0; " + index() + " < " + std::to_string(width) + "; ++" + index() + ")";
}

bool Lanes::isVector(const Space &space, const Access &access) const {
  return width > 1 && isContiguous(space, access, inner) && isAligned(space, access, inner, width);
}

AffineExpr Lanes::start(const Access &access) const {
  MLIRContext *context = access.address.getContext();
  return access.address.replace(getAffineDimExpr(inner, context), getAffineConstantExpr(0, context));
}

VaryingValues::VaryingValues(const Body &body, const Space &space, const Lanes &lanes, bool alsoReductions) {
  auto isReduction = [](Operation *op) { return isa<kernel::ReduceOp, kernel::ArgReduceOp>(op); };
  Block *block = kernel::NestOp(space.nest).getBlock();
  for (BlockArgument argument : block->getArguments())
    if (lanes.width > 1 && body.info(argument).dims.test(lanes.inner)) values_.insert(argument);
  for (Operation &op : block->without_terminator()) {
    bool varies = llvm::any_of(op.getOperands(), [&](Value operand) { return contains(operand); });
    if (isa<kernel::IndexOp>(op)) varies = lanes.width > 1 && body.info(op.getResult(0)).dims.test(lanes.inner);
    if (isReduction(&op)) varies = alsoReductions;
    if (varies) values_.insert(op.getResults().begin(), op.getResults().end());
  }
}

SmallVector<unsigned> undefinedInputs(const BodyText &text, ArrayRef<Value> roots) {
  SmallVector<unsigned> inputs;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work(roots);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (text.isDefined(value) || !seen.insert(value).second) continue;
    if (auto read = value.getDefiningOp<kernel::ReadOp>()) llvm::append_range(work, read.getPositions());
    else if (Operation *op = value.getDefiningOp()) work.append(op->operand_begin(), op->operand_end());
    else inputs.push_back(cast<BlockArgument>(value).getArgNumber());
  }
  llvm::sort(inputs);
  return inputs;
}

SmallVector<kernel::ReadOp> readyReads(const BodyText &text, ArrayRef<Value> roots) {
  SmallVector<kernel::ReadOp> reads;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work(roots);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || text.isDefined(value) || !seen.insert(value).second) continue;
    work.append(op->operand_begin(), op->operand_end());
    auto read = dyn_cast<kernel::ReadOp>(op);
    if (read && llvm::all_of(read.getPositions(), [&](Value position) { return text.isDefined(position); }))
      reads.push_back(read);
  }
  llvm::sort(reads, [](kernel::ReadOp a, kernel::ReadOp b) { return a->isBeforeInBlock(b); });
  return reads;
}

static std::string vectorType(const Access &access, const Lanes &lanes) {
  return "Vec<" + memoryTypeText(access.element) + ", " + std::to_string(lanes.width) + ">";
}

static std::string loadVector(BodyText &text, const Lanes &lanes, unsigned input, std::string name,
                              ArrayRef<std::string> positions) {
  const Access &access = text.space().inputs[input];
  std::string type = vectorType(access, lanes);
  std::string value = "load<" + std::to_string(lanes.width) + ">(in" + std::to_string(input) + " + " +
                      inParentheses(text.index().text(lanes.start(access), positions)) + ")";
  std::string inside = text.index().inside(access);
  if (!inside.empty()) value = inside + " ? " + value + " : " + type + "::all(" + constantText(access.pad) + ")";
  text.line("const " + type + " " + name + " = " + value + ";");
  name += "[" + lanes.index() + "]";
  return access.element.isInteger(1) ? "(" + name + " != 0)" : name;
}

std::string loadVector(BodyText &text, const Lanes &lanes, unsigned input) {
  return loadVector(text, lanes, input, "x" + std::to_string(input), {});
}

std::string loadVector(BodyText &text, const Lanes &lanes, kernel::ReadOp read) {
  return loadVector(text, lanes, cast<BlockArgument>(read.getInput()).getArgNumber(), text.newName("x_"),
                    text.positionNames(read));
}

std::string declareVector(BodyText &text, const Lanes &lanes, unsigned output) {
  std::string name = "y" + std::to_string(output);
  text.line(vectorType(text.space().outputs[output], lanes) + " " + name + ";");
  return name + "[" + lanes.index() + "]";
}

void storeVector(BodyText &text, const Lanes &lanes, unsigned output) {
  std::string number = std::to_string(output);
  text.line("store(out" + number + " + " + inParentheses(text.index().text(lanes.start(text.space().outputs[output]))) +
            ", y" + number + ");");
}

} // namespace tensorjit::cuda
