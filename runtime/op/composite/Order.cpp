// Functions made of sort.
#include "core/Dispatch.h"
#include "op/Normalize.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

static int64_t sizeAlong(const Tensor &x, int64_t dim) { return x.dim() == 0 ? 1 : x.size(dim); }

/// The elements of a sorted dim at one place.
static std::tuple<Tensor, Tensor> elementAt(const std::tuple<Tensor, Tensor> &sorted, int64_t dim, const Tensor &place,
                                            bool keepdim) {
  const auto &[values, positions] = sorted;
  const Tensor value = gather(values, dim, place), position = gather(positions, dim, place);
  if (keepdim || value.dim() == 0) return {value, position};
  return {squeeze(value, dim), squeeze(position, dim)};
}

/// One position along the dim, for each row.
static Tensor everywhere(const CallScope &scope, const Tensor &x, int64_t dim, int64_t place) {
  const trace::DeviceScope device(x.device());
  Shape sizes = x.sizes();
  if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = 1;
  return broadcast_to(dispatch::fromScalar(Scalar(place), DType::I64, scope.location()), sizes);
}

Tensor argsort(const Tensor &x, int64_t dim, bool descending, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "argsort", "x", x);
  return std::get<1>(sort(x, dim, descending));
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor &x, int64_t k, int64_t dim, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "kthvalue", "x", x);
  const int64_t d = normalizeDim(scope, "kthvalue", dim, x.sizes()), size = sizeAlong(x, d);
  if (k < 1 || k > size)
    fail<shape_error>(scope, "kthvalue: k is " + std::to_string(k) + ", but dim " + std::to_string(d) + " of " +
                                 x.sizes().str() + " has size " + std::to_string(size));
  return elementAt(sort(x, d), d, everywhere(scope, x, d, k - 1), keepdim);
}

std::tuple<Tensor, Tensor> median(const Tensor &x, int64_t dim, bool keepdim, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "median", "x", x);
  const int64_t d = normalizeDim(scope, "median", dim, x.sizes()), size = sizeAlong(x, d);
  if (size == 0)
    fail<shape_error>(scope, "median: no elements along dim " + std::to_string(d) + " of " + x.sizes().str());
  Tensor place = everywhere(scope, x, d, (size - 1) / 2);
  if (isFloat(x.dtype())) { // NaN lie behind the numbers, the first of them first
    const Tensor count = x.dim() == 0 ? cast(isnan(x), kInt64) : sum(isnan(x), d, true);
    place = where(gt(count, 0), sub(size, count), place);
  }
  return elementAt(sort(x, d), d, place, keepdim);
}

Tensor median(const Tensor &x, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "median", "x", x);
  if (x.numel() == 0) fail<shape_error>(scope, "median: no elements in " + x.sizes().str());
  return std::get<0>(median(reshape(x, {x.numel()}), 0));
}

} // namespace tensorjit
