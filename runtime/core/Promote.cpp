#include "core/Dispatch.h"
#include "core/Fits.h"
#include "core/Location.h"
#include "core/TensorImpl.h"
#include "device/Transfer.h"
#include "eager/Run.h"
#include "trace/Recorder.h"

#include <array>
#include <optional>

namespace tensorjit {
namespace dispatch {

DType promoteByRules(const CallScope &scope, const char *op, std::initializer_list<const Operand *> operands) {
  // Three tiers; a lower one counts only where it is of a higher category than those above it.
  enum Tier { Dimensioned, ZeroDim, Host, None };
  auto category = [](DType t) { return t == DType::Bool ? 0 : isInteger(t) ? 1 : 2; };
  auto wider = [&](DType a, DType b) {
    if (category(a) != category(b)) return category(a) > category(b) ? a : b;
    if ((a == DType::U8 && b == DType::I8) || (a == DType::I8 && b == DType::U8)) return DType::I16;
    if (isHalf(a) && isHalf(b) && a != b) return DType::F32;
    return a > b ? a : b; // the enumerators of a category are in order of width
  };
  std::array<std::optional<DType>, 3> tiers;
  for (const Operand *x : operands) {
    DType type;
    Tier tier = Host;
    if (x->isTensor()) {
      if (!x->tensorBase().defined()) fail<type_error>(scope, std::string(op) + ": an operand is an undefined tensor");
      type = x->tensorBase().dtype();
      tier = x->tensorBase().sizes().empty() ? ZeroDim : Dimensioned;
    } else {
      constexpr DType defaults[] = {DType::Bool, DType::I64, DType::F32};
      type = defaults[static_cast<size_t>(x->scalar().kind())];
    }
    auto &best = tiers[tier];
    best = best ? wider(*best, type) : type;
  }
  std::optional<DType> result;
  for (const auto &t : tiers)
    if (t && (!result || category(*t) > category(*result))) result = t;
  return result.value_or(DType::F32);
}

} // namespace dispatch

static bool fits(int64_t v, DType t) {
  switch (t) {
  case DType::Bool: return v == 0 || v == 1;
  case DType::U8: return v >= 0 && v <= 255;
  case DType::I8: return v >= -128 && v <= 127;
  case DType::I16: return v >= INT16_MIN && v <= INT16_MAX;
  case DType::I32: return v >= INT32_MIN && v <= INT32_MAX;
  default: return true;
  }
}

void requireFits(Scalar value, DType type) {
  if (value.kind() != Scalar::Kind::Float && !fits(value.toInt(), type))
    throw value_error("the number " + std::to_string(value.toInt()) + " does not fit " + name(type));
}

namespace dispatch {

TensorBase fromScalar(Scalar value, DType type, const SourceLocation &loc, bool varies) {
  atLine(loc, [&] { requireFits(value, type); });
  if (auto *recorder = trace::Recorder::current()) return recorder->scalar(value, type, varies, loc);
  const TensorBase t = eager::scalarTensor(value, type);
  return trace::defaultDevice().is_cpu() ? t : device::copyTo(t, trace::defaultDevice(), false);
}

void Promoted::make(const Operand &x, DType type, const CallScope &scope, bool varies) {
  made_ = x.isTensor() ? castTo(x.tensorBase(), type, scope.location())
                       : fromScalar(x.scalar(), type, scope.location(), varies);
  tensor_ = &made_;
}

void failUndefined(const CallScope &scope, const char *op, const char *argument) {
  fail<type_error>(scope, std::string(op) + ": " + argument + " is an undefined tensor");
}

void requireFloat(const CallScope &scope, const char *op, const TensorBase &x) {
  requireDefined(scope, op, "x", x);
  if (!isFloat(x.dtype())) fail<type_error>(scope, std::string(op) + ": expected a float, got " + name(x.dtype()));
}

void requireInPlaceType(const CallScope &scope, const char *op, const TensorBase &target, DType promoted) {
  if (target.dtype() != promoted)
    fail<type_error>(scope, std::string(op) + ": the result is " + name(promoted) +
                                ", but the tensor updated in place is " + name(target.dtype()));
}

} // namespace dispatch
} // namespace tensorjit
