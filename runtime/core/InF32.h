#pragma once
/// Calls on f16 and bf16 that are more than one op, or read a host number: they work in f32 and round once at the end.
#include "core/Dispatch.h"
#include "tensorjit/tensor.h"

namespace tensorjit::dispatch {

template <class... T> bool anyHalf(const T &...tensors) {
  return ((tensors.defined() && isHalf(tensors.dtype())) || ...);
}

inline bool anyHalf(std::initializer_list<const Operand *> operands) {
  for (const Operand *x : operands)
    if (x->isTensor() && anyHalf(x->tensor())) return true;
  return false;
}

/// f16 and bf16 as f32; others, and undefined ones, as they are.
inline Tensor widened(const Tensor &x, const CallScope &scope) {
  if (!x.defined() || !isHalf(x.dtype())) return x;
  return castTo(x, DType::F32, scope.location());
}

/// A float of another dtype than `type` rounded to it; anything else as it is.
inline Tensor narrowed(const Tensor &x, DType type, const CallScope &scope) {
  if (!isFloat(x.dtype())) return x;
  return castTo(x, type, scope.location());
}

/// The dtype at which the tensors meet that are defined; the first is.
template <class... T> DType meet(const CallScope &scope, const char *op, const Tensor &first, const T &...rest) {
  auto ofAll = [&](const auto &...x) { return promote(scope, op, {&x...}); };
  return ofAll(Operand(first), Operand(rest.defined() ? rest : first)...);
}

/// An operand of a call that `meetsNumber`: the number itself, or the tensor at `type` and then as f32. Lives as long
/// as the call.
class InF32 {
public:
  InF32(const Operand &x, DType type, const CallScope &scope)
      : tensor_(x.isTensor() ? widened(castTo(x.tensorBase(), type, scope.location()), scope) : Tensor()),
        operand_(x.isTensor() ? Operand(tensor_, scope.location()) : x) {}
  InF32(const Tensor &x, DType type, const CallScope &scope) : InF32(Operand(x, scope.location()), type, scope) {}
  InF32(const InF32 &) = delete;
  const Operand &operand() const { return operand_; }
  const Tensor &tensor() const { return tensor_; }

private:
  Tensor tensor_;
  Operand operand_;
};

} // namespace tensorjit::dispatch
