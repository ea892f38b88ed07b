#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tensorjit::plan {

/// A block of memory that is in use from step `first` through step `last`.
struct Block {
  int64_t bytes = 0;
  uint32_t first = 0, last = 0;
  int64_t offset = 0; ///< filled in
};

/// Gives each block an offset, a multiple of 64, so that blocks in use at the same time are apart. Returns the size of
/// the arena. The largest blocks are placed first, each at the lowest free place.
int64_t placeBlocks(std::span<Block> blocks);

} // namespace tensorjit::plan
