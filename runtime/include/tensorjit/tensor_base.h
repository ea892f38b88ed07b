#pragma once
/// What a tensor is apart from ops, whose methods `Tensor` adds: a new op changes nothing here.
#include "tensorjit/device.h"
#include "tensorjit/dtype.h"
#include "tensorjit/error.h"
#include "tensorjit/scalar.h"
#include "tensorjit/shape.h"

#include <source_location>
#include <type_traits>
#include <utility>

namespace tensorjit {

struct TensorImpl;
class Tensor; // tensorjit/tensor.h
using SourceLocation = std::source_location;

/// The handle that a `Tensor` is: the array, its type, its memory, and whether it takes part in differentiation.
class TensorBase {
public:
  TensorBase() noexcept : impl_(nullptr) {}
  explicit TensorBase(TensorImpl *impl);
  /// Takes over a reference that the caller holds.
  static TensorBase adopt(TensorImpl *impl) noexcept {
    TensorBase t;
    t.impl_ = impl;
    return t;
  }
  TensorBase(const TensorBase &);
  TensorBase(TensorBase &&o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  TensorBase &operator=(TensorBase o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~TensorBase() {
    if (impl_) release(impl_);
  }

  bool defined() const { return impl_; }
  TensorImpl *impl() const { return impl_; }
  bool is_same(const TensorBase &o) const { return impl_ == o.impl_; }

  const Shape &sizes() const;
  int64_t size(int64_t dim, SourceLocation loc = SourceLocation::current()) const;
  int64_t dim() const;
  int64_t numel() const;
  DType dtype() const;
  DType scalar_type() const { return dtype(); }
  bool is_contiguous() const;
  Device device() const;
  bool is_cpu() const { return device().is_cpu(); }
  bool is_cuda() const { return device().is_cuda(); }

  /// Memory of a dense row-major tensor, an address on its device; ends a recording's segment. Work that writes it may
  /// not have run yet on another device than the CPU. Throws `Error` for another layout.
  void *data_ptr(SourceLocation loc = SourceLocation::current()) const;
  template <class T> T *data_ptr(SourceLocation loc = SourceLocation::current()) const {
    return static_cast<T *>(checkedData(dtypeOf<T>(), loc));
  }
  /// The value of a one-element tensor, read on the host: ends a recording's segment.
  template <class T = double> T item(SourceLocation loc = SourceLocation::current()) const {
    Scalar s = itemScalar(loc);
    return s.kind() == Scalar::Kind::Float ? static_cast<T>(s.toDouble()) : static_cast<T>(s.toInt());
  }
  explicit operator bool() const; ///< item() != 0: `if (t > 0)`

  bool requires_grad() const;
  bool is_leaf() const;

protected:
  TensorImpl *impl_;

private:
  template <class T> static constexpr DType dtypeOf();
  static void release(TensorImpl *impl);
  void *checkedData(DType t, SourceLocation loc) const;
  Scalar itemScalar(SourceLocation loc) const;
};

template <class T> constexpr DType TensorBase::dtypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::F32;
  else if constexpr (std::is_same_v<T, double>) return DType::F64;
  else if constexpr (std::is_same_v<T, int64_t>) return DType::I64;
  else if constexpr (std::is_same_v<T, int32_t>) return DType::I32;
  else if constexpr (std::is_same_v<T, int16_t>) return DType::I16;
  else if constexpr (std::is_same_v<T, int8_t>) return DType::I8;
  else if constexpr (std::is_same_v<T, uint8_t>) return DType::U8;
  else if constexpr (std::is_same_v<T, bool>) return DType::Bool;
  else static_assert(sizeof(T) == 0, "no tensor dtype of this C++ type");
}

} // namespace tensorjit
