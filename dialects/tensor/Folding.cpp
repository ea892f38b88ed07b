#include "tensor/Folding.h"

#include "core/HalfBits.h"
#include "op/CreationIds.h"
#include "tensor/OpBridge.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tensorjit::tj {

bool SplatNumber::isZero(bool negative) const {
  return isFloat(dtype) ? number == 0 && std::signbit(number) == negative : integer == 0;
}

static double roundTo(DType to, double x) {
  const auto single = static_cast<float>(x);
  switch (to) {
  case DType::F16: return halfToFloat(floatToHalf(single));
  case DType::BF16: return bfloatToFloat(floatToBFloat(single));
  case DType::F32: return single;
  default: return x;
  }
}

static SplatNumber ofFloat(double x, DType to) {
  if (isFloat(to)) return {to, roundTo(to, x), 0};
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
  case DType::F16:
  case DType::BF16: return {to, roundTo(to, static_cast<float>(x)), 0};
  case DType::I16: return {to, 0, static_cast<int16_t>(x)};
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

Operation *producedBy(Value value, OpId op) {
  Operation *producer = value.getDefiningOp();
  return producer && producer->getName().getStringRef() == qualifiedName(op) ? producer : nullptr;
}

static bool isView(Operation *op) {
  auto id = opIdOf(op);
  return id && info(*id).isView;
}

std::optional<SplatNumber> splatNumber(Value value) {
  while (value.getDefiningOp() && isView(value.getDefiningOp())) value = value.getDefiningOp()->getOperand(0);
  Operation *full = producedBy(value, opid::Full);
  if (!full) return std::nullopt;
  auto dtype = dtypeOf(full->getAttrOfType<TypeAttr>("dtype").getValue());
  if (!dtype) return std::nullopt;
  Attribute number = full->getAttr("value");
  if (auto real = dyn_cast<FloatAttr>(number)) return ofFloat(real.getValueAsDouble(), *dtype);
  if (auto boolean = dyn_cast<BoolAttr>(number)) return ofInteger(boolean.getValue(), *dtype);
  return ofInteger(cast<IntegerAttr>(number).getInt(), *dtype);
}

} // namespace tensorjit::tj
