#pragma once
/// The binary interface of DLPack 1.x (https://dmlc.github.io/dlpack/latest/c_api.html). Types of our own, since
/// Debian's header is version 0.6; they have the names of the standard, so a program's own <dlpack/dlpack.h> describes
/// the same objects.
#include <cstdint>

enum DLDeviceType : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };

struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
};

enum DLDataTypeCode : uint8_t { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 };

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; ///< in elements; null: row-major
  uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(DLManagedTensor *self);
};

struct DLPackVersion {
  uint32_t major, minor;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

namespace tensorjit::dlpack {
inline constexpr DLPackVersion version{1, 0};
inline constexpr uint64_t readOnly = 1, isCopied = 2; // bits of `flags`
} // namespace tensorjit::dlpack
