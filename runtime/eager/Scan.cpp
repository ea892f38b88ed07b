#include "eager/loops/Scan.h"
#include "eager/Dense.h"
#include "eager/ScanKernels.h"
#include "eager/loops/Reduce.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <vector>

namespace tensorjit {

using namespace eager;

namespace {

/// A dense tensor as [outer x n x inner], scanned along n.
struct Lines {
  int64_t outer = 1, n = 1, inner = 1;
  Lines(const Shape &sizes, size_t dim) {
    for (size_t d = 0; d < sizes.rank(); ++d) (d < dim ? outer : d == dim ? n : inner) *= sizes[d];
  }
};

/// Calls `run(lanes, first)` for sets of lanes that cover the tensor; `first` is the first lane's first element. What a
/// lane computes does not depend on the set that it is in.
template <class Run> void forEachSet(const Lines &t, bool reverse, Run run) {
  if (t.outer * t.n * t.inner == 0) return;
  const int64_t perSet = t.inner > 1 ? scanColumns : scanRows;
  const int64_t lanes = t.inner > 1 ? t.inner : t.outer, sets = (lanes + perSet - 1) / perSet;
  const int64_t tasks = t.inner > 1 ? t.outer * sets : sets;
  const int64_t work = t.n * std::min(lanes, perSet);
  parallelFor(tasks, std::max<int64_t>(1, (16 << 10) / work), [&](int64_t lo, int64_t hi) {
    for (int64_t task = lo; task < hi; ++task) {
      const int64_t lane = task % sets * perSet, count = std::min(perSet, lanes - lane);
      const int64_t start = t.inner > 1 ? task / sets * t.n * t.inner + lane : lane * t.n;
      const int64_t last = reverse ? (t.n - 1) * t.inner : 0, step = reverse ? -t.inner : t.inner;
      run(ScanLanes{t.n, step, count, t.inner > 1 ? 1 : t.n}, start + last);
    }
  });
}

/// A long row of f32, by threads: the sums of its chunks first, then the chunks, each from the sum of those before it.
/// In f64 no sum of f32 overflows, so that infinities come where they do one element after another.
void sumLongRow(const float *x, float *y, int64_t n, bool exclusive) {
  const int64_t chunks = (n + sumChunk - 1) / sumChunk, whole = n / sumChunk;
  std::vector<double> starts(static_cast<size_t>(chunks));
  parallelFor(chunks - 1, 8, [&](int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; ++i) starts[static_cast<size_t>(i) + 1] = sumF32Best(x + i * sumChunk, sumChunk);
  });
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  const int64_t sets = (whole + scanRows - 1) / scanRows;
  parallelFor(sets, 1, [&](int64_t lo, int64_t hi) {
    for (int64_t set = lo; set < hi; ++set) {
      const int64_t first = set * scanRows, at = first * sumChunk;
      scanArithmeticBest(DType::F32, false, exclusive, x + at, y + at,
                         {sumChunk, 1, std::min(scanRows, whole - first), sumChunk},
                         &starts[static_cast<size_t>(first)]);
    }
  });
  if (whole < chunks)
    scanArithmeticBest(DType::F32, false, exclusive, x + whole * sumChunk, y + whole * sumChunk,
                       {n - whole * sumChunk, 1, 1, n}, &starts.back());
}

void arithmetic(const EagerCall &call, bool product) {
  AttrReader attrs(call.attrs);
  const TensorView &y = call.results[0];
  const Lines t(y.sizes, static_cast<size_t>(attrs.integer()));
  const bool reverse = attrs.boolean(), exclusive = attrs.boolean();
  const Dense x(call.operands[0]);
  if (y.dtype == DType::F32 && !product && !reverse && t.outer * t.inner == 1 && t.n > 4 * sumChunk)
    return sumLongRow(x.as<float>(), static_cast<float *>(y.data), t.n, exclusive);
  const auto item = static_cast<int64_t>(itemSize(y.dtype));
  forEachSet(t, reverse, [&](const ScanLanes &lanes, int64_t first) {
    scanArithmeticBest(y.dtype, product, exclusive, x.as<char>() + first * item,
                       static_cast<char *>(y.data) + first * item, lanes, nullptr);
  });
}

void extremes(const EagerCall &call, bool least) {
  const TensorView &y = call.results[0];
  const Dense x(call.operands[0]);
  const auto item = static_cast<int64_t>(itemSize(y.dtype));
  forEachSet({y.sizes, static_cast<size_t>(AttrReader(call.attrs).integer())}, false,
             [&](const ScanLanes &lanes, int64_t first) {
               scanExtremeBest(y.dtype, least, x.as<char>() + first * item, static_cast<char *>(y.data) + first * item,
                               static_cast<int64_t *>(call.results[1].data) + first, lanes);
             });
}

} // namespace

void eagerScanSum(const EagerCall &call) { arithmetic(call, false); }
void eagerScanProd(const EagerCall &call) { arithmetic(call, true); }
void eagerScanMax(const EagerCall &call) { extremes(call, false); }
void eagerScanMin(const EagerCall &call) { extremes(call, true); }

void eagerScanLogaddexp(const EagerCall &call) {
  const TensorView &y = call.results[0];
  const Dense x(call.operands[0]);
  const auto item = static_cast<int64_t>(itemSize(y.dtype));
  forEachSet({y.sizes, static_cast<size_t>(AttrReader(call.attrs).integer())}, false,
             [&](const ScanLanes &lanes, int64_t first) {
               scanLogaddexpBest(y.dtype, x.as<char>() + first * item, static_cast<char *>(y.data) + first * item,
                                 lanes);
             });
}

void eagerScanAffine(const EagerCall &call) {
  AttrReader attrs(call.attrs);
  const TensorView &y = call.results[0];
  const Lines t(y.sizes, static_cast<size_t>(attrs.integer()));
  const Dense a(call.operands[0]), b(call.operands[1]);
  const auto item = static_cast<int64_t>(itemSize(y.dtype));
  forEachSet(t, attrs.boolean(), [&](const ScanLanes &lanes, int64_t first) {
    scanAffineBest(y.dtype, a.as<char>() + first * item, b.as<char>() + first * item,
                   static_cast<char *>(y.data) + first * item, lanes);
  });
}

} // namespace tensorjit
