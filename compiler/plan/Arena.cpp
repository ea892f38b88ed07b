#include "plan/Arena.h"

#include <algorithm>
#include <numeric>

namespace tensorjit::plan {

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

int64_t placeBlocks(std::span<Block> blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<Block> placed; // by offset
  int64_t arena = 0;
  for (size_t i : order) {
    Block &block = blocks[i];
    int64_t offset = 0;
    for (const Block &other : placed) {
      if (other.last < block.first || block.last < other.first) continue;
      if (offset + aligned(block.bytes) <= other.offset) break;
      offset = std::max(offset, other.offset + aligned(other.bytes));
    }
    block.offset = offset;
    arena = std::max(arena, offset + aligned(block.bytes));
    auto at = std::upper_bound(placed.begin(), placed.end(), block,
                               [](const Block &a, const Block &b) { return a.offset < b.offset; });
    placed.insert(at, block);
  }
  return arena;
}

} // namespace tensorjit::plan
