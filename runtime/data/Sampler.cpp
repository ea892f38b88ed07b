#include "tensorjit/data/sampler.h"
#include "data/Streams.h"

#include <algorithm>
#include <numeric>

namespace tensorjit::data {

std::vector<int64_t> SequentialSampler::order(int64_t size, uint64_t) const {
  std::vector<int64_t> indices(static_cast<size_t>(size));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::vector<int64_t> RandomSampler::order(int64_t size, uint64_t epoch) const {
  std::vector<std::pair<uint64_t, int64_t>> keyed(static_cast<size_t>(size));
  const uint64_t epochSeed = drawWord(seed_, epoch, kEpochStream);
  for (int64_t i = 0; i < size; ++i)
    keyed[static_cast<size_t>(i)] = {drawWord(epochSeed, static_cast<uint64_t>(i), kOrderStream), i};
  std::sort(keyed.begin(), keyed.end());
  std::vector<int64_t> indices(keyed.size());
  std::transform(keyed.begin(), keyed.end(), indices.begin(), [](auto &k) { return k.second; });
  return indices;
}

} // namespace tensorjit::data
