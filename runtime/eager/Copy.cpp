#include "eager/Copy.h"
#include "eager/LoopNest.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::eager {

Shape broadcastStrides(const TensorView &t, const Shape &sizes) {
  Shape s = sizes;
  const size_t lead = sizes.rank() - t.sizes.rank();
  for (size_t d = 0; d < sizes.rank(); ++d)
    s[d] = d < lead || (t.sizes[d - lead] == 1 && sizes[d] != 1) ? 0 : t.strides[d - lead];
  return s;
}

namespace {

template <class T> void copyRow(const T *from, int64_t fromStride, T *to, int64_t toStride, int64_t n) {
  if (fromStride == 1 && toStride == 1) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
  else if (fromStride == 0 && toStride == 1) std::fill_n(to, n, *from);
  else
    for (int64_t i = 0; i < n; ++i) to[i * toStride] = from[i * fromStride];
}

void copyRow(const char *from, int64_t fromStride, char *to, int64_t toStride, int64_t n, size_t itemBytes) {
  switch (itemBytes) {
  case 1:
    return copyRow<uint8_t>(reinterpret_cast<const uint8_t *>(from), fromStride, reinterpret_cast<uint8_t *>(to),
                            toStride, n);
  case 2:
    return copyRow<uint16_t>(reinterpret_cast<const uint16_t *>(from), fromStride, reinterpret_cast<uint16_t *>(to),
                             toStride, n);
  case 4:
    return copyRow<uint32_t>(reinterpret_cast<const uint32_t *>(from), fromStride, reinterpret_cast<uint32_t *>(to),
                             toStride, n);
  default:
    return copyRow<uint64_t>(reinterpret_cast<const uint64_t *>(from), fromStride, reinterpret_cast<uint64_t *>(to),
                             toStride, n);
  }
}

/// Four rows of four elements become columns.
inline void transposeBlock(const uint32_t *from, int64_t fromStride, uint32_t *to, int64_t toStride) {
  using Vector [[gnu::vector_size(16)]] = uint32_t;
  Vector v[4], w[4];
  for (int j = 0; j < 4; ++j) std::memcpy(&v[j], from + j * fromStride, sizeof v[j]);
  for (int j = 0; j < 4; j += 2) {
    w[j] = __builtin_shufflevector(v[j], v[j + 1], 0, 4, 1, 5);
    w[j + 1] = __builtin_shufflevector(v[j], v[j + 1], 2, 6, 3, 7);
  }
  for (int i = 0; i < 4; ++i) {
    const int first = i % 2 * 2;
    const Vector &low = w[i / 2], &high = w[i / 2 + 2];
    const Vector row =
        first == 0 ? __builtin_shufflevector(low, high, 0, 1, 4, 5) : __builtin_shufflevector(low, high, 2, 3, 6, 7);
    std::memcpy(to + i * toStride, &row, sizeof row);
  }
}

/// Copies a matrix whose columns are contiguous in memory, tile by tile, so that both sides use whole cache lines.
template <class T>
void transposeTiles(const T *from, int64_t fromStride, T *to, int64_t toStride, int64_t rows, int64_t columns) {
  constexpr int64_t tile = 16, block = sizeof(T) == 4 ? 4 : 1;
  const int64_t wholeRows = rows / block * block, wholeColumns = columns / block * block;
  auto copy = [&](int64_t i, int64_t j) { to[i * toStride + j] = from[i + j * fromStride]; };
  for (int64_t r = 0; r < wholeRows; r += tile)
    for (int64_t c = 0; c < wholeColumns; c += tile)
      for (int64_t i = r; i < std::min(r + tile, wholeRows); i += block)
        for (int64_t j = c; j < std::min(c + tile, wholeColumns); j += block)
          if constexpr (block == 4)
            transposeBlock(from + i + j * fromStride, fromStride, to + i * toStride + j, toStride);
          else copy(i, j);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < wholeRows ? wholeColumns : 0; j < columns; ++j) copy(i, j);
}

} // namespace

