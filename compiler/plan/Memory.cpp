#include "plan/Memory.h"

#include "plan/Arena.h"

namespace tensorjit::plan {

int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bits = tensor.getElementType().getIntOrFloatBitWidth();
  return tensor.getNumElements() * std::max<int64_t>(1, bits / 8);
}

namespace {

class MemoryPlanner {
public:
  MemoryPlanner(func::FuncOp function, ArrayRef<Operation *> steps, ArrayRef<Result> results)
      : steps_(steps), end_(steps.size()) {
    for (BlockArgument argument : function.getArguments())
      plan_.places[argument] = {BufferRef::Input, argument.getArgNumber(), 0};
    for (auto [i, result] : llvm::enumerate(results)) {
      if (result.direct) plan_.places[result.root] = {BufferRef::Output, static_cast<uint32_t>(i), 0};
      lastUse_[result.root] = end_;
    }
    for (auto [i, step] : llvm::enumerate(steps))
      for (Value operand : step->getOperands()) {
        uint32_t &last = lastUse_[rootOf(operand)];
        last = std::max<uint32_t>(last, i);
      }
  }

  /// A block in use through the whole run.
  unsigned addBlock(Type type) {
    blocks_.push_back({bytesOf(type), 0, end_});
    return blocks_.size() - 1;
  }

  void addSteps() {
    for (auto [i, step] : llvm::enumerate(steps_)) {
      llvm::DenseSet<unsigned> taken;
      for (OpResult result : step->getResults())
        if (!plan_.places.contains(result)) place(result, i, taken);
    }
  }

  int64_t offsetOf(unsigned block) const { return blocks_[block].offset; }

  MemoryPlan finish() {
    plan_.arenaBytes = placeBlocks(blocks_);
    for (auto [value, block] : blockOf_) plan_.places[value] = {BufferRef::Arena, 0, blocks_[block].offset};
    return std::move(plan_);
  }

private:
  void place(OpResult result, uint32_t step, llvm::DenseSet<unsigned> &taken) {
    uint32_t last = std::max(step, lastUse_.lookup(result));
    for (Value operand : result.getOwner()->getOperands()) {
      auto found = blockOf_.find(rootOf(operand));
      if (found == blockOf_.end()) continue;
      Block &block = blocks_[found->second];
      bool dies = block.last == step && block.bytes == bytesOf(result.getType());
      if (!dies || !canOverwrite(result.getOwner(), result.getResultNumber(), rootOf(operand))) continue;
      if (!taken.insert(found->second).second) continue;
      block.last = last;
      unsigned index = found->second;
      blockOf_[result] = index;
      return;
    }
    blocks_.push_back({bytesOf(result.getType()), step, last});
    blockOf_[result] = blocks_.size() - 1;
  }

  ArrayRef<Operation *> steps_;
  uint32_t end_;
  MemoryPlan plan_;
  std::vector<Block> blocks_;
  llvm::DenseMap<Value, unsigned> blockOf_;
  llvm::DenseMap<Value, uint32_t> lastUse_;
};

} // namespace

MemoryPlan planMemory(func::FuncOp function, ArrayRef<Operation *> steps, ArrayRef<Result> results,
                      ArrayRef<Value> aside, llvm::DenseMap<Value, BufferRef> &asidePlaces) {
  MemoryPlanner planner(function, steps, results);
  SmallVector<unsigned> blocks;
  for (Value value : aside) blocks.push_back(planner.addBlock(value.getType()));
  planner.addSteps();
  MemoryPlan plan = planner.finish();
  for (auto [value, block] : llvm::zip_equal(aside, blocks))
    asidePlaces[value] = {BufferRef::Arena, 0, planner.offsetOf(block)};
  return plan;
}

} // namespace tensorjit::plan
