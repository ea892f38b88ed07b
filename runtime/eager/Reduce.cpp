#include "eager/loops/Reduce.h"
#include "eager/Cast.h"
#include "eager/Copy.h"
#include "eager/LoopNest.h"
#include "eager/ReductionKernels.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace tensorjit {
namespace eager {

void valueOfKey(DType type, int64_t key, void *out) {
  switch (type) {
  case DType::F32: {
    int32_t k = static_cast<int32_t>(key), bits = k ^ ((k >> 31) & INT32_MAX);
    // The keys of NaN read back as a NaN of one or the other sign.
    std::memcpy(out, &bits, 4);
    return;
  }
  case DType::F64: {
    int64_t bits = key ^ ((key >> 63) & INT64_MAX);
    std::memcpy(out, &bits, 8);
    return;
  }
  default: castDense(&key, DType::I64, out, type, 1);
  }
}

namespace {

/// The operand of a reduction as kept dims and reduced dims, each walked on its own.
struct Split {
  Shape keptSizes, keptStrides, reducedSizes, reducedStrides;
  int64_t kept, reduced;
};

Split splitDims(const TensorView &x, const Shape &dims) {
  Shape ks, kt, rs, rt;
  for (size_t d = 0; d < x.sizes.rank(); ++d) {
    const bool reduces = std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
    (reduces ? rs : ks).push_back(x.sizes[d]);
    (reduces ? rt : kt).push_back(x.strides[d]);
  }
  auto k = mergeDims<1>(ks, {kt}), r = mergeDims<1>(rs, {rt});
  return {k.sizes, k.strides[0], r.sizes, r.strides[0], ks.numel(), rs.numel()};
}

/// Runs of consecutive reduced positions, of fixed boundaries: partial results, and so the bits, depend on the sizes
/// and strides alone.
class Chunks {
public:
  Chunks(const TensorView &x, const Split &s) : x_(x), s_(s), item_(static_cast<int64_t>(itemSize(x.dtype))) {
    const int64_t run = s.reducedStrides.back() == 1 ? s.reducedSizes.back() : 0;
    if (run >= 256) { // chunks that end with the rows need no copy
      perRow_ = (run + sumChunk - 1) / sumChunk;
      count_ = s.reduced / run * perRow_;
      run_ = run;
    } else {
      count_ = (s.reduced + sumChunk - 1) / sumChunk;
    }
  }
  int64_t count() const { return count_; }
  int64_t start(int64_t i) const { return run_ ? i / perRow_ * run_ + i % perRow_ * sumChunk : i * sumChunk; }
  int64_t length(int64_t i) const {
    return run_ ? std::min(sumChunk, run_ - i % perRow_ * sumChunk) : std::min(sumChunk, s_.reduced - i * sumChunk);
  }
  /// Chunk `i` of kept position `k`, dense; `buffer` holds sumChunk elements.
  const void *read(int64_t k, int64_t i, char *buffer) const {
    RowWalker kept(s_.keptSizes, s_.keptStrides, k);
    char *base = static_cast<char *>(x_.data) + kept.offset() * item_;
    if (run_) return base + RowWalker(s_.reducedSizes, s_.reducedStrides, start(i)).offset() * item_;
    gatherRun(base, static_cast<size_t>(item_), s_.reducedSizes, s_.reducedStrides, start(i), length(i), buffer);
    return buffer;
  }

private:
  const TensorView &x_;
  const Split &s_;
  int64_t item_, count_ = 0, run_ = 0, perRow_ = 1;
};

/// For every kept position, `partial(data, n, start)` of each chunk and `combine(k, partials)` over them in order.
/// Few outputs are split over their chunks.
template <class Partial, class MakePartial, class Combine>
void reduceChunks(const TensorView &x, const Split &s, MakePartial partial, Combine combine) {
  const Chunks chunks(x, s);
  const int64_t count = chunks.count();
  auto one = [&](int64_t k, int64_t i, char *buffer) {
    return partial(chunks.read(k, i, buffer), chunks.length(i), chunks.start(i));
  };
  constexpr int64_t grain = 32 << 10;
  const int64_t itemBytes = static_cast<int64_t>(itemSize(x.dtype));
  if (s.kept < 8 && count > 1) {
    std::vector<Partial> partials(static_cast<size_t>(count));
    for (int64_t k = 0; k < s.kept; ++k) {
      parallelFor(count, std::max<int64_t>(1, grain / sumChunk), [&](int64_t lo, int64_t hi) {
        std::unique_ptr<char[]> buffer(new char[static_cast<size_t>(sumChunk * itemBytes)]);
        for (int64_t i = lo; i < hi; ++i) partials[static_cast<size_t>(i)] = one(k, i, buffer.get());
      });
      combine(k, partials);
    }
    return;
  }
  parallelFor(s.kept, std::max<int64_t>(1, grain / std::max<int64_t>(1, s.reduced)), [&](int64_t lo, int64_t hi) {
    std::unique_ptr<char[]> buffer(new char[static_cast<size_t>(sumChunk * itemBytes)]);
    std::vector<Partial> partials(static_cast<size_t>(count));
    for (int64_t k = lo; k < hi; ++k) {
      for (int64_t i = 0; i < count; ++i) partials[static_cast<size_t>(i)] = one(k, i, buffer.get());
      combine(k, partials);
    }
  });
}

/// Sums down columns: the innermost kept dim is contiguous, so whole rows are added.
void sumColumns(const TensorView &x, const Split &s, float *y, double scale) {
  Shape outer = s.keptSizes, outerStrides = s.keptStrides;
  const int64_t columns = outer.back();
  outer.erase(outer.rank() - 1);
  outerStrides.erase(outerStrides.rank() - 1);
  if (outer.empty()) {
    outer.push_back(1);
    outerStrides.push_back(0);
  }
  constexpr int64_t rowBlock = 64, columnBlock = 256;
  const int64_t columnBlocks = (columns + columnBlock - 1) / columnBlock;
  const int64_t rowStride = s.reducedStrides.back(), rowsInRun = s.reducedSizes.back();
  parallelFor(outer.numel() * columnBlocks, std::max<int64_t>(1, (32 << 10) / (s.reduced * columnBlock + 1)),
              [&](int64_t lo, int64_t hi) {
                for (int64_t b = lo; b < hi; ++b) {
                  const int64_t o = b / columnBlocks, c = b % columnBlocks * columnBlock;
                  const int64_t m = std::min(columnBlock, columns - c);
                  double acc[columnBlock] = {};
                  const float *base =
                      static_cast<const float *>(x.data) + RowWalker(outer, outerStrides, o).offset() + c;
                  for (int64_t r = 0; r < s.reduced;) {
                    const int64_t rows = std::min(rowBlock, rowsInRun - r % rowsInRun);
                    const float *from = base + RowWalker(s.reducedSizes, s.reducedStrides, r).offset();
                    addRowsF32Best(acc, from, rows, rowStride, m);
                    r += rows;
                  }
                  for (int64_t j = 0; j < m; ++j) y[o * columns + c + j] = static_cast<float>(acc[j] / scale);
                }
              });
}

/// Sum divided by `divisor`.
void sumInto(const EagerCall &call, double divisor) {
  const TensorView &x = call.operands[0], &y = call.results[0];
  const Split s = splitDims(x, AttrReader(call.attrs).ints());
  if (y.sizes.numel() == 0) return;
  switch (x.dtype) {
  case DType::F32: {
    float *out = static_cast<float *>(y.data);
    if (s.keptStrides.back() == 1 && s.keptSizes.back() > 1 && s.reducedStrides.back() != 1 && s.reduced > 0)
      return sumColumns(x, s, out, divisor);
    return reduceChunks<double>(
        x, s, [](const void *p, int64_t n, int64_t) { return sumF32Best(static_cast<const float *>(p), n); },
        [&](int64_t k, const std::vector<double> &partials) {
          double sum = 0;
          for (double v : partials) sum += v;
          out[k] = static_cast<float>(sum / divisor);
        });
  }
  case DType::F64: {
    double *out = static_cast<double *>(y.data);
    return reduceChunks<double>(
        x, s, [](const void *p, int64_t n, int64_t) { return sumF64Best(static_cast<const double *>(p), n); },
        [&](int64_t k, const std::vector<double> &partials) {
          long double sum = 0; // 11 more bits keep the error bound for any number of chunks
          for (double v : partials) sum += v;
          out[k] = static_cast<double>(sum / divisor);
        });
  }
  default: // integers: modulo 2^64, then of the result's width
    return reduceChunks<uint64_t>(
        x, s,
        [&](const void *p, int64_t n, int64_t) {
          uint64_t sum = 0;
          int64_t wide[256];
          for (int64_t i = 0; i < n; i += 256) {
            const int64_t m = std::min<int64_t>(256, n - i);
            castDense(static_cast<const char *>(p) + static_cast<size_t>(i) * itemSize(x.dtype), x.dtype, wide,
                      DType::I64, m);
            for (int64_t j = 0; j < m; ++j) sum += static_cast<uint64_t>(wide[j]);
          }
          return sum;
        },
        [&](int64_t k, const std::vector<uint64_t> &partials) {
          uint64_t sum = 0;
          for (uint64_t v : partials) sum += v;
          const int64_t v = static_cast<int64_t>(sum);
          castDense(&v, DType::I64, static_cast<char *>(y.data) + static_cast<size_t>(k) * itemSize(y.dtype), y.dtype,
                    1);
        });
  }
}

/// Product, in f64 for floats and modulo 2^64 for integers.
template <class Wide> void multiplyInto(const EagerCall &call, DType wide) {
  const TensorView &x = call.operands[0], &y = call.results[0];
  const Split s = splitDims(x, AttrReader(call.attrs).ints());
  if (y.sizes.numel() == 0) return;
  reduceChunks<Wide>(
      x, s,
      [&](const void *p, int64_t n, int64_t) {
        Wide product = 1, values[256];
        for (int64_t i = 0; i < n; i += 256) {
          const int64_t m = std::min<int64_t>(256, n - i);
          castDense(static_cast<const char *>(p) + static_cast<size_t>(i) * itemSize(x.dtype), x.dtype, values, wide,
                    m);
          for (int64_t j = 0; j < m; ++j) product *= values[j];
        }
        return product;
      },
      [&](int64_t k, const std::vector<Wide> &partials) {
        Wide product = 1;
        for (Wide v : partials) product *= v;
        castDense(&product, wide, static_cast<char *>(y.data) + static_cast<size_t>(k) * itemSize(y.dtype), y.dtype, 1);
      });
}

struct Extreme {
  int64_t key, at;
};

/// The extreme of each kept position as (key, first position), handed to `store`.
template <class Store> void findExtremes(const EagerCall &call, bool least, bool position, Store store) {
  const TensorView &x = call.operands[0];
  const Split s = splitDims(x, AttrReader(call.attrs).ints());
  if (s.kept == 0) return;
  reduceChunks<Extreme>(
      x, s,
      [&](const void *p, int64_t n, int64_t start) {
        int64_t at = 0;
        const int64_t key = extremeKeyBest(x.dtype, p, n, least, position ? &at : nullptr);
        return Extreme{key, start + at};
      },
      [&](int64_t k, const std::vector<Extreme> &partials) {
        Extreme best = partials[0];
        for (const Extreme &e : partials)
          if (least ? e.key < best.key : e.key > best.key) best = e;
        store(k, best);
      });
}

void extremes(const EagerCall &call, bool least) {
  const TensorView &y = call.results[0];
  findExtremes(call, least, false, [&](int64_t k, Extreme e) {
    valueOfKey(y.dtype, e.key, static_cast<char *>(y.data) + static_cast<size_t>(k) * itemSize(y.dtype));
  });
}

void positions(const EagerCall &call, bool least) {
  int64_t *out = static_cast<int64_t *>(call.results[0].data);
  findExtremes(call, least, true, [&](int64_t k, Extreme e) { out[k] = e.at; });
}

/// Whether any element equals `sought` once it is bool; `all` is "no element is false".
void booleans(const EagerCall &call, bool all) {
  const TensorView &x = call.operands[0];
  const Split s = splitDims(x, AttrReader(call.attrs).ints());
  uint8_t *out = static_cast<uint8_t *>(call.results[0].data);
  reduceChunks<uint8_t>(
      x, s,
      [&](const void *p, int64_t n, int64_t) {
        uint8_t bytes[sumChunk];
        castDense(p, x.dtype, bytes, DType::Bool, n);
        return static_cast<uint8_t>(hasByteBest(bytes, n, all ? 0 : 1));
      },
      [&](int64_t k, const std::vector<uint8_t> &partials) {
        const bool found = std::find(partials.begin(), partials.end(), 1) != partials.end();
        out[k] = found != all;
      });
}

} // namespace
} // namespace eager

using namespace eager;

void eagerReduceSum(const EagerCall &call) { sumInto(call, 1); }
void eagerMean(const EagerCall &call) {
  sumInto(call, static_cast<double>(splitDims(call.operands[0], AttrReader(call.attrs).ints()).reduced));
}
void eagerReduceProd(const EagerCall &call) {
  isFloat(call.operands[0].dtype) ? multiplyInto<double>(call, DType::F64) : multiplyInto<uint64_t>(call, DType::I64);
}
void eagerReduceMax(const EagerCall &call) { extremes(call, false); }
void eagerReduceMin(const EagerCall &call) { extremes(call, true); }
void eagerReduceAnd(const EagerCall &call) { booleans(call, true); }
void eagerReduceOr(const EagerCall &call) { booleans(call, false); }
void eagerArgMax(const EagerCall &call) { positions(call, false); }
void eagerArgMin(const EagerCall &call) { positions(call, true); }

} // namespace tensorjit
