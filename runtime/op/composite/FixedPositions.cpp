// Functions that read along a dim at positions that its size tells.
#include "core/Dispatch.h"
#include "op/Normalize.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <algorithm>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

/// Where `count` positions that begin at -lo lie in a dim of `size` that goes on at its ends as `mode` says.
static Tensor continued(const std::string &mode, int64_t size, int64_t lo, int64_t count) {
  const Tensor at = sub(iota({count}, 0, DType::I64), lo);
  if (mode == "replicate") return clamp(at, 0, size - 1);
  if (mode == "circular") return remainder(at, size);
  const Tensor upward = abs(at); // reflect: down again behind the end
  return sub(size - 1, abs(sub(upward, size - 1)));
}

Tensor pad(const Tensor &x, const Shape &amounts, const char *modeName, Scalar value, SourceLocation loc) {
  const CallScope scope(loc);
  const std::string mode = modeName ? modeName : "none";
  if (mode == "constant") return pad(x, amounts, value);
  dispatch::requireDefined(scope, "pad", "x", x);
  if (mode != "reflect" && mode != "replicate" && mode != "circular")
    fail<value_error>(scope, "pad: constant, reflect, replicate or circular expected, got " + mode);
  if (amounts.rank() % 2 || amounts.rank() / 2 > x.sizes().rank())
    fail<shape_error>(scope, "pad: two amounts a dim expected, at most for the " + std::to_string(x.dim()) +
                                 " dims of " + x.sizes().str() + ", got " + amounts.str());
  const trace::DeviceScope device(x.device());
  Tensor y = x;
  for (size_t i = 0; i < amounts.rank() / 2; ++i) {
    const int64_t d = x.dim() - 1 - static_cast<int64_t>(i), size = x.size(d);
    const int64_t lo = amounts[2 * i], hi = amounts[2 * i + 1], most = mode == "reflect" ? size - 1 : size;
    if (lo == 0 && hi == 0) continue;
    if (mode != "replicate" && std::max(lo, hi) > most)
      fail<value_error>(scope, "pad: " + mode + " by " + std::to_string(std::max(lo, hi)) + " of size " +
                                   std::to_string(size) + ", at most " + std::to_string(std::max<int64_t>(0, most)) +
                                   " is possible");
    if (size == 0) fail<value_error>(scope, "pad: dim " + std::to_string(d) + " is empty, nothing can be repeated");
    if (size + lo + hi < 0)
      fail<shape_error>(scope, "pad: " + std::to_string(lo) + " and " + std::to_string(hi) + " take more than size " +
                                   std::to_string(size));
    y = index_select(y, d, continued(mode, size, lo, size + lo + hi));
  }
  return y.is_same(x) ? x.clone() : y;
}

Tensor unfold(const Tensor &x, int64_t dimension, int64_t size, int64_t step, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireDefined(scope, "unfold", "x", x);
  const int64_t dim = normalizeDim(scope, "unfold", dimension, x.sizes());
  if (size < 1 || step < 1)
    fail<value_error>(scope, "unfold: size " + std::to_string(size) + " and step " + std::to_string(step) +
                                 " must be at least 1");
  const Tensor whole = x.dim() == 0 ? reshape(x, {1}) : x;
  const int64_t length = whole.size(dim);
  if (size > length)
    fail<shape_error>(scope, "unfold: a window of " + std::to_string(size) + " is longer than dim " +
                                 std::to_string(dim) + " of size " + std::to_string(length));
  const int64_t count = (length - size) / step + 1;
  const trace::DeviceScope device(x.device());
  const Tensor at = add(mul(iota({count, 1}, 0, DType::I64), step), iota({1, size}, 1, DType::I64));
  const Tensor rows = index_select(whole, dim, reshape(at, {count * size}));
  Shape sizes, order;
  for (int64_t d = 0; d < whole.dim(); ++d) {
    sizes.push_back(d == dim ? count : whole.size(d));
    order.push_back(d <= dim ? d : d + 1);
    if (d == dim) sizes.push_back(size);
  }
  if (x.dim() == 0) return reshape(rows, {1});
  order.push_back(dim + 1);
  return permute(reshape(rows, sizes), order);
}

} // namespace tensorjit
