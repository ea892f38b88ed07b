#include "execute/Grid.h"

#include "device/Settings.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace cudasim {
namespace {

uint32_t launches = 0;

} // namespace

Grid::Grid(const Program &program, const LaunchShape &shape, std::vector<std::byte> parameters, uint64_t seed)
    : program(program), shape(shape), parameters(std::move(parameters)), number(++launches),
      random(static_cast<uint32_t>(seed * 2654435761u + number)), ordered(seed == 0),
      checkUninitialized(settings().checkUninitialized), checkRaces(settings().checkRaces),
      resident_(ordered ? 1 : 2 + random() % 6) {
  uint64_t count = shape.blocks();
  if (shape.cooperative) resident_ = count;
  if (!ordered && count > 1) {
    offset_ = random() % count;
    do factor_ = random() % count;
    while (std::gcd(factor_, count) != 1);
  }
  counters.launches = 1;
  counters.blocks = count;
}

Grid::~Grid() {
  finish();
  blocks_.clear();
  for (std::byte *frame : freeFrames) std::free(frame);
}

/// The blocks in some order: i -> factor * i + offset modulo their number, a bijection.
uint64_t Grid::blockAt(uint64_t position) const {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(position) * factor_ + offset_) % shape.blocks());
}

void Grid::admit() {
  while (blocks_.size() < resident_ && started_ < shape.blocks())
    blocks_.push_back(std::make_unique<Block>(*this, blockAt(started_++)));
}

bool Grid::step() {
  if (done_) return true;
  admit();
  for (unsigned slice = 0; slice < 64 && !blocks_.empty(); ++slice) {
    size_t i = ordered ? stalledSteps_ / 256 % blocks_.size() : random() % blocks_.size();
    if (blocks_[i]->step()) {
      // Blocks may wait for others that have not begun: as on a device, more of them are let in.
      if (++stalledSteps_ % 4096 == 0 && started_ < shape.blocks() && resident_ < 2048) {
        resident_ *= 2;
        admit();
      }
      continue;
    }
    stalledSteps_ = 0;
    blocks_.erase(blocks_.begin() + static_cast<long>(i));
    admit();
  }
  if (!blocks_.empty()) return false;
  done_ = true;
  finish();
  return true;
}

void Grid::finish() {
  if (!counters.launches) return;
  for (size_t i = 1; i < counters.byClass.size(); ++i) counters.warpInstructions += counters.byClass[i];
  cudasim::counters().kernels[program.name].add(counters);
  counters = KernelCounters();
}

} // namespace cudasim
