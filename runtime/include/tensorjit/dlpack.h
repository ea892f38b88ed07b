#pragma once
/// Tensors to and from other libraries without a copy, through DLPack 1.x. The structures are those of
/// <dlpack/dlpack.h>, which is needed only to look inside them.
#include "tensorjit/tensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace tensorjit {

/// A dense row-major tensor shares its memory: writes on either side are seen on the other, until an in-place op here
/// finds that a value saved for backward needs the old elements, and moves on to memory of its own. Others are copied
/// (flag IS_COPIED). The receiver calls the deleter; it may outlive the tensor and all of the library's. Ends a
/// recording's segment. Throws `type_error` for an undefined tensor and `grad_error` for one that requires grad
/// (detach it first).
///
/// The memory of a CUDA tensor is ready for work that the receiver puts into the device's legacy default stream, or
/// into `stream`, a number as in `__dlpack__` of DLPack's Python protocol: 1 the legacy default stream, 2 that of the
/// calling thread, -1 no order at all, else a CUstream. When the deleter is called, the receiver's work must be done,
/// or come before what is put into the legacy default stream later. Throws `value_error` for other numbers, and for a
/// stream where the tensor is on the CPU.
DLManagedTensorVersioned *to_dlpack(const Tensor &t, SourceLocation loc = SourceLocation::current());
DLManagedTensorVersioned *to_dlpack(const Tensor &t, int64_t stream, SourceLocation loc = SourceLocation::current());
/// For receivers that know DLPack before 1.0 only.
DLManagedTensor *to_dlpack_unversioned(const Tensor &t, SourceLocation loc = SourceLocation::current());

/// Takes over `managed` and calls its deleter once, when no tensor uses the memory any more. Dense memory, also with
/// its dims in another order, is shared; other strides are copied, and the deleter is then called before this returns.
/// Memory that is marked read-only is never written: an in-place op moves on to memory of its own. Memory of a CUDA
/// device must be ready for work of the thread's current stream: `cuda::current_stream().native()` is what to give the
/// library as the receiver's stream. Its deleter is called when all work that uses the memory is done. Throws and
/// leaves `managed` with the caller: `value_error` for null, another major version, sizes and pointers that cannot be;
/// `device_error` for memory of another kind of device, or of one that cannot be opened; `type_error` or
/// `not_supported` for a dtype that is not known.
Tensor from_dlpack(DLManagedTensorVersioned *managed, SourceLocation loc = SourceLocation::current());
Tensor from_dlpack(DLManagedTensor *managed, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
