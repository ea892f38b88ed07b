#pragma once
/// The one door from the public API to what runs an op: eager kernels, or the recording that is active on this thread.
/// The bodies of the public functions are generated from the op records and look like this:
///
///   Tensor add(const Operand &a, const Operand &b, SourceLocation loc) {
///     if (TensorImpl *known = dispatch::callExpected(OpId::Add, ...)) return Tensor::adopt(known);
///     return dispatch::callTogether(OpId::Add, "add", dispatch::promote, {&a, &b}, loc);
///   }
#include "core/TensorImpl.h"
#include "op/OpInfo.h"
#include "tensorjit/operand.h"
#include "tensorjit/tensor_base.h"

#include <initializer_list>
#include <span>
#include <string>

namespace tensorjit::dispatch {

/// A public call in progress on this thread. The outermost one owns the location that messages and graphs name, so a
/// line inside a composite, `nn` or the tape is never reported.
class CallScope {
public:
  explicit CallScope(const SourceLocation &loc) : location_(loc), outermost_(!current) {
    if (outermost_) current = this;
  }
  ~CallScope() {
    if (outermost_) current = nullptr;
  }
  CallScope(const CallScope &) = delete;
  const SourceLocation &location() const { return current->location_; }

private:
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local const CallScope *current = nullptr;
  SourceLocation location_;
  bool outermost_;
};

/// " (model.cpp:41)": the last part of every message about a call. The file without its folder.
std::string at(const SourceLocation &loc);

/// Throws `E` with the location of the outermost call appended.
template <class E> [[noreturn]] void fail(const CallScope &scope, const std::string &text) {
  throw E(text + at(scope.location()));
}

/// The result of an op without attributes where this thread records, the op is just the one that followed here before
/// and the tape does not want it: nothing can then be wrong with it, and its operands need no promotion. Null
/// elsewhere.
TensorImpl *callExpected(OpId op, const TensorBase *x);
TensorImpl *callExpected(OpId op, const TensorBase *x, const TensorBase *y);
TensorImpl *callExpected(OpId op, const TensorBase *x, const TensorBase *y, const TensorBase *z);
inline const TensorBase *tensorOf(const TensorBase &x) { return &x; }
inline const TensorBase *tensorOf(const Operand &x) { return x.isTensor() ? &x.tensorBase() : nullptr; }

/// Runs or records one op. Operands have their final dtypes (casts are calls of their own). Infers the result types
/// (the op's errors come from there, the location is appended here), puts the call on the autograd tape where an
/// operand requires grad and grad mode is on, and writes the `info(op).numResults` handles of `results`.
/// An optional operand that is absent is left out at the end of `operands`.
void call(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
          const SourceLocation &loc);

/// As `call`, but result i becomes the new value of `targets[i]` (as `add_` does); `operands` name what the op reads,
/// targets included. Throws `shape_error` where a result's sizes differ from its target's, `alias_error` for a target
/// whose elements overlap, `grad_error` for a leaf that requires grad outside no_grad; nothing has changed then.
void callInPlace(OpId op, std::span<TensorBase *const> targets, std::span<const TensorBase *const> operands,
                 const Attrs &attrs, const SourceLocation &loc);

/// The dtype at which operands meet: bool < integer < float, the wider inside a category; 0-d tensors take part
/// like host numbers beside tensors with dims, and host numbers only raise the category. Throws `type_error` for an
/// undefined tensor and for pairs whose common dtype is not built yet.
DType promoteByRules(const CallScope &scope, const char *op, std::initializer_list<const Operand *> operands);
inline DType promote(const CallScope &scope, const char *op, std::initializer_list<const Operand *> operands) {
  // The common case: tensors of one dtype need no rules.
  const TensorImpl *first = nullptr;
  for (const Operand *x : operands) {
    const TensorImpl *t = x->isTensor() ? x->tensorBase().impl() : nullptr;
    if (!t || (first && first->dtype() != t->dtype())) return promoteByRules(scope, op, operands);
    first = t;
  }
  return first->dtype();
}

/// `promote`, then f32 where that is an integer or bool: for ops that exist on floats only.
inline DType promoteToFloat(const CallScope &scope, const char *op, std::initializer_list<const Operand *> operands) {
  const DType t = promote(scope, op, operands);
  return isFloat(t) ? t : DType::F32;
}

/// Whether a call that meets at `type` reads a host number, which is not to be rounded to f16 or bf16.
inline bool meetsNumber(DType type, std::initializer_list<const Operand *> operands) {
  if (!isHalf(type)) return false;
  for (const Operand *x : operands)
    if (!x->isTensor()) return true;
  return false;
}

/// A 0-d tensor of a host number: a `full` call with no dims, how every host number enters a graph. Throws
/// `value_error` where an integer does not fit `type`. `varies`: a recording takes it as a run-time argument from the
/// first call on (learning rates, step counts), not only once a second value has been seen.
TensorBase fromScalar(Scalar value, DType type, const SourceLocation &loc, bool varies = false);

/// `x` at another dtype: a `cast` call.
TensorBase castTo(const TensorBase &x, DType type, const SourceLocation &loc);

/// `x` on another device, as `Tensor::to` moves it.
TensorBase moveTo(const TensorBase &x, Device device, const SourceLocation &loc);

/// An operand as the tensor that `call` takes: the user's own where its dtype is right already.
class Promoted {
public:
  Promoted(const Operand &x, DType type, const CallScope &scope, bool varies = false) {
    if (x.isTensor() && x.tensorBase().defined() && x.tensorBase().impl()->dtype() == type) tensor_ = &x.tensorBase();
    else make(x, type, scope, varies);
  }
  Promoted(const Promoted &) = delete;
  const TensorBase *get() const { return tensor_; }

private:
  void make(const Operand &x, DType type, const CallScope &scope, bool varies);
  const TensorBase *tensor_;
  TensorBase made_;
};

/// A rule by which operands meet: `promote` or `promoteToFloat`.
using Promotion = DType (*)(const CallScope &scope, const char *op, std::initializer_list<const Operand *> operands);

/// The whole of a public function `name` that takes up to three operands and has one result: operands are brought to
/// the dtype at which they meet, and the op is called.
TensorBase callTogether(OpId op, const char *name, Promotion meet, std::initializer_list<const Operand *> operands,
                        const SourceLocation &loc);
/// The same for a method that updates `target`, which is one of the operands. Throws as `callInPlace` does, and
/// `type_error` where the operands meet at another dtype than the target's.
void callTogetherInPlace(TensorBase &target, OpId op, const char *name, Promotion meet,
                         std::initializer_list<const Operand *> operands, const SourceLocation &loc);

[[noreturn]] void failUndefined(const CallScope &scope, const char *op, const char *argument);
/// Throws `type_error` naming `op` and the argument where a tensor is undefined.
inline void requireDefined(const CallScope &scope, const char *op, const char *argument, const TensorBase &x) {
  if (!x.defined()) failUndefined(scope, op, argument);
}
/// Throws `type_error` unless x is defined and of floats.
void requireFloat(const CallScope &scope, const char *op, const TensorBase &x);

/// Throws `type_error` where the promoted dtype of an in-place op is not the target's own.
void requireInPlaceType(const CallScope &scope, const char *op, const TensorBase &target, DType promoted);

} // namespace tensorjit::dispatch
