#include "cpu/emit/KernelEmitter.h"

#include "cpu/emit/EmitChain.h"
#include "cpu/emit/EmitScatter.h"
#include "cpu/emit/KernelFunction.h"
#include "cpu/emit/PlannedNest.h"

using namespace mlir;

namespace tensorjit::cpu {

static constexpr double grainSeconds = 2e-6;

void EmittedKernel::addNest(StringRef skeleton, double nestSeconds) {
  if (!skeletons.empty()) skeletons += '+';
  skeletons += skeleton;
  seconds += nestSeconds;
}

static void emitNest(Emission &emission, const PlannedNest &nest, Value lo, Value hi, EmittedKernel &kernel) {
  nest.emit(emission, lo, hi);
  kernel.extent += nest.extent();
  kernel.addNest(nest.skeleton(), nest.seconds());
}

// The group's units are the nests' units, one nest after another.
static void emitGroup(Emission &emission, kernel::GroupOp group, ValueRange memory, Value lo, Value hi,
                      EmittedKernel &kernel) {
  Builder &b = emission.b;
  size_t firstResult = group.getInputs().size();
  for (kernel::NestOp nest : group.getNests()) {
    Values operands;
    for (Value input : nest.getInputs()) operands.push_back(memory[cast<BlockArgument>(input).getArgNumber()]);
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) operands.push_back(memory[firstResult++]);
    PlannedNest planned(makeSpace(nest, operands), emission.target);
    Value from = b.max(b.sub(lo, b.index(kernel.extent)), b.index(0));
    Value to = b.min(b.sub(hi, b.index(kernel.extent)), b.index(planned.extent()));
    emitNest(emission, planned, from, to, kernel);
  }
}

EmittedKernel emitKernel(ModuleOp module, Operation *op, StringRef symbol, const Target &target) {
  SmallVector<Type> buffers;
  for (Type type : op->getOperandTypes()) buffers.push_back(bufferType(type));
  for (Type type : op->getResultTypes()) buffers.push_back(bufferType(type));
  KernelFunction function = makeKernelFunction(module, op->getLoc(), symbol, buffers);
  OpBuilder builder(function.op.getBody().front().getTerminator());
  function.op->setAttr("kernel.entry", builder.getUnitAttr());
  Emission emission{
      {builder, op->getLoc(), &function.op.getBody().front()}, module, target, function.scratch, function.context};
  ValueRange memory = function.memory;
  Value lo = function.lo, hi = function.hi;
  EmittedKernel kernel;
  if (auto group = dyn_cast<kernel::GroupOp>(op)) {
    emitGroup(emission, group, memory, lo, hi, kernel);
  } else if (auto chain = dyn_cast<kernel::ChainOp>(op)) {
    emitChain(emission, chain, symbol, memory, lo, hi, kernel);
  } else if (auto scatter = dyn_cast<kernel::ScatterOp>(op)) {
    emitScatter(emission, scatter, memory, lo, hi, kernel);
  } else {
    PlannedNest nest(makeSpace(cast<kernel::NestOp>(op), memory), target);
    emitNest(emission, nest, lo, hi, kernel);
  }
  kernel.scratchBytes = emission.scratchBytes;
  // Older CPUs round and multiply-add through the library.
  kernel.callsLibm = emission.callsLibm || !target.fma;
  double unitSeconds = kernel.extent ? kernel.seconds / kernel.extent : 0;
  kernel.grain = std::max<int64_t>(1, unitSeconds > 0 ? std::min(grainSeconds / unitSeconds, 1e9) : 1);
  return kernel;
}

} // namespace tensorjit::cpu
