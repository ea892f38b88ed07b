#include "tensorjit/creation.h"
#include "core/Dispatch.h"
#include "core/Fits.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Cast.h"
#include "execute/FloatMode.h"
#include "execute/Program.h"
#include "op/CreationIds.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <cmath>

namespace tensorjit {

static DType defaultDType(Scalar v) {
  return v.kind() == Scalar::Kind::Bool ? DType::Bool : v.kind() == Scalar::Kind::Int ? DType::I64 : DType::F32;
}

Tensor full(const Shape &sizes, Scalar value, TensorOptions options, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  const DType dtype = options.hasDType() ? options.dtype() : defaultDType(value);
  const trace::DeviceScope device(options.hasDevice() ? options.device() : trace::defaultDevice());
  atLine(scope.location(), [&] { requireFits(value, dtype); });
  TensorBase result;
  if (sizes.empty()) {
    result = dispatch::fromScalar(value, dtype, scope.location());
  } else {
    Attrs attrs;
    attrs.addInts(sizes);
    attrs.addScalar(value);
    attrs.addDType(dtype);
    dispatch::call(opid::Full, {}, attrs, {&result, 1}, scope.location());
  }
  return Tensor(std::move(result)).requires_grad_(options.requires_grad());
}

Tensor arange(Scalar end, TensorOptions options, SourceLocation loc) { return arange(0, end, 1, options, loc); }
Tensor arange(Scalar start, Scalar end, TensorOptions options, SourceLocation loc) {
  return arange(start, end, 1, options, loc);
}

Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    auto isInt = [](Scalar s) { return s.kind() != Scalar::Kind::Float; };
    const bool ints = isInt(start) && isInt(end) && isInt(step);
    const double span = ints ? static_cast<double>(end.toInt() - start.toInt()) : end.toDouble() - start.toDouble();
    if (step.toDouble() == 0) throw value_error("arange: the step is 0");
    if (span != 0 && (span < 0) != (step.toDouble() < 0))
      throw value_error("arange: the end lies on the wrong side of the start");
    const int64_t n = ints ? (end.toInt() - start.toInt() + step.toInt() - (step.toInt() > 0 ? 1 : -1)) / step.toInt()
                           : static_cast<int64_t>(std::ceil(span / step.toDouble()));
    checkSizes({n});
    if (!options.hasDType()) options = options.dtype(ints ? DType::I64 : DType::F32);
    if (ints) {
      std::vector<int64_t> values(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = start.toInt() + i * step.toInt();
      return detail::fromHost(values.data(), DType::I64, {n}, options, loc);
    }
    std::vector<double> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      values[static_cast<size_t>(i)] = start.toDouble() + static_cast<double>(i) * step.toDouble();
    return detail::fromHost(values.data(), DType::F64, {n}, options, loc);
  });
}

static Tensor filled(const Shape &sizes, Scalar value, TensorOptions options, SourceLocation loc) {
  return full(sizes, value, options.dtype(options.dtype()), loc);
}

Tensor zeros(const Shape &sizes, TensorOptions options, SourceLocation loc) { return filled(sizes, 0, options, loc); }
Tensor ones(const Shape &sizes, TensorOptions options, SourceLocation loc) { return filled(sizes, 1, options, loc); }
Tensor empty(const Shape &sizes, TensorOptions options, SourceLocation loc) { return filled(sizes, 0, options, loc); }

static TensorOptions like(const Tensor &t, TensorOptions options) {
  if (!options.hasDevice()) options = options.device(t.device());
  return options.hasDType() ? options : options.dtype(t.dtype());
}

Tensor zeros_like(const Tensor &t, TensorOptions options, SourceLocation loc) {
  return filled(t.sizes(), 0, like(t, options), loc);
}
Tensor ones_like(const Tensor &t, TensorOptions options, SourceLocation loc) {
  return filled(t.sizes(), 1, like(t, options), loc);
}
Tensor empty_like(const Tensor &t, TensorOptions options, SourceLocation loc) { return zeros_like(t, options, loc); }
Tensor full_like(const Tensor &t, Scalar value, TensorOptions options, SourceLocation loc) {
  return filled(t.sizes(), value, like(t, options), loc);
}

Tensor linspace(Scalar start, Scalar end, int64_t steps, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    if (steps < 0) throw value_error("linspace: the number of steps is " + std::to_string(steps));
    checkSizes({steps});
    const double a = start.toDouble(), b = end.toDouble();
    const double step = steps > 1 ? (b - a) / static_cast<double>(steps - 1) : 0;
    std::vector<double> values(static_cast<size_t>(steps));
    for (int64_t i = 0; i < steps; ++i) // from the nearer end, so that both ends are met
      values[static_cast<size_t>(i)] =
          i < (steps + 1) / 2 ? a + static_cast<double>(i) * step : b - static_cast<double>(steps - 1 - i) * step;
    return detail::fromHost(values.data(), DType::F64, {steps}, options, loc);
  });
}

Tensor eye(int64_t n, TensorOptions options, SourceLocation loc) { return eye(n, n, options, loc); }

Tensor eye(int64_t n, int64_t m, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    checkSizes({n, m});
    std::vector<double> values(static_cast<size_t>(n * m), 0.0);
    for (int64_t i = 0; i < std::min(n, m); ++i) values[static_cast<size_t>(i * m + i)] = 1;
    return detail::fromHost(values.data(), DType::F64, {n, m}, options, loc);
  });
}

Tensor from_blob(void *data, const Shape &sizes, TensorOptions options, SourceLocation loc) {
  return from_blob(data, sizes, nullptr, options, loc);
}

Tensor from_blob(void *data, const Shape &sizes, std::function<void()> release, TensorOptions options,
                 SourceLocation loc) {
  return atLine(loc, [&] {
    checkSizes(sizes);
    const size_t bytes = byteSize({options.dtype(), sizes});
    if (!data && bytes) throw value_error("from_blob: the memory is null");
    if (reinterpret_cast<uintptr_t>(data) % itemSize(options.dtype()))
      throw value_error(std::string("from_blob: the memory is not aligned to elements of ") + name(options.dtype()));
    Tensor t = makeTensor(options.dtype(), sizes,
                          device::adoptMemory("from_blob", data, bytes, options.device(), std::move(release)));
    return t.requires_grad_(options.requires_grad());
  });
}

Tensor detail::fromHost(const void *data, DType from, const Shape &sizes, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    checkSizes(sizes);
    Tensor t = allocateTensor(options.dtype(), sizes);
    const FloatMode mode;
    eager::castDense(data, from, viewOf(t).data, options.dtype(), sizes.numel());
    if (!options.device().is_cpu()) t = device::copyTo(t, options.device(), false);
    return t.requires_grad_(options.requires_grad());
  });
}

} // namespace tensorjit
