#include "cpu/emit/KernelEmitter.h"

#include "cpu/emit/Contraction.h"
#include "cpu/emit/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tensorjit::cpu {

static constexpr double grainSeconds = 2e-6;
// Only an upper bound for the type: the executor allocates what the kernel asks for.
static constexpr int64_t scratchLimit = int64_t(1) << 40;

static Type bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  Type element = type.getElementType();
  element = element.isInteger(1) ? IntegerType::get(tensor.getContext(), 8) : kernel::scalarType(element);
  return MemRefType::get({type.getNumElements()}, element);
}

static func::FuncOp makeFunction(ModuleOp module, Operation *op, StringRef symbol) {
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> arguments;
  for (Type type : op->getOperandTypes()) arguments.push_back(bufferType(type));
  for (Type type : op->getResultTypes()) arguments.push_back(bufferType(type));
  arguments.push_back(MemRefType::get({scratchLimit}, b.getI8Type()));
  arguments.append({b.getIndexType(), b.getIndexType(), LLVM::LLVMPointerType::get(b.getContext())});
  auto function = func::FuncOp::create(b, op->getLoc(), symbol, b.getFunctionType(arguments, {}));
  function->setAttr("kernel.entry", b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, op->getLoc());
  return function;
}

namespace {
struct EmittedNest {
  int64_t extent;
  double unitSeconds;
  StringRef skeleton;
};
} // namespace

namespace {
// What is decided about a nest before its code is written.
class PlannedNest {
public:
  PlannedNest(kernel::NestOp nest, ValueRange memory, const Target &target)
      : contraction_(matchContraction(nest, memory, target)) {
    if (contraction_) return;
    space_ = makeSpace(nest, memory);
    mergeDims(space_);
    body_.emplace(space_);
    plan_ = makePlan(space_, *body_, target);
  }

  int64_t extent() const { return contraction_ ? contraction_->extent() : plan_.extent(space_); }

  EmittedNest emit(Emission &emission, Value lo, Value hi) const {
    if (contraction_) {
      emitContraction(emission, *contraction_, lo, hi);
      return {extent(), contraction_->unitSeconds(), "contraction"};
    }
    emitPlanned(emission, space_, *body_, plan_, lo, hi);
    return {extent(), plan_.unitSeconds, plan_.skeleton};
  }

private:
  std::optional<Contraction> contraction_;
  Space space_;
  std::optional<Body> body_;
  Plan plan_;
};
} // namespace

// The group's units are the nests' units, one nest after another.
static SmallVector<EmittedNest> emitGroup(Emission &emission, kernel::GroupOp group, ValueRange memory, Value lo,
                                          Value hi) {
  SmallVector<EmittedNest> emitted;
  Builder &b = emission.b;
  size_t firstResult = group.getInputs().size();
  int64_t offset = 0;
  for (kernel::NestOp nest : group.getNests()) {
    Values operands;
    for (Value input : nest.getInputs()) operands.push_back(memory[cast<BlockArgument>(input).getArgNumber()]);
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) operands.push_back(memory[firstResult++]);
    PlannedNest planned(nest, operands, emission.target);
    Value from = b.max(b.sub(lo, b.index(offset)), b.index(0));
    Value to = b.min(b.sub(hi, b.index(offset)), b.index(planned.extent()));
    emitted.push_back(planned.emit(emission, from, to));
    offset += planned.extent();
  }
  return emitted;
}

EmittedKernel emitKernel(ModuleOp module, Operation *op, StringRef symbol, const Target &target) {
  func::FuncOp function = makeFunction(module, op, symbol);
  OpBuilder builder(function.getBody().front().getTerminator());
  unsigned buffers = op->getNumOperands() + op->getNumResults();
  Emission emission{{builder, op->getLoc(), &function.getBody().front()},
                    module,
                    target,
                    function.getArgument(buffers),
                    function.getArgument(buffers + 3)};
  ValueRange memory = function.getArguments().take_front(buffers);
  Value lo = function.getArgument(buffers + 1), hi = function.getArgument(buffers + 2);
  SmallVector<EmittedNest> nests;
  if (auto group = dyn_cast<kernel::GroupOp>(op)) {
    nests = emitGroup(emission, group, memory, lo, hi);
  } else {
    nests.push_back(PlannedNest(cast<kernel::NestOp>(op), memory, target).emit(emission, lo, hi));
  }
  // Older CPUs round and multiply-add through the library.
  EmittedKernel kernel{0, 1, emission.scratchBytes, emission.callsLibm || !target.fma, ""};
  double seconds = 0;
  for (const EmittedNest &nest : nests) {
    kernel.extent += nest.extent;
    seconds += nest.extent * nest.unitSeconds;
    if (!kernel.skeletons.empty()) kernel.skeletons += '+';
    kernel.skeletons += nest.skeleton;
  }
  double unitSeconds = kernel.extent ? seconds / kernel.extent : 0;
  kernel.grain = std::max<int64_t>(1, unitSeconds > 0 ? std::min(grainSeconds / unitSeconds, 1e9) : 1);
  return kernel;
}

} // namespace tensorjit::cpu
