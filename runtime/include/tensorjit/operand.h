#pragma once
#include "tensorjit/arguments.h"
#include "tensorjit/tensor_base.h"

#include <type_traits>

namespace tensorjit {

/// An argument that may be a tensor or a host number, and the user's line that it stands on: how `x * 2.0` finds out
/// where it was written, since an operator has no place for a location of its own. Refers to the tensor, so it must
/// not outlive the call.
class Operand {
public:
  Operand(const Tensor &t, SourceLocation loc = SourceLocation::current());
  Operand(const TensorBase &t, SourceLocation loc = SourceLocation::current()) = delete; // the `Tensor` would not last
  Operand(Scalar s, SourceLocation loc = SourceLocation::current()) : scalar_(s), location_(loc) {}
  template <class T>
  requires std::is_arithmetic_v<T> Operand(T v, SourceLocation loc = SourceLocation::current())
      : Operand(scalarOf(v), loc) {}

  bool isTensor() const { return tensor_; }
  const Tensor &tensor() const;
  const TensorBase &tensorBase() const { return *tensor_; }
  Scalar scalar() const { return scalar_; }
  const SourceLocation &location() const { return location_; }

private:
  template <class T> static Scalar scalarOf(T v) {
    if constexpr (std::is_same_v<T, bool>) return Scalar(v);
    else if constexpr (std::is_integral_v<T>) return Scalar(static_cast<long long>(v));
    else return Scalar(static_cast<double>(v));
  }
  const TensorBase *tensor_ = nullptr; ///< a `Tensor`
  Scalar scalar_ = 0;
  SourceLocation location_;
};

} // namespace tensorjit
