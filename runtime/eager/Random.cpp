// The words of a generator as tensors: each thread makes blocks of its own, since a block follows from its number
// alone.
#include "eager/loops/Random.h"
#include "eager/CreationKernels.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tensorjit {

using namespace eager;

namespace {

constexpr int64_t chunk = 256; ///< blocks; their words stay in the first-level cache
constexpr int64_t grainBlocks = 2048;

/// Calls `use(first, n, words)` for runs of the blocks that hold `words` words.
template <class F> void forEachRun(const EagerCall &call, int64_t blocks, F use) {
  const auto seed = static_cast<const uint64_t *>(call.operands[0].data);
  const auto offset = static_cast<const uint64_t *>(call.operands[1].data);
  parallelFor(blocks, grainBlocks, [&](int64_t lo, int64_t hi) {
    alignas(64) uint32_t words[4 * chunk];
    for (int64_t b = lo; b < hi; b += chunk) {
      const int64_t n = std::min(chunk, hi - b);
      randomWordsBest(*seed, *offset + static_cast<uint64_t>(b), n, words);
      use(b, n, words);
    }
  });
}

/// Normals of two elements a pair; a block holds `PairsPerBlock` pairs.
template <int64_t PairsPerBlock, class T>
void fillNormals(const EagerCall &call, void (*make)(const uint32_t *, int64_t, T *)) {
  auto *out = static_cast<T *>(call.results[0].data);
  const int64_t count = call.results[0].sizes.numel(), perBlock = 2 * PairsPerBlock;
  forEachRun(call, (count + perBlock - 1) / perBlock, [&](int64_t first, int64_t n, const uint32_t *words) {
    const int64_t at = first * perBlock, kept = std::min(n * perBlock, count - at);
    make(words, kept / 2, out + at);
    if (kept % 2 == 0) return;
    T last[2];
    make(words + (kept / 2) * (4 / PairsPerBlock), 1, last);
    out[at + kept - 1] = last[0];
  });
}

} // namespace

void eagerRandomBits(const EagerCall &call) {
  const TensorView &y = call.results[0];
  const auto bytes = static_cast<int64_t>(itemSize(y.dtype)) * y.sizes.numel();
  constexpr int64_t blockBytes = 16;
  forEachRun(call, (bytes + blockBytes - 1) / blockBytes, [&](int64_t first, int64_t n, const uint32_t *words) {
    const int64_t at = first * blockBytes;
    std::memcpy(static_cast<char *>(y.data) + at, words, static_cast<size_t>(std::min(n * blockBytes, bytes - at)));
  });
}

void eagerRandomNormal(const EagerCall &call) {
  if (call.results[0].dtype == DType::F32) fillNormals<2>(call, normalsF32Best);
  else fillNormals<1>(call, normalsF64Best);
}

} // namespace tensorjit
