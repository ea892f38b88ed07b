#include "core/Dispatch.h"
#include "core/HalfBits.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "tensorjit/tensor_base.h"
#include "trace/Recorder.h"

namespace tensorjit {

TensorBase::TensorBase(TensorImpl *impl) : impl_(impl) {
  if (impl_) impl_->retain();
}
TensorBase::TensorBase(const TensorBase &o) : TensorBase(o.impl_) {}

const Shape &TensorBase::sizes() const { return checked(*this).sizes; }
DType TensorBase::dtype() const { return checked(*this).dtype(); }
int64_t TensorBase::dim() const { return static_cast<int64_t>(sizes().rank()); }
int64_t TensorBase::numel() const { return sizes().numel(); }
Device TensorBase::device() const { return checked(*this).device(); }
bool TensorBase::is_contiguous() const { return checked(*this).strides == impl_->sizes.denseStrides(); }

int64_t TensorBase::size(int64_t d, SourceLocation loc) const {
  const int64_t rank = dim(), at = d < 0 ? d + rank : d;
  if (at < 0 || at >= rank)
    throw index_error("size: dim " + std::to_string(d) + " is out of range for sizes " + sizes().str() +
                      dispatch::at(loc));
  return sizes()[static_cast<size_t>(at)];
}

/// Memory that the caller may write: not shared with a saved value or another storage.
static char *writableData(const TensorBase &t, SourceLocation loc) {
  if (!t.is_contiguous())
    throw Error("data_ptr: the tensor of sizes " + t.sizes().str() + " is not dense; call contiguous() first" +
                dispatch::at(loc));
  trace::materialise(t, "data_ptr", loc);
  makeWritable(*t.impl()->storage);
  return static_cast<char *>(viewOf(t).data);
}

void *TensorBase::data_ptr(SourceLocation loc) const {
  checked(*this);
  return writableData(*this, loc);
}

void *TensorBase::checkedData(DType t, SourceLocation loc) const {
  if (dtype() != t)
    throw type_error(std::string("data_ptr: the tensor is ") + name(dtype()) + ", not " + name(t) + dispatch::at(loc));
  return writableData(*this, loc);
}

Scalar TensorBase::itemScalar(SourceLocation loc) const {
  if (numel() != 1)
    throw value_error("item: the tensor of sizes " + sizes().str() + " has not one element" + dispatch::at(loc));
  trace::materialise(*this, "item", loc);
  const TensorBase host = atLine(loc, [&] { return device::onHost(*this); });
  const void *p = viewOf(host).data;
  switch (dtype()) {
  case DType::Bool: return Scalar(*static_cast<const uint8_t *>(p) != 0);
  case DType::U8: return Scalar(int(*static_cast<const uint8_t *>(p)));
  case DType::I8: return Scalar(int(*static_cast<const int8_t *>(p)));
  case DType::I16: return Scalar(int(*static_cast<const int16_t *>(p)));
  case DType::I32: return Scalar(*static_cast<const int32_t *>(p));
  case DType::I64: return Scalar(static_cast<long>(*static_cast<const int64_t *>(p)));
  case DType::F16: return Scalar(halfToFloat(*static_cast<const uint16_t *>(p)));
  case DType::BF16: return Scalar(bfloatToFloat(*static_cast<const uint16_t *>(p)));
  case DType::F32: return Scalar(*static_cast<const float *>(p));
  default: return Scalar(*static_cast<const double *>(p));
  }
}

TensorBase::operator bool() const { return item<double>() != 0; }

} // namespace tensorjit
