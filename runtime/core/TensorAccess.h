#pragma once
/// Making tensors and looking inside them, for the runtime's own code.
#include "core/TensorImpl.h"
#include "eager/EagerCall.h"
#include "tensorjit/tensor_base.h"

namespace tensorjit {

inline TensorType typeOf(const TensorBase &t) { return {t.impl()->dtype(), t.impl()->sizes}; }

/// A new dense row-major tensor on `buffer`.
TensorBase makeTensor(DType dtype, const Shape &sizes, Ref<Buffer> buffer);
/// A new dense row-major tensor of uninitialised memory of the CPU. Throws `out_of_memory`; the sizes have been
/// checked.
TensorBase allocateTensor(DType dtype, const Shape &sizes);
/// A view of `base`'s storage.
TensorBase makeAlias(const TensorBase &base, const Shape &sizes, const Shape &strides, int64_t offset,
                     Ref<const ViewStep> view);
/// The whole storage that `view` is a window of, as a tensor; it has no autograd state.
TensorBase baseOf(const TensorBase &view);

/// Gives the storage a row-major buffer, whose address may be handed out. It is not pending.
void makeRowMajor(Storage &s);
/// Makes the storage's buffer row-major and its own, so that it may be written and a saved value keeps the old
/// contents. It is not pending.
void makeWritable(Storage &s);

/// How the storage's base tensor lies in memory.
struct BaseLayout {
  const Shape &sizes, &strides;
};
BaseLayout baseLayout(const TensorImpl &t);

/// The memory of a tensor that is not pending: of the CPU, or to be handed on.
TensorView viewOf(const TensorImpl &t);
inline TensorView viewOf(const TensorBase &t) { return viewOf(*t.impl()); }

/// The tensor without its place on the tape.
TensorBase detached(const TensorBase &t);

/// Whether a write to the tensor may appear at two positions of it or of a tensor that it is a view of (expand).
bool hasOverlap(const TensorImpl &t);

/// What a handle refers to. Throws `type_error` for an undefined one.
const TensorImpl &checked(const TensorBase &t);
/// Throws `type_error` for an undefined tensor.
void checkDefined(const TensorBase &t, const char *what);

/// Throws `shape_error` for a negative size or too many elements.
void checkSizes(const Shape &sizes);

} // namespace tensorjit
