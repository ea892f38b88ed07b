#include "core/Dispatch.h"
#include "core/TensorAccess.h"
#include "interop/DlpackAbi.h"
#include "tensorjit/dlpack.h"
#include "trace/Recorder.h"

#include <memory>

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

template <class Managed>
std::unique_ptr<Exported<Managed>> exported(const Tensor &t, bool &copied, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  dispatch::requireDefined(scope, "to_dlpack", "the tensor", t);
  if (t.requires_grad())
    dispatch::fail<grad_error>(scope, "to_dlpack: the tensor requires grad, and other libraries cannot see its tape; "
                                      "call detach() first");
  if (!t.is_cpu())
    dispatch::fail<not_supported>(scope, "to_dlpack: the tensor is on " + t.device().str() +
                                             "; only memory of the CPU is exported, call cpu() first");
  trace::materialise(t, "to_dlpack", loc);
  const trace::SuspendRecording eager;
  copied = !t.is_contiguous();
  const Tensor dense = copied ? t.clone() : t;
  makeRowMajor(*dense.impl()->storage);
  auto e = std::make_unique<Exported<Managed>>(dense.impl()->storage->buffer, dense);
  DLTensor &dl = e->managed.dl_tensor;
  dl.data = viewOf(dense).data;
  dl.device = {kDLCPU, 0};
  dl.ndim = static_cast<int32_t>(e->sizes.rank());
  dl.dtype = typeOf(dense.dtype());
  dl.shape = e->sizes.begin();
  dl.strides = e->strides.begin();
  e->managed.manager_ctx = e.get();
  e->managed.deleter = Exported<Managed>::destroy;
  return e;
}

} // namespace

DLManagedTensorVersioned *to_dlpack(const Tensor &t, SourceLocation loc) {
  bool copied = false;
  auto e = exported<DLManagedTensorVersioned>(t, copied, loc);
  e->managed.version = dlpack::version;
  e->managed.flags = (copied ? dlpack::isCopied : 0) | (e->buffer->isReadOnly() ? dlpack::readOnly : 0);
  return &e.release()->managed;
}

DLManagedTensor *to_dlpack_unversioned(const Tensor &t, SourceLocation loc) {
  bool copied = false;
  // This form has no flag that says so.
  if (t.defined() && !trace::isPending(t) && t.impl()->storage->buffer->isReadOnly())
    return to_dlpack_unversioned(t.clone(loc), loc);
  return &exported<DLManagedTensor>(t, copied, loc).release()->managed;
}

} // namespace tensorjit
