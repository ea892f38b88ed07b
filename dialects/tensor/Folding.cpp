#include "tensor/Folding.h"

#include "tensor/CreationOps.h"
#include "tensor/OpBridge.h"
#include "tensor/ShapeOps.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tensorjit::tj {

bool SplatNumber::isZero(bool negative) const {
  return isFloat(dtype) ? number == 0 && std::signbit(number) == negative : integer == 0;
}

static SplatNumber ofFloat(double x, DType to) {
  if (isFloat(to)) return {to, to == DType::F32 ? static_cast<float>(x) : x, 0};
  if (to == DType::Bool) return {to, 0, x != 0};
  const double limit = std::ldexp(1.0, static_cast<int>(8 * itemSize(to)) - (to == DType::U8 ? 0 : 1));
  const double lowest = to == DType::U8 ? 0 : -limit;
  if (std::isnan(x)) return {to, 0, 0};
  if (x >= limit)
    return {to, 0, to == DType::I64 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(limit) - 1};
  return {to, 0, static_cast<int64_t>(std::max(x, lowest))};
}

static SplatNumber ofInteger(int64_t x, DType to) {
  switch (to) {
  case DType::F32: return {to, static_cast<float>(x), 0};
  case DType::F64: return {to, static_cast<double>(x), 0};
  case DType::Bool: return {to, 0, x != 0};
  case DType::U8: return {to, 0, static_cast<uint8_t>(x)};
  case DType::I8: return {to, 0, static_cast<int8_t>(x)};
  case DType::I32: return {to, 0, static_cast<int32_t>(x)};
  default: return {to, 0, x};
  }
}

SplatNumber castNumber(const SplatNumber &x, DType to) {
  return isFloat(x.dtype) ? ofFloat(x.number, to) : ofInteger(x.integer, to);
}

std::optional<SplatNumber> splatNumber(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_nonnull<BroadcastToOp, ReshapeOp, PermuteOp, SliceOp>(op)) op = op->getOperand(0).getDefiningOp();
  auto full = dyn_cast_or_null<FullOp>(op);
  if (!full) return std::nullopt;
  auto dtype = dtypeOf(full.getDtype());
  if (!dtype) return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(full.getValue())) return ofFloat(number.getValueAsDouble(), *dtype);
  if (auto boolean = dyn_cast<BoolAttr>(full.getValue())) return ofInteger(boolean.getValue(), *dtype);
  return ofInteger(cast<IntegerAttr>(full.getValue()).getInt(), *dtype);
}

} // namespace tensorjit::tj
