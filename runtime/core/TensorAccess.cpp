#include "core/TensorAccess.h"
#include "autograd/Meta.h"
#include "core/Allocator.h"
#include "device/Transfer.h"
#include "execute/Program.h"
#include "op/ShapeIds.h"

#include <cstring>

namespace tensorjit {

TensorBase makeTensor(DType dtype, const Shape &sizes, Ref<Buffer> buffer) {
  TensorImpl *t = new TensorImpl;
  t->storage = makeRef<Storage>(std::move(buffer), dtype);
  t->sizes = sizes;
  t->strides = sizes.denseStrides();
  return TensorBase(t);
}

TensorBase allocateTensor(DType dtype, const Shape &sizes) {
  const size_t bytes = byteSize({dtype, sizes});
  return TensorBase::adopt(TensorBlock::make(dtype, sizes, sizes.denseStrides(), allocateBlock(bytes), bytes));
}

TensorBase makeAlias(const TensorBase &base, const Shape &sizes, const Shape &strides, int64_t offset,
                     Ref<const ViewStep> view) {
  TensorImpl *t = new TensorImpl;
  t->storage = base.impl()->storage;
  t->sizes = sizes;
  t->strides = strides;
  t->offset = offset;
  t->view = std::move(view);
  return TensorBase(t);
}

TensorBase baseOf(const TensorBase &view) {
  const BaseLayout base = baseLayout(*view.impl());
  return makeAlias(view, base.sizes, base.strides, 0, nullptr);
}

BaseLayout baseLayout(const TensorImpl &t) {
  const ViewStep *step = t.view.get();
  if (!step) return {t.sizes, t.strides};
  while (step->parent) step = step->parent.get();
  return {step->baseSizes, step->baseStrides};
}

void makeRowMajor(Storage &s) {
  if (!s.buffer->order().isRowMajor()) s.buffer = s.buffer->rowMajor();
}

void makeWritable(Storage &s) {
  makeRowMajor(s);
  if (s.buffer->isExclusive()) return;
  if (!s.buffer->device().is_cpu()) {
    s.buffer = device::copyOnDevice(*s.buffer, {0, s.buffer->bytes()});
    return;
  }
  auto copy = Buffer::allocate(s.buffer->bytes());
  std::memcpy(copy->data(), s.buffer->data(), s.buffer->bytes());
  s.buffer = std::move(copy);
}

TensorView viewOf(const TensorImpl &t) {
  const Storage &s = *t.storage;
  char *data = static_cast<char *>(s.buffer->data());
  return {data + t.offset * static_cast<int64_t>(itemSize(s.dtype)), s.dtype, t.sizes, t.strides};
}

bool hasOverlap(const TensorImpl &t) {
  // The view ops make no other overlap than a broadcast dim. A window of a broadcast may show each element once, but
  // what is written there appears in the elements beside it.
  for (size_t i = 0; i < t.sizes.rank(); ++i)
    if (t.sizes[i] > 1 && t.strides[i] == 0) return true;
  for (const ViewStep *step = t.view.get(); step; step = step->parent.get())
    if (step->op == opid::BroadcastTo &&
        step->sizes.numel() > (step->parent ? step->parent->sizes : step->baseSizes).numel())
      return true;
  return false;
}

TensorBase detached(const TensorBase &from) {
  const TensorImpl &t = *from.impl();
  TensorBase d = makeAlias(from, t.sizes, t.strides, t.offset, t.view);
  d.impl()->viewSegment = t.viewSegment;
  d.impl()->viewValue = t.viewValue;
  d.impl()->viewVersion = t.viewVersion;
  return d;
}

const TensorImpl &checked(const TensorBase &t) {
  if (!t.defined()) throw type_error("the tensor is undefined");
  return *t.impl();
}

void checkDefined(const TensorBase &t, const char *what) {
  if (!t.defined()) throw type_error(std::string(what) + ": the tensor is undefined");
}

void checkSizes(const Shape &sizes) {
  for (int64_t d : sizes)
    if (d < 0) throw shape_error("sizes must not be negative, got " + sizes.str());
  sizes.numel();
}

} // namespace tensorjit
