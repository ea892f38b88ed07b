#include "cpu/emit/EmitChain.h"

#include "cpu/emit/KernelFunction.h"
#include "cpu/emit/PlannedNest.h"
#include "plan/SliceMemory.h"
#include "plan/Steps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {

// One nest of the chain as a function.
struct Link {
  func::FuncOp function;
  Values buffers;
  int64_t unitsOfSlice;
};

class ChainEmitter {
public:
  ChainEmitter(Emission &emission, kernel::ChainOp chain, StringRef symbol, ValueRange memory)
      : emission_(emission), b_(emission.b), chain_(chain), symbol_(symbol), slices_(chain.getSlices()) {
    size_t place = 0;
    for (BlockArgument argument : chain.getBlock()->getArguments()) memory_[argument] = memory[place++];
    for (Value result : chain.getYield().getOperands()) memory_[result] = memory[place++];
    auto isLocal = [&](Value result) { return !memory_.contains(result); };
    plan::SliceMemory local = plan::planSliceMemory(chain.getNests(), slices_, isLocal);
    for (auto [result, offset] : local.offsets) {
      int64_t elements = cast<RankedTensorType>(result.getType()).getNumElements() / slices_;
      memory_[result] = memref::ViewOp::create(b_.b, b_.loc, bufferType(result.getType(), elements), emission.scratch,
                                               b_.index(emission.scratchBytes + offset), ValueRange{});
      local_.insert(result);
    }
    emission.scratchBytes += local.bytes;
  }

  void emit(Value lo, Value hi, EmittedKernel &kernel) {
    SmallVector<Link> links;
    int64_t scratchBytes = 0;
    for (kernel::NestOp nest : chain_.getNests()) links.push_back(emitNest(nest, links.size(), scratchBytes, kernel));
    // The nests run one after another, in the same scratch.
    Value scratch = memref::ViewOp::create(b_.b, b_.loc, scratchType(b_.b.getContext()), emission_.scratch,
                                           b_.index(emission_.scratchBytes), ValueRange{});
    emission_.scratchBytes += scratchBytes;
    b_.loop(lo, hi, 1, [&](Value slice) {
      for (const Link &link : links) {
        Values operands = link.buffers;
        Value from = b_.mul(slice, link.unitsOfSlice);
        operands.append({scratch, from, b_.add(from, link.unitsOfSlice), emission_.context});
        func::CallOp::create(b_.b, b_.loc, link.function, operands);
      }
    });
    kernel.extent += slices_;
  }

private:
  Link emitNest(kernel::NestOp nest, size_t number, int64_t &scratchBytes, EmittedKernel &kernel) {
    Values buffers;
    SmallVector<bool> local;
    SmallVector<Type> types;
    SmallVector<Value> accessed(nest->getOperands());
    llvm::append_range(accessed, nest->getResults());
    for (Value value : accessed) {
      Value root = plan::rootOf(value);
      buffers.push_back(memory_[root]);
      types.push_back(buffers.back().getType());
      local.push_back(local_.contains(root));
    }
    KernelFunction function =
        makeKernelFunction(emission_.module, nest.getLoc(), (symbol_ + "." + Twine(number)).str(), types);
    auto internal = LLVM::LinkageAttr::get(nest.getContext(), LLVM::Linkage::Internal);
    function.op->setAttr("llvm.linkage", internal);
    OpBuilder builder(function.op.getBody().front().getTerminator());
    Emission emission{{builder, nest.getLoc(), &function.op.getBody().front()},
                      emission_.module,
                      emission_.target,
                      function.scratch,
                      function.context};
    Space space = makeSpace(nest, function.memory);
    cutIntoSlices(space, slices_, local);
    PlannedNest planned(std::move(space), emission.target);
    planned.emit(emission, function.lo, function.hi);
    scratchBytes = std::max(scratchBytes, emission.scratchBytes);
    emission_.callsLibm |= emission.callsLibm;
    kernel.addNest(planned.skeleton(), planned.seconds());
    return {function.op, buffers, planned.extent() / slices_};
  }

  Emission &emission_;
  Builder &b_;
  kernel::ChainOp chain_;
  StringRef symbol_;
  int64_t slices_;
  DenseMap<Value, Value> memory_; ///< of roots
  DenseSet<Value> local_;
};

} // namespace

void emitChain(Emission &emission, kernel::ChainOp chain, StringRef symbol, ValueRange memory, Value lo, Value hi,
               EmittedKernel &kernel) {
  ChainEmitter(emission, chain, symbol, memory).emit(lo, hi, kernel);
}

} // namespace tensorjit::cpu
