#include "eager/ContractionKernels.h"
#include "eager/ContractionLibrary.h"
#include "eager/Dense.h"
#include "execute/ThreadPool.h"

#include <algorithm>
#include <optional>

namespace tensorjit {

using namespace eager;

namespace {

/// A matrix operand; strides in elements.
struct Matrix {
  const void *data;
  int64_t row, column;
};

/// A product of two matrices plus an optional bias of n elements; c is dense.
struct Product {
  int64_t m, n, k;
  Matrix a, b;
  const void *bias;
  void *c;
};

/// Rows of c in turn: c[i] = bias + sum over k of a[i, k] * b[k], with the columns as the vector.
template <class T> void plainProduct(const Product &p) {
  const T *a = static_cast<const T *>(p.a.data), *b = static_cast<const T *>(p.b.data);
  using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>; // integers wrap
  const int64_t work = std::max<int64_t>(1, p.n * p.k);
  parallelFor(p.m, std::max<int64_t>(1, (16 << 10) / work), [&](int64_t lo, int64_t hi) {
    std::unique_ptr<Wide[]> row(new Wide[static_cast<size_t>(p.n)]);
    for (int64_t i = lo; i < hi; ++i) {
      for (int64_t j = 0; j < p.n; ++j)
        row[static_cast<size_t>(j)] = p.bias ? static_cast<Wide>(static_cast<const T *>(p.bias)[j]) : Wide(0);
      for (int64_t k = 0; k < p.k; ++k) {
        const Wide v = static_cast<Wide>(a[i * p.a.row + k * p.a.column]);
        const T *from = b + k * p.b.row;
        for (int64_t j = 0; j < p.n; ++j) row[static_cast<size_t>(j)] += v * static_cast<Wide>(from[j * p.b.column]);
      }
      T *out = static_cast<T *>(p.c) + i * p.n;
      for (int64_t j = 0; j < p.n; ++j) out[j] = static_cast<T>(row[static_cast<size_t>(j)]);
    }
  });
}

bool libraryProduct(const Product &p) {
  const ContractionLibrary *library = contractionLibrary();
  auto fits = [](const Matrix &x) { return x.row == 1 || x.column == 1; };
  if (!library || p.k == 0 || !fits(p.a) || !fits(p.b)) return false;
  return library->gemm({p.m, p.n, p.k, static_cast<const float *>(p.a.data), static_cast<const float *>(p.b.data),
                        static_cast<const float *>(p.bias), p.a.row, p.a.column, p.b.row, p.b.column,
                        static_cast<float *>(p.c)});
}

void product(DType type, const Product &p) {
  if (p.m == 0 || p.n == 0) return;
  if (type == DType::F32 && libraryProduct(p)) return;
  switch (type) {
  case DType::F32: return plainProduct<float>(p);
  case DType::F64: return plainProduct<double>(p);
  case DType::I64: return plainProduct<int64_t>(p);
  case DType::I32: return plainProduct<int32_t>(p);
  case DType::I8: return plainProduct<int8_t>(p);
  default: return plainProduct<uint8_t>(p);
  }
}

/// The last two dims as a matrix that a library takes: one stride is 1 and the other at least the row's length, else
/// the operand is copied. `copy` keeps the copy alive.
TensorView asMatrices(const TensorView &x, std::optional<Dense> &copy) {
  const size_t r = x.sizes.rank();
  auto lies = [&](size_t inner, size_t outer) {
    return (x.strides[inner] == 1 || x.sizes[inner] == 1) && x.strides[outer] >= std::max<int64_t>(1, x.sizes[inner]);
  };
  if (lies(r - 1, r - 2) || lies(r - 2, r - 1)) return x;
  copy.emplace(x);
  return {const_cast<void *>(copy->data()), x.dtype, x.sizes, x.sizes.denseStrides()};
}

/// Dims of size 1 may have any stride; give them one that says which way the matrix lies.
Matrix matrixOf(const TensorView &x, const void *data) {
  const size_t r = x.sizes.rank();
  int64_t row = x.strides[r - 2], column = x.strides[r - 1];
  if (x.sizes[r - 1] == 1 && row != 1) column = 1;
  else if (x.sizes[r - 2] == 1 && column != 1) row = 1;
  if (column == 1) row = std::max(row, x.sizes[r - 1]);
  else column = std::max(column, x.sizes[r - 2]);
  return {data, row, column};
}

} // namespace

void eagerMatmul(const EagerCall &call) {
  std::optional<Dense> copyA, copyB;
  const TensorView a = asMatrices(call.operands[0], copyA), b = asMatrices(call.operands[1], copyB);
  const TensorView &c = call.results[0];
  const size_t r = a.sizes.rank();
  const int64_t m = a.sizes[r - 2], k = a.sizes[r - 1], n = b.sizes[r - 1],
                item = static_cast<int64_t>(itemSize(a.dtype));
  const int64_t batch = r == 3 ? a.sizes[0] : 1;
  auto at = [&](const TensorView &x, int64_t i) { return static_cast<const char *>(x.data) + i * x.strides[0] * item; };
  for (int64_t i = 0; i < batch; ++i)
    product(a.dtype, {m, n, k, matrixOf(a, r == 3 ? at(a, i) : a.data), matrixOf(b, r == 3 ? at(b, i) : b.data),
                      nullptr, static_cast<char *>(c.data) + i * m * n * item});
}

void eagerLinear(const EagerCall &call) {
  TensorView x = call.operands[0];
  std::optional<Dense> copyX, copyW, bias;
  if (x.sizes.rank() != 2) { // leading dims are rows
    const int64_t features = x.sizes.back(), rows = x.sizes.numel() / std::max<int64_t>(1, features);
    copyX.emplace(x);
    x = {const_cast<void *>(copyX->data()), x.dtype, {rows, features}, {features, 1}};
    if (features == 0) x.sizes[0] = call.results[0].sizes.numel() / std::max<int64_t>(1, call.operands[1].sizes[0]);
  } else {
    x = asMatrices(x, copyX);
  }
  TensorView w = asMatrices(call.operands[1], copyW);
  std::swap(w.sizes[0], w.sizes[1]);
  std::swap(w.strides[0], w.strides[1]);
  const bool hasBias = call.operands.size() > 2 && call.operands[2].data;
  if (hasBias) bias.emplace(call.operands[2]);
  product(x.dtype, {x.sizes[0], w.sizes[1], x.sizes[1], matrixOf(x, x.data), matrixOf(w, w.data),
                    hasBias ? bias->data() : nullptr, call.results[0].data});
}

} // namespace tensorjit
