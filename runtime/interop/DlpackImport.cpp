#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "execute/Program.h"
#include "interop/DlpackAbi.h"
#include "tensorjit/dlpack.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tensorjit {

namespace {

DType dtypeOf(const DLDataType &t) {
  const auto text =
      "code " + std::to_string(t.code) + ", " + std::to_string(t.bits) + " bits, " + std::to_string(t.lanes) + " lanes";
  if (t.lanes == 1)
    for (DType d : {DType::Bool, DType::U8, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16,
                    DType::F32, DType::F64}) {
      const uint8_t code = d == DType::Bool   ? kDLBool
                           : d == DType::U8   ? kDLUInt
                           : d == DType::BF16 ? kDLBfloat
                           : isFloat(d)       ? kDLFloat
                                              : kDLInt;
      if (t.code == code && t.bits == itemSize(d) * 8) return d;
    }
  throw type_error("from_dlpack: there is no tensor dtype for " + text);
}

Device deviceOf(const DLTensor &t) {
  switch (t.device.device_type) {
  case kDLCPU:
  case kDLCUDAHost: return Device();
  case kDLCUDA: return Device(kCUDA, t.device.device_id);
  }
  throw device_error("from_dlpack: the memory is on a device of type " + std::to_string(t.device.device_type) +
                     "; only that of the CPU (1) and of CUDA devices (2) can be used");
}

TensorView checked(const DLTensor &t) {
  TensorView view;
  view.dtype = dtypeOf(t.dtype);
  if (t.ndim < 0 || t.ndim > static_cast<int32_t>(Shape::maxRank))
    throw value_error("from_dlpack: " + std::to_string(t.ndim) + " dims; there may be 0 to 8");
  if (t.ndim && !t.shape) throw value_error("from_dlpack: the tensor has no sizes");
  view.sizes = Shape(std::span<const int64_t>(t.shape, static_cast<size_t>(t.ndim)));
  checkSizes(view.sizes);
  view.strides =
      t.strides ? Shape(std::span<const int64_t>(t.strides, static_cast<size_t>(t.ndim))) : view.sizes.denseStrides();
  if (!t.data && view.sizes.numel()) throw value_error("from_dlpack: the memory is null");
  view.data = static_cast<char *>(t.data) + t.byte_offset;
  if (reinterpret_cast<uintptr_t>(view.data) % itemSize(view.dtype))
    throw value_error("from_dlpack: the memory is not aligned to elements of " + std::string(name(view.dtype)));
  return view;
}

Shape inOrder(const Shape &values, const Shape &order) {
  Shape result;
  for (int64_t d : order) result.push_back(values[static_cast<size_t>(d)]);
  return result;
}

/// Whether elements lie side by side in the dim order. Strides of dims of size 1 do not matter.
bool isDense(const Shape &sizes, const Shape &strides) {
  const Shape dense = sizes.denseStrides();
  for (size_t i = 0; i < sizes.rank(); ++i)
    if (sizes[i] != 1 && strides[i] != dense[i]) return false;
  return true;
}

/// Dims from the widest stride to the narrowest: the order in which the memory lies. Dims of size 1 come first, unless
/// the tensor is row-major anyway.
Shape orderOf(const TensorView &t) {
  std::array<size_t, Shape::maxRank> order;
  const size_t rank = t.sizes.rank();
  std::iota(order.begin(), order.begin() + rank, size_t{0});
  auto strideOf = [&](size_t d) { return t.sizes[d] == 1 ? INT64_MAX : t.strides[d]; };
  if (!isDense(t.sizes, t.strides))
    std::stable_sort(order.begin(), order.begin() + rank,
                     [&](size_t a, size_t b) { return strideOf(a) > strideOf(b); });
  Shape result;
  for (size_t i = 0; i < rank; ++i) result.push_back(static_cast<int64_t>(order[i]));
  return result;
}

/// A copy of a device's memory from the first element to the last, on the host; `view` then lies in it.
Ref<Buffer> spanOnHost(TensorView &view, Device device) {
  int64_t first = 0, last = 0;
  for (size_t d = 0; d < view.sizes.rank(); ++d)
    if (view.sizes[d] > 0) (view.strides[d] < 0 ? first : last) += (view.sizes[d] - 1) * view.strides[d];
  const auto item = static_cast<int64_t>(itemSize(view.dtype));
  const auto bytes = static_cast<size_t>((last - first + 1) * item);
  const Ref<Buffer> memory =
      device::adoptMemory("from_dlpack", static_cast<char *>(view.data) + first * item, bytes, device, nullptr);
  Ref<Buffer> host = device::toHost(*memory);
  view.data = static_cast<char *>(host->storedData()) - first * item;
  return host;
}

template <class Managed> Tensor copied(TensorView view, Device device, Managed *managed) {
  Tensor t = allocateTensor(view.dtype, view.sizes);
  Ref<Buffer> span;
  if (!device.is_cpu() && view.sizes.numel()) span = spanOnHost(view, device);
  eager::copyStrided(view, viewOf(t));
  if (!device.is_cpu()) t = device::copyTo(t, device, false);
  if (managed->deleter) managed->deleter(managed);
  return t;
}

template <class Managed> Tensor imported(Managed *managed, bool readOnly) {
  const Device device = deviceOf(managed->dl_tensor);
  const TensorView view = checked(managed->dl_tensor);
  const Shape order = orderOf(view), sizes = inOrder(view.sizes, order);
  // Bytes of a bool may be others than 0 and 1, and theirs cannot be changed.
  if (view.dtype == DType::Bool || (view.sizes.numel() && !isDense(sizes, inOrder(view.strides, order))))
    return copied(view, device, managed);
  const size_t bytes = byteSize({view.dtype, sizes});
  auto buffer = device::adoptMemory("from_dlpack", view.data, bytes, device, [managed] {
    if (managed->deleter) managed->deleter(managed);
  });
  if (readOnly) buffer->setReadOnly();
  Tensor base = makeTensor(view.dtype, sizes, std::move(buffer));
  Shape back(order);
  for (size_t i = 0; i < order.rank(); ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return sizes == view.sizes && std::is_sorted(order.begin(), order.end()) ? base : permute(base, back);
}

} // namespace

Tensor from_dlpack(DLManagedTensorVersioned *managed, SourceLocation loc) {
  const trace::SuspendRecording eager;
  return atLine(loc, [&] {
    if (!managed) throw value_error("from_dlpack: null");
    // Beyond the major version nothing may be looked at but the deleter.
    if (managed->version.major != dlpack::version.major)
      throw value_error("from_dlpack: the tensor is of DLPack " + std::to_string(managed->version.major) + "." +
                        std::to_string(managed->version.minor) + "; 1.x is understood");
    return imported(managed, managed->flags & dlpack::readOnly);
  });
}

Tensor from_dlpack(DLManagedTensor *managed, SourceLocation loc) {
  const trace::SuspendRecording eager;
  return atLine(loc, [&] {
    if (!managed) throw value_error("from_dlpack: null");
    return imported(managed, false);
  });
}

} // namespace tensorjit
