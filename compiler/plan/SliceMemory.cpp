#include "plan/SliceMemory.h"

#include "plan/Arena.h"
#include "plan/Memory.h"
#include "plan/Steps.h"

using namespace mlir;

namespace tensorjit::plan {

SliceMemory planSliceMemory(ArrayRef<kernel::NestOp> nests, int64_t slices, llvm::function_ref<bool(Value)> isLocal) {
  SliceMemory memory;
  std::vector<Block> blocks;
  llvm::DenseMap<Value, size_t> blockOf;
  for (auto [step, nest] : llvm::enumerate(nests)) {
    for (Value input : nest->getOperands())
      if (auto found = blockOf.find(rootOf(input)); found != blockOf.end())
        blocks[found->second].last = static_cast<uint32_t>(step);
    for (Value result : nest->getResults()) {
      if (!isLocal(result)) continue;
      blockOf[result] = blocks.size();
      memory.offsets[result] = 0;
      blocks.push_back({bytesOf(result.getType()) / slices, static_cast<uint32_t>(step), static_cast<uint32_t>(step)});
    }
  }
  memory.bytes = placeBlocks(blocks);
  for (auto &[value, offset] : memory.offsets) offset = blocks[blockOf[value]].offset;
  return memory;
}

} // namespace tensorjit::plan
