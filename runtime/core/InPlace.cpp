#include "core/InPlace.h"
#include "autograd/Node.h"
#include "core/Dispatch.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "core/ViewChain.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "eager/Pointwise.h"
#include "eager/Run.h"
#include "execute/FloatMode.h"
#include "tensorjit/grad_mode.h"
#include "trace/Recorder.h"

#include <array>

namespace tensorjit::dispatch {

namespace {

void checkTarget(const TensorBase &target) {
  if (hasOverlap(*target.impl()))
    throw alias_error("cannot update a tensor of sizes " + target.sizes().str() +
                      " in place: it repeats elements of its base (expand); clone it first");
  if (!GradMode::is_enabled() || !target.impl()->autograd) return;
  const autograd::Meta &m = *target.impl()->autograd;
  if (m.requiresGrad || m.viewsLeaf || (m.base && m.base->requiresGrad))
    throw grad_error(std::string("cannot update ") + (m.requiresGrad ? "a leaf" : "a view of a leaf") +
                     " that requires grad in place; do it under a NoGradGuard");
}

void requireSameDevice(const char *op, const TensorBase &result, const TensorBase &target) {
  if (result.device() != target.device())
    throw device_error(std::string(op) + ": the result is on " + result.device().str() +
                       ", but the tensor updated in place is on " + target.device().str());
}

bool isDenseBase(const TensorImpl &t) { return !t.view && t.strides == t.sizes.denseStrides(); }

bool isDense(const TensorImpl &t) {
  return t.strides == t.sizes.denseStrides() && t.storage->buffer->order().isRowMajor();
}

/// A window of a device's memory takes a value: in place where the value lies densely and the window in rows, else the
/// whole base, with the window replaced, becomes the storage's value.
void assignOnDevice(const TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  Storage &s = *target.impl()->storage;
  NoGradGuard noGrad;
  const TensorImpl &to = *target.impl(), &from = *value.impl();
  const auto rows =
      s.buffer->order().isRowMajor() ? device::rowsOf({to.dtype(), to.sizes, to.strides, to.offset}) : std::nullopt;
  if (rows && isDense(from) && from.storage != to.storage) {
    const Ref<Buffer> source = from.storage->buffer;
    makeWritable(s);
    return device::copyRows(*source, device::windowOf(from).offset, *s.buffer, *rows);
  }
  const TensorBase next = copyOf(writeThrough(baseOf(target), target.impl()->view.get(), value), loc);
  const Ref<Buffer> &memory = next.impl()->storage->buffer;
  if (s.buffer->isForeign() && s.buffer->isExclusive())
    device::copyOnDevice(*memory, 0, *s.buffer, {0, memory->bytes()});
  else s.buffer = memory;
}

void assignEager(const TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  trace::materialise(value, "in-place update", loc);
  trace::materialise(target, "in-place update", loc);
  Storage &s = *target.impl()->storage;
  const bool writesForeignMemory = s.buffer->isForeign() && s.buffer->isExclusive();
  if (isDenseBase(*target.impl()) && isDenseBase(*value.impl()) && !writesForeignMemory) {
    s.buffer = value.impl()->storage->buffer;
  } else if (!s.buffer->device().is_cpu()) {
    assignOnDevice(target, value, loc);
  } else {
    Ref<Buffer> source = value.impl()->storage->buffer; // `value` may be a window on the storage itself
    TensorView from = viewOf(value);
    makeWritable(s);
    eager::copyStrided(from, viewOf(target));
  }
  ++s.version;
}

void assignValue(const TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  if (auto *recorder = trace::Recorder::current()) recorder->assign(target, value, loc);
  else assignEager(target, value, loc);
}

bool flows(const TensorBase &t) { return t.impl()->autograd && autograd::flows(*t.impl()); }

/// The new value of a base, seen by the tape: gradients that reach the base now go to `value`.
void rebase(const TensorBase &base, const TensorBase &value) {
  auto &meta = base.impl()->autograd;
  if (!meta) meta = makeRef<autograd::Meta>();
  meta->producer = autograd::edgeOf(value);
  ++meta->version;
}

void assignChecked(const TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  const TensorImpl &t = *target.impl();
  const bool onTape = GradMode::is_enabled() && isFloat(t.dtype()) && (flows(target) || flows(value));
  const bool isView = t.autograd && t.autograd->base;
  if (!onTape) return assignValue(target, value, loc);
  if (t.madeUnderNoGrad)
    throw grad_error(
        "cannot write a value that has a gradient through a view that was made under a NoGradGuard: its base "
        "would not learn of it; make the view with grad mode on, or write under a NoGradGuard");
  if (!isView) {
    assignValue(target, value, loc);
    return rebase(target, value);
  }
  // The tape has to see the base change, so the write becomes ops on the whole base.
  TensorBase base = baseOf(target);
  base.impl()->autograd = t.autograd->base;
  TensorBase next = writeThrough(base, t.view.get(), value);
  assignValue(base, next, loc);
  rebase(base, next);
}

/// Whether the kernel may write its results straight into the targets: nobody else holds their memory, and an operand
/// on it is read at the very positions that are written.
bool canWriteDirectly(std::span<TensorBase *const> targets, std::span<const TensorBase *const> operands) {
  for (const TensorBase *t : targets) {
    const TensorImpl &i = *t->impl();
    const Buffer &buffer = *i.storage->buffer;
    if (buffer.isPending() || !buffer.device().is_cpu() || !buffer.isExclusive() || !buffer.order().isRowMajor())
      return false;
    for (const TensorBase *x : operands) {
      if (!x || !x->defined() || !x->device().is_cpu()) return false;
      const TensorImpl &o = *x->impl();
      if (o.storage == i.storage && !(o.offset == i.offset && o.sizes == i.sizes && o.strides == i.strides))
        return false;
    }
    for (const TensorBase *other : targets)
      if (other != t && other->impl()->storage == i.storage) return false;
  }
  return true;
}

} // namespace

void assign(TensorBase &target, const TensorBase &value, const SourceLocation &loc) {
  CallScope scope(loc);
  atLine(scope.location(), [&] {
    checkTarget(target);
    const bool moves = value.device() != target.device();
    assignChecked(target, moves ? moveTo(value, target.device(), scope.location()) : value, scope.location());
  });
}

void replace(TensorBase &target, const TensorBase &value, const char *op, const SourceLocation &loc) {
  CallScope scope(loc);
  if (value.sizes() != target.sizes())
    fail<shape_error>(scope, std::string(op) + ": the result has sizes " + value.sizes().str() +
                                 ", but the tensor updated in place has " + target.sizes().str());
  requireInPlaceType(scope, op, target, value.dtype());
  atLine(scope.location(), [&] { requireSameDevice(op, value, target); });
  assign(target, value, scope.location());
}

void callInPlace(OpId op, std::span<TensorBase *const> targets, std::span<const TensorBase *const> operands,
                 const Attrs &attrs, const SourceLocation &loc) {
  const OpInfo &o = info(op);
  std::array<TensorBase, mostResults> results;
  atLine(loc, [&] {
    std::array<TensorType, mostOperands> types;
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i] && operands[i]->defined()) types[i] = typeOf(*operands[i]);
    std::array<TensorType, mostResults> resultTypes;
    o.infer({types.data(), operands.size()}, attrs, {resultTypes.data(), o.numResults});
    for (size_t k = 0; k < targets.size(); ++k) {
      checkTarget(*targets[k]);
      if (resultTypes[k].sizes != targets[k]->sizes())
        throw shape_error(std::string(o.name) + ": the result has sizes " + resultTypes[k].sizes.str() +
                          ", but the tensor updated in place has " + targets[k]->sizes().str());
      if (resultTypes[k].dtype != targets[k]->dtype())
        throw type_error(std::string(o.name) + ": the result is " + name(resultTypes[k].dtype) +
                         ", but the tensor updated in place is " + name(targets[k]->dtype()));
    }

    bool onTape = false;
    if (GradMode::is_enabled())
      for (const TensorBase *x : operands) onTape |= x && x->defined() && flows(*x);
    if (o.eager == eager::pointwise && !onTape && !trace::Recorder::current() && canWriteDirectly(targets, operands)) {
      std::array<TensorView, mostOperands> in;
      std::array<TensorView, mostResults> out;
      for (size_t i = 0; i < operands.size(); ++i) {
        trace::materialise(*operands[i], "in-place update", loc);
        in[i] = viewOf(*operands[i]);
      }
      for (size_t k = 0; k < targets.size(); ++k) {
        out[k] = viewOf(*targets[k]);
        ++targets[k]->impl()->storage->version;
      }
      ErrorSlot error;
      const FloatMode mode;
      o.eager({op, {in.data(), operands.size()}, {out.data(), targets.size()}, attrs, &error});
      return;
    }
    call(op, operands, attrs, {results.data(), o.numResults}, loc);
    for (size_t k = 0; k < targets.size(); ++k) requireSameDevice(o.name, results[k], *targets[k]);
    for (size_t k = 0; k < targets.size(); ++k) assignChecked(*targets[k], results[k], loc);
  });
}

} // namespace tensorjit::dispatch