void gatherRun(const char *data, size_t itemBytes, const Shape &sizes, const Shape &strides, int64_t start, int64_t n,
               char *dense) {
  const int64_t item = static_cast<int64_t>(itemBytes);
  for (RowWalker w(sizes, strides, start); n > 0;) {
    const int64_t run = std::min(n, w.left());
    copyRow(data + w.offset() * item, w.stride(), dense, 1, run, itemBytes);
    dense += run * item;
    n -= run;
    w.advance(run);
  }
}

void scatterRun(char *data, size_t itemBytes, const Shape &sizes, const Shape &strides, int64_t start, int64_t n,
                const char *dense) {
  const int64_t item = static_cast<int64_t>(itemBytes);
  for (RowWalker w(sizes, strides, start); n > 0;) {
    const int64_t run = std::min(n, w.left());
    copyRow(dense, 1, data + w.offset() * item, w.stride(), run, itemBytes);
    dense += run * item;
    n -= run;
    w.advance(run);
  }
}

void copyStrided(const TensorView &from, const TensorView &to) {
  if (to.sizes.numel() == 0) return;
  const auto nest = mergeDims<2>(to.sizes, {broadcastStrides(from, to.sizes), to.strides});
  const size_t itemBytes = itemSize(to.dtype), rank = nest.sizes.rank();
  const int64_t item = static_cast<int64_t>(itemBytes), n = nest.sizes.numel();
  const char *src = static_cast<const char *>(from.data);
  char *dst = static_cast<char *>(to.data);
  constexpr int64_t grain = 32 << 10;

  // The last two dims swapped: walk the outer ones and copy each matrix by tiles.
  const Shape &a = nest.strides[0], &b = nest.strides[1];
  if (rank >= 2 && itemBytes >= 4 && a[rank - 2] == 1 && b.back() == 1 && nest.sizes[rank - 2] > 4 &&
      nest.sizes.back() > 4) {
    const int64_t rows = nest.sizes[rank - 2], columns = nest.sizes.back();
    Shape outer = nest.sizes, outerA = a, outerB = b;
    for (int k = 0; k < 2; ++k) {
      outer.erase(outer.rank() - 1);
      outerA.erase(outerA.rank() - 1);
      outerB.erase(outerB.rank() - 1);
    }
    if (outer.empty()) {
      outer.push_back(1);
      outerA.push_back(0);
      outerB.push_back(0);
    }
    const int64_t blockRows = std::max<int64_t>(16, grain / columns), blocks = (rows + blockRows - 1) / blockRows;
    parallelFor(outer.numel() * blocks, 1, [&](int64_t lo, int64_t hi) {
      for (int64_t i = lo; i < hi; ++i) {
        const int64_t r = i % blocks * blockRows;
        RowWalker wa(outer, outerA, i / blocks), wb(outer, outerB, i / blocks);
        auto transpose = [&]<class T>(T) {
          transposeTiles(reinterpret_cast<const T *>(src + (wa.offset() + r) * item), a.back(),
                         reinterpret_cast<T *>(dst + (wb.offset() + r * b[rank - 2]) * item), b[rank - 2],
                         std::min(blockRows, rows - r), columns);
        };
        itemBytes == 4 ? transpose(uint32_t()) : transpose(uint64_t());
      }
    });
    return;
  }

  parallelFor(n, grain, [&](int64_t lo, int64_t hi) {
    RowWalker wa(nest.sizes, a, lo), wb(nest.sizes, b, lo);
    for (int64_t left = hi - lo; left > 0;) {
      const int64_t run = std::min(left, wa.left());
      copyRow(src + wa.offset() * item, wa.stride(), dst + wb.offset() * item, wb.stride(), run, itemBytes);
      left -= run;
      wa.advance(run);
      wb.advance(run);
    }
  });
}

void copyToDense(const TensorView &from, void *to) {
  copyStrided(from, {to, from.dtype, from.sizes, from.sizes.denseStrides()});
}

} // namespace tensorjit::eager
