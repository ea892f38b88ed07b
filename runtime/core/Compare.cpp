#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Cast.h"
#include "eager/Copy.h"
#include "tensorjit/creation.h"
#include "trace/Recorder.h"

#include <cmath>
#include <cstring>

namespace tensorjit {

/// The elements in row-major order, as `T`.
template <class T> static std::vector<T> hostValues(const Tensor &t, DType dtype, SourceLocation loc) {
  trace::materialise(t, "comparison", loc);
  std::vector<T> values(static_cast<size_t>(t.numel()));
  std::vector<char> dense(static_cast<size_t>(t.numel()) * itemSize(t.dtype()));
  eager::copyToDense(viewOf(device::onHost(t)), dense.data());
  eager::castDense(dense.data(), t.dtype(), values.data(), dtype, t.numel());
  return values;
}

template <class T> static bool sameValues(const Tensor &a, const Tensor &b, DType as, SourceLocation loc) {
  return hostValues<T>(a, as, loc) == hostValues<T>(b, as, loc);
}

bool equal(const Tensor &a, const Tensor &b, SourceLocation loc) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  return isFloat(a.dtype()) ? sameValues<double>(a, b, DType::F64, loc) : sameValues<int64_t>(a, b, DType::I64, loc);
}

bool allclose(const Tensor &a, const Tensor &b, double rtol, double atol, bool equalNan, SourceLocation loc) {
  if (a.sizes() != b.sizes())
    atLine(loc,
           [&] { throw shape_error("allclose: sizes " + a.sizes().str() + " and " + b.sizes().str() + " differ"); });
  const auto x = hostValues<double>(a, DType::F64, loc), y = hostValues<double>(b, DType::F64, loc);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (equalNan && std::isnan(x[i]) && std::isnan(y[i]))) continue;
    if (!(std::abs(x[i] - y[i]) <= atol + rtol * std::abs(y[i])) || std::isinf(y[i])) return false;
  }
  return true;
}

} // namespace tensorjit
