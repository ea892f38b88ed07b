#include "core/Dispatch.h"
#include "autograd/Node.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "core/Views.h"
#include "device/EagerOp.h"
#include "eager/IndexError.h"
#include "eager/Run.h"
#include "op/PointwiseIds.h"
#include "op/ShapeIds.h"
#include "trace/Match.h"

#include <array>
#include <optional>

namespace tensorjit::dispatch {

namespace {

using Operands = std::span<const TensorBase *const>;

bool isPresent(const TensorBase *t) { return t && t->defined(); }

bool needsTape(Operands operands) {
  for (const TensorBase *t : operands)
    if (isPresent(t) && t->impl()->autograd && isFloat(t->impl()->dtype()) && autograd::flows(*t->impl())) return true;
  return false;
}

Ref<const ViewStep> viewStep(const TensorImpl &t, OpId op, const Attrs &attrs, const Shape &sizes) {
  auto step = makeRef<ViewStep>();
  step->parent = t.view;
  if (!t.view) {
    step->baseSizes = t.sizes;
    step->baseStrides = t.strides;
  }
  step->op = op;
  step->attrs = attrs;
  step->sizes = sizes;
  return Ref<const ViewStep>(step.get());
}

/// The alias that a view op makes; undefined where the data has to be copied.
TensorBase tryAlias(const OpInfo &o, OpId op, Operands operands, const Attrs &attrs) {
  const TensorBase &x = *operands[0];
  const TensorType type = typeOf(x);
  TensorType result;
  o.infer({&type, 1}, attrs, {&result, 1});
  auto g = viewGeometry(*x.impl(), op, attrs, result.sizes);
  if (!g) return {};
  return makeAlias(x, g->sizes, g->strides, g->offset, viewStep(*x.impl(), op, attrs, result.sizes));
}

/// A view of a tensor without gradient still knows its base: a later write through either may bring one.
void linkToBase(const TensorBase &base, const TensorBase &view) {
  auto &of = base.impl()->autograd;
  if (!of) of = makeRef<autograd::Meta>();
  auto meta = makeRef<autograd::Meta>();
  meta->base = of->base ? of->base : of;
  meta->baseVersion = meta->base->version;
  view.impl()->autograd = std::move(meta);
}

void callOp(OpId op, Operands operands, const Attrs &attrs, std::span<TensorBase> results, const SourceLocation &loc,
            bool mayAlias) {
  const OpInfo &o = info(op);
  const bool onTape = trace::gradEnabled() && needsTape(operands);
  if (std::vector<TensorBase> moved; onTape && device::moveJoined(op, operands, moved)) {
    std::array<const TensorBase *, mostOperands> own;
    for (size_t i = 0; i < operands.size(); ++i) own[i] = &moved[i];
    return callOp(op, {own.data(), operands.size()}, attrs, results, loc, mayAlias);
  }
  bool alias = false;
  try {
    auto *recorder = trace::Recorder::current();
    if (o.isView && mayAlias) {
      results[0] = tryAlias(o, op, operands, attrs);
      alias = results[0].defined();
    }
    if (alias) {
      if (recorder) recorder->recordView(op, *operands[0], attrs, results[0], loc);
    } else if (recorder) {
      recorder->record(op, operands, attrs, results, loc);
    } else {
      eager::run(op, operands, attrs, results, loc);
    }
  } catch (const Error &) {
    rethrowAt(loc);
  }
  if (!trace::gradEnabled()) {
    if (alias) results[0].impl()->madeUnderNoGrad = true;
    return;
  }
  if (onTape) autograd::record(op, operands, attrs, results, loc);
  else if (alias && isFloat(results[0].dtype())) linkToBase(*operands[0], results[0]);
}

template <class... T> TensorImpl *expected(OpId op, const T *...operands) {
  auto *recorder = trace::Recorder::current();
  if (!recorder) return nullptr;
  if (trace::gradEnabled() && ((operands && operands->defined() && operands->impl()->autograd) || ...)) return nullptr;
  return recorder->recordExpected(op, operands...);
}

} // namespace

TensorImpl *callExpected(OpId op, const TensorBase *x) { return expected(op, x); }
TensorImpl *callExpected(OpId op, const TensorBase *x, const TensorBase *y) { return expected(op, x, y); }
TensorImpl *callExpected(OpId op, const TensorBase *x, const TensorBase *y, const TensorBase *z) {
  return expected(op, x, y, z);
}

void call(OpId op, Operands operands, const Attrs &attrs, std::span<TensorBase> results, const SourceLocation &loc) {
  auto *recorder = trace::Recorder::current();
  if (!recorder || !recorder->recordExpected(op, operands, attrs, results))
    return callOp(op, operands, attrs, results, loc, true);
  if (trace::gradEnabled() && needsTape(operands)) autograd::record(op, operands, attrs, results, loc);
}

namespace {

/// Operands brought to one dtype, for as long as a call takes.
class Together {
public:
  Together(const CallScope &scope, std::initializer_list<const Operand *> operands, DType type) {
    for (const Operand *x : operands) {
      given_[count_] = promoted_[count_].emplace(*x, type, scope).get();
      ++count_;
    }
  }
  Operands operands() const { return {given_.data(), count_}; }

private:
  std::array<std::optional<Promoted>, 3> promoted_;
  std::array<const TensorBase *, 3> given_;
  size_t count_ = 0;
};

/// Beside a host number f16 and bf16 work in f32: only the result is rounded to `type`.
TensorBase callInF32(const CallScope &scope, OpId op, std::initializer_list<const Operand *> operands, DType type) {
  std::array<TensorBase, mostOperands> wide;
  std::array<const TensorBase *, mostOperands> own;
  size_t n = 0;
  for (const Operand *x : operands) {
    wide[n] = x->isTensor() ? castTo(castTo(x->tensorBase(), type, scope.location()), DType::F32, scope.location())
                            : fromScalar(x->scalar(), DType::F32, scope.location());
    own[n] = &wide[n];
    ++n;
  }
  TensorBase result;
  call(op, {own.data(), n}, {}, {&result, 1}, scope.location());
  return isFloat(result.dtype()) ? castTo(result, type, scope.location()) : result;
}

} // namespace

TensorBase callTogether(OpId op, const char *name, Promotion meet, std::initializer_list<const Operand *> operands,
                        const SourceLocation &loc) {
  const CallScope scope(loc);
  const DType type = meet(scope, name, operands);
  if (meetsNumber(type, operands)) [[unlikely]]
    return callInF32(scope, op, operands, type);
  const Together together(scope, operands, type);
  TensorBase result;
  call(op, together.operands(), {}, {&result, 1}, scope.location());
  return result;
}

void callTogetherInPlace(TensorBase &target, OpId op, const char *name, Promotion meet,
                         std::initializer_list<const Operand *> operands, const SourceLocation &loc) {
  const CallScope scope(loc);
  const DType type = meet(scope, name, operands);
  requireInPlaceType(scope, name, target, type);
  if (meetsNumber(type, operands)) [[unlikely]]
    return replace(target, callInF32(scope, op, operands, type), name, scope.location());
  const Together together(scope, operands, type);
  TensorBase *targets[] = {&target};
  callInPlace(op, targets, together.operands(), {}, scope.location());
}

TensorBase copyOf(const TensorBase &x, const SourceLocation &loc) {
  Attrs attrs;
  attrs.addInts(x.sizes());
  const TensorBase *operand = &x;
  TensorBase result;
  callOp(opid::Reshape, {&operand, 1}, attrs, {&result, 1}, loc, false);
  return result;
}

TensorBase castTo(const TensorBase &x, DType type, const SourceLocation &loc) {
  if (x.dtype() == type) return x;
  Attrs attrs;
  attrs.addDType(type);
  const TensorBase *operand = &x;
  TensorBase result;
  call(opid::Cast, {&operand, 1}, attrs, {&result, 1}, loc);
  return result;
}

} // namespace tensorjit::dispatch
