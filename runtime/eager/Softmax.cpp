#include "eager/loops/Softmax.h"
#include "eager/Dense.h"
#include "eager/LossKernels.h"
#include "execute/ThreadPool.h"

#include <algorithm>

namespace tensorjit {

using namespace eager;

namespace {

/// The tensor with `dim` moved to the end, so that it can be walked by rows.
TensorView rowsAlong(TensorView x, size_t dim) {
  const int64_t size = x.sizes[dim], stride = x.strides[dim];
  x.sizes.erase(dim);
  x.strides.erase(dim);
  x.sizes.push_back(size);
  x.strides.push_back(stride);
  return x;
}

/// Calls row(operand rows..., result row, n) for each row along `dim`.
template <class T, class Row> void forEachRow(const EagerCall &call, size_t dim, Row row) {
  const TensorView &y = call.results[0];
  const int64_t total = y.sizes.numel();
  if (total == 0) return;
  const TensorView out = rowsAlong(y, dim);
  const Dense a(rowsAlong(call.operands[0], dim)), b(rowsAlong(call.operands[call.operands.size() - 1], dim));
  const int64_t n = out.sizes.back(), rows = total / n;
  std::unique_ptr<T[]> copy;
  T *result = static_cast<T *>(out.data);
  if (!out.isDense()) {
    copy.reset(new T[static_cast<size_t>(total)]);
    result = copy.get();
  }
  parallelFor(rows, std::max<int64_t>(1, (4 << 10) / n), [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; ++r) row(a.as<T>() + r * n, b.as<T>() + r * n, result + r * n, n);
  });
  if (copy) copyStrided({copy.get(), out.dtype, out.sizes, out.sizes.denseStrides()}, out);
}

/// Scalars (rank 0) are one row of one element.
template <class F32, class F64> void run(const EagerCall &call, F32 f32Row, F64 f64Row) {
  const size_t dim = static_cast<size_t>(AttrReader(call.attrs).integer());
  if (call.results[0].sizes.empty()) {
    std::array<TensorView, 2> in;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      in[i] = call.operands[i];
      in[i].sizes = in[i].strides = {1};
    }
    TensorView out = call.results[0];
    out.sizes = out.strides = {1};
    return run(EagerCall{call.op, {in.data(), call.operands.size()}, {&out, 1}, call.attrs, call.error}, f32Row,
               f64Row);
  }
  if (call.results[0].dtype == DType::F32) forEachRow<float>(call, dim, f32Row);
  else forEachRow<double>(call, dim, f64Row);
}

} // namespace

void eagerSoftmax(const EagerCall &call) {
  run(
      call, [](const float *x, const float *, float *y, int64_t n) { f32::softmaxRowBest(x, y, n); },
      [](const double *x, const double *, double *y, int64_t n) { f64::softmaxRowBest(x, y, n); });
}
void eagerLogSoftmax(const EagerCall &call) {
  run(
      call, [](const float *x, const float *, float *y, int64_t n) { f32::logSoftmaxRowBest(x, y, n); },
      [](const double *x, const double *, double *y, int64_t n) { f64::logSoftmaxRowBest(x, y, n); });
}
void eagerSoftmaxGrad(const EagerCall &call) { run(call, f32::softmaxGradRowBest, f64::softmaxGradRowBest); }
void eagerLogSoftmaxGrad(const EagerCall &call) { run(call, f32::logSoftmaxGradRowBest, f64::logSoftmaxGradRowBest); }

} // namespace tensorjit
