#include "eager/Pointwise.h"
#include "eager/Cast.h"
#include "eager/Copy.h"
#include "eager/LoopNest.h"
#include "eager/loops/Pointwise.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::eager {

namespace {

constexpr size_t mostTensors = mostOperands + mostResults;
constexpr int64_t tile = 1024; ///< positions; small enough that every operand's tile stays in the first-level cache
constexpr int64_t grain = 16 << 10;

/// One operand or result, walked over the merged positions of the op.
struct Side {
  char *data;
  DType dtype;
  size_t itemBytes;
  const Shape *sizes, *strides;
  enum { Dense, Scalar, Strided } kind;

  /// Memory of positions [at, at+n) in order: the tensor's own where it is dense there, else `buffer`, filled.
  const void *read(int64_t at, int64_t n, char *buffer) const {
    if (kind == Dense) return data + at * static_cast<int64_t>(itemBytes);
    if (kind == Scalar) return buffer; // filled once, see `prepare`
    RowWalker w(*sizes, *strides, at);
    if (w.left() >= n && w.stride() == 1) return data + w.offset() * static_cast<int64_t>(itemBytes);
    gatherRun(data, itemBytes, *sizes, *strides, at, n, buffer);
    return buffer;
  }
  void prepare(int64_t n, char *buffer) const {
    if (kind == Scalar) gatherRun(data, itemBytes, *sizes, *strides, 0, n, buffer);
  }
  /// Writes positions [at, at+n) from dense memory.
  void write(int64_t at, int64_t n, const void *from) const {
    char *own = data + at * static_cast<int64_t>(itemBytes);
    if (kind != Dense) scatterRun(data, itemBytes, *sizes, *strides, at, n, static_cast<const char *>(from));
    else if (from != own) std::memcpy(own, from, static_cast<size_t>(n) * itemBytes);
  }
  bool converts() const { return computeType(dtype) != dtype; }
};

Side makeSide(const TensorView &t, const Shape &sizes, const Shape &strides) {
  bool dense = true, scalar = true;
  int64_t expected = 1;
  for (size_t d = sizes.rank(); d-- > 0;) {
    dense &= strides[d] == expected || sizes[d] == 1;
    scalar &= strides[d] == 0 || sizes[d] == 1;
    expected *= sizes[d];
  }
  return {static_cast<char *>(t.data),
          t.dtype,
          itemSize(t.dtype),
          &sizes,
          &strides,
          dense    ? Side::Dense
          : scalar ? Side::Scalar
                   : Side::Strided};
}

/// The dtype that names the loop: of an operand that is not a condition or flag beside wider ones.
DType loopType(std::span<const TensorView> operands) {
  DType t = operands[0].dtype;
  for (const TensorView &x : operands)
    if (x.dtype != DType::Bool) t = x.dtype;
  return computeType(t);
}

PointwiseFn loopOf(OpId op, DType type) {
#define TENSORJIT_FAMILY(Family)                                                                                       \
  if (PointwiseFn fn = loopOf##Family##Best(op, type)) return fn;
#include "op/ScalarFamilies.inc"
#undef TENSORJIT_FAMILY
  return nullptr;
}

/// The common case: every tensor dense and of the same sizes. False, with nothing done, where that is not so.
bool runDense(const EagerCall &call, const Shape &space, int64_t n, PointwiseFn fn) {
  const Shape dense = space.denseStrides();
  auto converts = [](const TensorView &t) { return computeType(t.dtype) != t.dtype; };
  for (const TensorView &x : call.operands)
    if (x.sizes != space || x.strides != dense || converts(x)) return false;
  for (const TensorView &y : call.results)
    if (y.strides != dense || converts(y)) return false;
  parallelFor(n, grain, [&](int64_t lo, int64_t hi) {
    const void *in[mostTensors];
    void *out[mostTensors];
    auto at = [&](const TensorView &t) {
      return static_cast<char *>(t.data) + lo * static_cast<int64_t>(itemSize(t.dtype));
    };
    for (size_t i = 0; i < call.operands.size(); ++i) in[i] = at(call.operands[i]);
    for (size_t k = 0; k < call.results.size(); ++k) out[k] = at(call.results[k]);
    fn(in, out, hi - lo);
  });
  return true;
}

} // namespace

void pointwise(const EagerCall &call) {
  const Shape &space = call.results[0].sizes;
  const int64_t n = space.numel();
  if (n == 0) return;
  const size_t inputs = call.operands.size(), count = inputs + call.results.size();
  const DType type = loopType(call.operands);
  const PointwiseFn fn = loopOf(call.op, type);

  if (runDense(call, space, n, fn)) return;
  std::array<Shape, mostTensors> strides;
  for (size_t i = 0; i < inputs; ++i) strides[i] = broadcastStrides(call.operands[i], space);
  for (size_t k = 0; k < call.results.size(); ++k) strides[inputs + k] = call.results[k].strides;
  const auto nest = mergeDims<mostTensors>(space, strides, count);

  std::array<Side, mostTensors> sides;
  for (size_t i = 0; i < count; ++i)
    sides[i] = makeSide(i < inputs ? call.operands[i] : call.results[i - inputs], nest.sizes, nest.strides[i]);

  parallelFor(n, grain, [&](int64_t lo, int64_t hi) {
    // Elements as they lie, and behind them as the loop takes them where that is another type: the wider of the two has
    // at most 4 bytes then.
    alignas(64) char buffers[mostTensors][tile * 8];
    auto converted = [&](size_t i) { return buffers[i] + tile * 4; };
    const void *in[mostTensors];
    void *out[mostTensors];
    for (size_t i = 0; i < inputs; ++i) sides[i].prepare(std::min(tile, hi - lo), buffers[i]);
    for (int64_t at = lo; at < hi; at += tile) {
      const int64_t m = std::min(tile, hi - at);
      for (size_t i = 0; i < inputs; ++i) {
        in[i] = sides[i].read(at, m, buffers[i]);
        if (!sides[i].converts()) continue;
        castDense(in[i], sides[i].dtype, converted(i), computeType(sides[i].dtype), m);
        in[i] = converted(i);
      }
      for (size_t k = inputs; k < count; ++k) {
        char *own = sides[k].data + at * static_cast<int64_t>(sides[k].itemBytes);
        out[k - inputs] = sides[k].converts() ? converted(k) : sides[k].kind == Side::Dense ? own : buffers[k];
      }
      fn(in, out, m);
      for (size_t k = inputs; k < count; ++k) {
        const void *made = out[k - inputs];
        if (sides[k].converts()) {
          castDense(made, computeType(sides[k].dtype), buffers[k], sides[k].dtype, m);
          made = buffers[k];
        }
        sides[k].write(at, m, made);
      }
    }
  });
}

} // namespace tensorjit::eager
