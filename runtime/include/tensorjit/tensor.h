#pragma once
#include "tensorjit/device.h"
#include "tensorjit/dtype.h"
#include "tensorjit/error.h"
#include "tensorjit/scalar.h"
#include "tensorjit/shape.h"

#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tensorjit {

struct TensorImpl;
class Operand; // a tensor or a host number; see tensorjit/operand.h
using SourceLocation = std::source_location;

/// Optional arguments of creation functions: `TensorOptions().dtype(kInt64).device(kCUDA).requires_grad(true)`.
class TensorOptions {
public:
  TensorOptions() = default;
  TensorOptions(DType t) : dtype_(t) {}
  TensorOptions(Device d) : device_(d) {}
  TensorOptions(DeviceType d) : device_(d) {}
  TensorOptions dtype(DType t) const {
    auto o = *this;
    o.dtype_ = t;
    return o;
  }
  TensorOptions device(Device d) const {
    auto o = *this;
    o.device_ = d;
    return o;
  }
  TensorOptions requires_grad(bool r) const {
    auto o = *this;
    o.requiresGrad_ = r;
    return o;
  }
  DType dtype() const { return dtype_.value_or(DType::F32); }
  bool hasDType() const { return dtype_.has_value(); }
  Device device() const { return device_.value_or(Device()); }
  bool hasDevice() const { return device_.has_value(); }
  bool requires_grad() const { return requiresGrad_; }

private:
  std::optional<DType> dtype_;
  std::optional<Device> device_;
  bool requiresGrad_ = false;
};

/// A handle to an n-dimensional array. Copying the handle shares the array; ops return new arrays; methods whose
/// name ends in `_` update in place. A default-constructed handle is undefined.
class Tensor {
public:
  Tensor() noexcept : impl_(nullptr) {}
  explicit Tensor(TensorImpl *impl);
  /// Takes over a reference that the caller holds.
  static Tensor adopt(TensorImpl *impl) noexcept {
    Tensor t;
    t.impl_ = impl;
    return t;
  }
  Tensor(const Tensor &);
  Tensor(Tensor &&o) noexcept : impl_(std::exchange(o.impl_, nullptr)) {}
  Tensor &operator=(Tensor o) noexcept {
    std::swap(impl_, o.impl_);
    return *this;
  }
  ~Tensor() {
    if (impl_) release(impl_);
  }

  bool defined() const { return impl_; }
  TensorImpl *impl() const { return impl_; }
  bool is_same(const Tensor &o) const { return impl_ == o.impl_; }

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

  // Autograd
  bool requires_grad() const;
  Tensor &requires_grad_(bool r = true);
  bool is_leaf() const;
  const Tensor &grad() const;
  Tensor &mutable_grad();
  /// Runs the tape from this scalar (or with `gradient` of the same shape) and adds into `.grad()` of its leaves.
  void backward(const Tensor &gradient = {}, bool retain_graph = false, bool create_graph = false,
                SourceLocation loc = SourceLocation::current()) const;
  /// Calls `hook` with this tensor's gradient in each backward pass, once it is complete; what it returns takes the
  /// gradient's place, where it returns a defined tensor. Hooks run in the order in which they were added. Returns a
  /// number for `remove_hook`. Throws `grad_error` for a tensor that does not require grad.
  size_t register_hook(std::function<Tensor(const Tensor &)> hook) const;
  void remove_hook(size_t number) const;
  /// Gives this handle and all its copies the value of `t`, whatever its dtype and sizes; the tape is not told.
  void set_data(const Tensor &t);
  Tensor detach() const;
  Tensor &detach_();
  Tensor clone(SourceLocation loc = SourceLocation::current()) const;
  Tensor contiguous(SourceLocation loc = SourceLocation::current()) const;
  Tensor to(DType t, SourceLocation loc = SourceLocation::current()) const;
  /// The tensor on a device: itself where it is there already, else a dense copy, through which gradients flow.
  /// `non_blocking`: a copy from page-locked memory runs beside the work of the current stream, which waits for it only
  /// where it is used. Throws `device_error` where there is no such device, `out_of_memory`.
  Tensor to(Device device, bool non_blocking = false, SourceLocation loc = SourceLocation::current()) const;
  Tensor to(Device device, DType dtype, bool non_blocking = false,
            SourceLocation loc = SourceLocation::current()) const;
  Tensor cpu(SourceLocation loc = SourceLocation::current()) const { return to(Device(), false, loc); }
  Tensor cuda(SourceLocation loc = SourceLocation::current()) const { return to(Device(kCUDA), false, loc); }

  // In-place updates by values that no op makes
  /// Elements of `source`, cast to this dtype and broadcast to these sizes.
  Tensor &copy_(const Tensor &source, SourceLocation loc = SourceLocation::current());
  Tensor &fill_(Scalar value, SourceLocation loc = SourceLocation::current());
  Tensor &zero_(SourceLocation loc = SourceLocation::current());
  /// Uniform in [from, to) and normal, drawn from the default generator. Throw `type_error` for integers and bool.
  Tensor &uniform_(double from = 0, double to = 1, SourceLocation loc = SourceLocation::current());
  Tensor &normal_(double mean = 0, double std = 1, SourceLocation loc = SourceLocation::current());
  /// 1 with probability `p`, else 0, drawn from the default generator. Throws `value_error` for p outside [0, 1].
  Tensor &bernoulli_(double p = 0.5, SourceLocation loc = SourceLocation::current());

#include "tensorjit/ops/CompositeMethods.inc"
#include "tensorjit/ops/TensorMethods.inc"

private:
  template <class T> static constexpr DType dtypeOf();
  static void release(TensorImpl *impl);
  void *checkedData(DType t, SourceLocation loc) const;
  Scalar itemScalar(SourceLocation loc) const;
  TensorImpl *impl_;
};

template <class T> constexpr DType Tensor::dtypeOf() {
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

#include "tensorjit/operand.h"
