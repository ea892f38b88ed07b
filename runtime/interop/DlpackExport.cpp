#include "core/Dispatch.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Memory.h"
#include "interop/DlpackAbi.h"
#include "tensorjit/dlpack.h"
#include "trace/Recorder.h"

#include <memory>
#include <optional>

namespace tensorjit {

namespace {

/// What a deleter gives back: the sizes, and the memory through its own reference.
template <class Managed> struct Exported {
  Managed managed{};
  Ref<Buffer> buffer;
  Shape sizes, strides;

  Exported(Ref<Buffer> b, const Tensor &t) : buffer(std::move(b)), sizes(t.sizes()), strides(sizes.denseStrides()) {
    buffer->addExport();
  }
  ~Exported() { buffer->dropExport(); }
  static void destroy(Managed *self) { delete static_cast<Exported *>(self->manager_ctx); }
};

DLDataType typeOf(DType t) {
  const auto bits = static_cast<uint8_t>(itemSize(t) * 8);
  switch (t) {
  case DType::Bool: return {kDLBool, 8, 1};
  case DType::U8: return {kDLUInt, 8, 1};
  case DType::BF16: return {kDLBfloat, 16, 1};
  default: return {static_cast<uint8_t>(isFloat(t) ? kDLFloat : kDLInt), bits, 1};
  }
}

/// Numbers of streams in DLPack's Python protocol.
constexpr int64_t noOrder = -1, legacyDefault = 1;

/// The receiver's stream waits for what has been put into ours. Both default streams are handles of the driver, too.
void order(const Buffer &buffer, std::optional<int64_t> stream) {
  const int64_t number = stream.value_or(legacyDefault);
  device::Block *block = buffer.deviceBlock();
  if (!block) {
    if (stream) throw value_error("to_dlpack: a stream is given, but the tensor is on the CPU");
    return;
  }
  if (number == 0 || number < noOrder)
    throw value_error("to_dlpack: there is no stream " + std::to_string(number) +
                      "; 1 is the legacy default stream, 2 the thread's, -1 asks for no order");
  if (number != noOrder) device::orderForeign(*block, reinterpret_cast<device::StreamHandle>(number));
}

DLDevice deviceOf(const Tensor &t) { return t.is_cuda() ? DLDevice{kDLCUDA, t.device().index()} : DLDevice{kDLCPU, 0}; }

template <class Managed>
std::unique_ptr<Exported<Managed>> exported(const Tensor &t, bool &copied, SourceLocation loc,
                                            std::optional<int64_t> stream = std::nullopt) {
  const dispatch::CallScope scope(loc);
  dispatch::requireDefined(scope, "to_dlpack", "the tensor", t);
  if (t.requires_grad())
    dispatch::fail<grad_error>(scope, "to_dlpack: the tensor requires grad, and other libraries cannot see its tape; "
                                      "call detach() first");
  if (!t.is_cpu() && !t.is_cuda())
    dispatch::fail<not_supported>(scope, "to_dlpack: the tensor is on " + t.device().str() +
                                             "; only memory of the CPU and of CUDA devices is exported");
  trace::materialise(t, "to_dlpack", loc);
  const trace::SuspendRecording eager;
  copied = !t.is_contiguous();
  const Tensor dense = copied ? t.clone() : t;
  makeRowMajor(*dense.impl()->storage);
  auto e = std::make_unique<Exported<Managed>>(dense.impl()->storage->buffer, dense);
  DLTensor &dl = e->managed.dl_tensor;
  dl.data = viewOf(dense).data;
  dl.device = deviceOf(dense);
  dl.ndim = static_cast<int32_t>(e->sizes.rank());
  dl.dtype = typeOf(dense.dtype());
  dl.shape = e->sizes.begin();
  dl.strides = e->strides.begin();
  e->managed.manager_ctx = e.get();
  e->managed.deleter = Exported<Managed>::destroy;
  atLine(scope.location(), [&] { order(*e->buffer, stream); });
  return e;
}

} // namespace

static DLManagedTensorVersioned *versioned(const Tensor &t, std::optional<int64_t> stream, SourceLocation loc) {
  bool copied = false;
  auto e = exported<DLManagedTensorVersioned>(t, copied, loc, stream);
  e->managed.version = dlpack::version;
  e->managed.flags = (copied ? dlpack::isCopied : 0) | (e->buffer->isReadOnly() ? dlpack::readOnly : 0);
  return &e.release()->managed;
}

DLManagedTensorVersioned *to_dlpack(const Tensor &t, SourceLocation loc) { return versioned(t, std::nullopt, loc); }
DLManagedTensorVersioned *to_dlpack(const Tensor &t, int64_t stream, SourceLocation loc) {
  return versioned(t, stream, loc);
}

DLManagedTensor *to_dlpack_unversioned(const Tensor &t, SourceLocation loc) {
  bool copied = false;
  // This form has no flag that says so.
  if (t.defined() && !trace::isPending(t) && t.impl()->storage->buffer->isReadOnly())
    return to_dlpack_unversioned(t.clone(loc), loc);
  return &exported<DLManagedTensor>(t, copied, loc).release()->managed;
}

} // namespace tensorjit
