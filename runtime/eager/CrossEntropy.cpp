#include "eager/Cast.h"
#include "eager/Dense.h"
#include "eager/LossKernels.h"
#include "eager/loops/Softmax.h"
#include "execute/ThreadPool.h"
#include "tensorjit/arguments.h"

#include <algorithm>
#include <vector>

namespace tensorjit {

using namespace eager;

namespace {

struct F32 {
  using T = float;
  static constexpr auto &logSumExp = f32::logSumExpRowBest;
  static constexpr auto &sum = f32::sumRowBest;
  static constexpr auto &gradRow = f32::crossEntropyGradRowBest;
};
struct F64 {
  using T = double;
  static constexpr auto &logSumExp = f64::logSumExpRowBest;
  static constexpr auto &sum = f64::sumRowBest;
  static constexpr auto &gradRow = f64::crossEntropyGradRowBest;
};

/// Class numbers as i64.
std::vector<int64_t> targetsOf(const TensorView &t) {
  std::vector<int64_t> targets(static_cast<size_t>(t.sizes.numel()));
  const Dense dense(t);
  castDense(dense.data(), t.dtype, targets.data(), DType::I64, t.sizes.numel());
  return targets;
}

/// Reports the first target that is neither a class nor ignored. Such a row counts as 0.
void checkTargets(const std::vector<int64_t> &targets, int64_t classes, int64_t ignored, ErrorSlot &error) {
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i] != ignored && (targets[i] < 0 || targets[i] >= classes)) {
      error = {1, 0, static_cast<int64_t>(i), targets[i]};
      return;
    }
}

bool isClass(int64_t t, int64_t classes, int64_t ignored) { return t != ignored && t >= 0 && t < classes; }

/// Writes the losses of the rows, or their sum or mean over the rows that count.
template <class T, class Loss>
void reduceRows(const EagerCall &call, const std::vector<int64_t> &targets, Reduction reduction, int64_t ignored,
                Loss lossOfRow) {
  const int64_t rows = static_cast<int64_t>(targets.size());
  T *out = static_cast<T *>(call.results[0].data);
  std::vector<T> losses(static_cast<size_t>(rows));
  parallelFor(rows, 16, [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; ++r) losses[static_cast<size_t>(r)] = lossOfRow(r);
  });
  if (reduction == Reduction::None) {
    std::copy(losses.begin(), losses.end(), out);
    return;
  }
  double sum = 0, counted = 0;
  for (T v : losses) sum += v;
  for (int64_t t : targets) counted += t != ignored;
  *out = static_cast<T>(reduction == Reduction::Mean ? sum / counted : sum);
}

struct LossAttrs {
  Reduction reduction;
  int64_t ignored;
  double smoothing = 0;
  LossAttrs(const Attrs &attrs, bool hasSmoothing) {
    AttrReader read(attrs);
    reduction = static_cast<Reduction>(read.integer());
    ignored = read.integer();
    if (hasSmoothing) smoothing = read.number();
  }
};

template <class F> void nll(const EagerCall &call) {
  using T = typename F::T;
  const LossAttrs a(call.attrs, false);
  const int64_t classes = call.operands[0].sizes[1];
  const Dense x(call.operands[0]);
  const auto targets = targetsOf(call.operands[1]);
  checkTargets(targets, classes, a.ignored, *call.error);
  reduceRows<T>(call, targets, a.reduction, a.ignored, [&](int64_t r) {
    const int64_t t = targets[static_cast<size_t>(r)];
    return isClass(t, classes, a.ignored) ? -x.as<T>()[r * classes + t] : T(0);
  });
}

template <class F> void crossEntropy(const EagerCall &call) {
  using T = typename F::T;
  const LossAttrs a(call.attrs, true);
  const int64_t classes = call.operands[0].sizes[1];
  const Dense x(call.operands[0]);
  const auto targets = targetsOf(call.operands[1]);
  T *lse = static_cast<T *>(call.results[1].data);
  checkTargets(targets, classes, a.ignored, *call.error);
  reduceRows<T>(call, targets, a.reduction, a.ignored, [&](int64_t r) {
    const T *row = x.as<T>() + r * classes;
    const int64_t t = targets[static_cast<size_t>(r)];
    lse[r] = F::logSumExp(row, classes);
    if (!isClass(t, classes, a.ignored)) return T(0);
    const T hard = lse[r] - row[t];
    if (a.smoothing == 0) return hard;
    const double soft = lse[r] - F::sum(row, classes) / static_cast<double>(classes);
    return static_cast<T>((1 - a.smoothing) * hard + a.smoothing * soft);
  });
}

template <class F> void crossEntropyGrad(const EagerCall &call) {
  using T = typename F::T;
  const LossAttrs a(call.attrs, true);
  const int64_t rows = call.operands[1].sizes[0], classes = call.operands[1].sizes[1];
  const Dense grad(call.operands[0]), x(call.operands[1]), lse(call.operands[2]);
  const auto targets = targetsOf(call.operands[3]);
  double counted = 0;
  for (int64_t t : targets) counted += t != a.ignored;
  const T uniform = static_cast<T>(a.smoothing / static_cast<double>(classes));
  const T divisor = a.reduction == Reduction::Mean ? static_cast<T>(counted) : T(1);
  T *out = static_cast<T *>(call.results[0].data);
  parallelFor(rows, std::max<int64_t>(1, (4 << 10) / std::max<int64_t>(1, classes)), [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; ++r) {
      const int64_t t = targets[static_cast<size_t>(r)];
      T *dx = out + r * classes;
      if (t == a.ignored) {
        std::fill_n(dx, classes, T(0));
        continue;
      }
      const T scale = grad.as<T>()[a.reduction == Reduction::None ? r : 0] / divisor;
      F::gradRow(x.as<T>() + r * classes, lse.as<T>()[r], uniform, scale, dx, classes);
      if (isClass(t, classes, a.ignored)) dx[t] -= static_cast<T>(1 - a.smoothing) * scale;
    }
  });
}

} // namespace

void eagerNllLoss(const EagerCall &call) { call.operands[0].dtype == DType::F32 ? nll<F32>(call) : nll<F64>(call); }
void eagerCrossEntropy(const EagerCall &call) {
  call.operands[0].dtype == DType::F32 ? crossEntropy<F32>(call) : crossEntropy<F64>(call);
}
void eagerCrossEntropyGrad(const EagerCall &call) {
  call.operands[1].dtype == DType::F32 ? crossEntropyGrad<F32>(call) : crossEntropyGrad<F64>(call);
}

} // namespace tensorjit
