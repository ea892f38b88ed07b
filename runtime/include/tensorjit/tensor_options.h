#pragma once
#include "tensorjit/device.h"
#include "tensorjit/dtype.h"

#include <optional>

namespace tensorjit {

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

} // namespace tensorjit
