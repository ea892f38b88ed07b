#include "autograd/Meta.h"
#include "core/Dispatch.h"
#include "core/HalfBits.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "tensorjit/autograd.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

namespace tensorjit {

Tensor::Tensor(TensorImpl *impl) : impl_(impl) {
  if (impl_) impl_->retain();
}
Tensor::Tensor(const Tensor &o) : Tensor(o.impl_) {}

static const TensorImpl &checked(const TensorImpl *impl) {
  if (!impl) throw type_error("the tensor is undefined");
  return *impl;
}

const Shape &Tensor::sizes() const { return checked(impl_).sizes; }
DType Tensor::dtype() const { return checked(impl_).dtype(); }
int64_t Tensor::dim() const { return static_cast<int64_t>(sizes().rank()); }
int64_t Tensor::numel() const { return sizes().numel(); }
Device Tensor::device() const { return checked(impl_).device(); }
bool Tensor::is_contiguous() const { return checked(impl_).strides == impl_->sizes.denseStrides(); }

int64_t Tensor::size(int64_t d, SourceLocation loc) const {
  const int64_t rank = dim(), at = d < 0 ? d + rank : d;
  if (at < 0 || at >= rank)
    throw index_error("size: dim " + std::to_string(d) + " is out of range for sizes " + sizes().str() +
                      dispatch::at(loc));
  return sizes()[static_cast<size_t>(at)];
}

/// Memory that the caller may write: not shared with a saved value or another storage.
static char *writableData(const Tensor &t, SourceLocation loc) {
  if (!t.is_contiguous())
    throw Error("data_ptr: the tensor of sizes " + t.sizes().str() + " is not dense; call contiguous() first" +
                dispatch::at(loc));
  trace::materialise(t, "data_ptr", loc);
  makeWritable(*t.impl()->storage);
  return static_cast<char *>(viewOf(t).data);
}

void *Tensor::data_ptr(SourceLocation loc) const {
  checked(impl_);
  return writableData(*this, loc);
}

void *Tensor::checkedData(DType t, SourceLocation loc) const {
  if (dtype() != t)
    throw type_error(std::string("data_ptr: the tensor is ") + name(dtype()) + ", not " + name(t) + dispatch::at(loc));
  return writableData(*this, loc);
}

Scalar Tensor::itemScalar(SourceLocation loc) const {
  if (numel() != 1)
    throw value_error("item: the tensor of sizes " + sizes().str() + " has not one element" + dispatch::at(loc));
  trace::materialise(*this, "item", loc);
  const Tensor host = atLine(loc, [&] { return device::onHost(*this); });
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

Tensor::operator bool() const { return item<double>() != 0; }

Tensor Tensor::detach() const {
  const TensorImpl &t = checked(impl_);
  Tensor d = makeAlias(*this, t.sizes, t.strides, t.offset, t.view);
  d.impl_->viewSegment = t.viewSegment;
  d.impl_->viewValue = t.viewValue;
  d.impl_->viewVersion = t.viewVersion;
  return d;
}

void Tensor::set_data(const Tensor &t) {
  checked(impl_);
  const TensorImpl &from = checked(t.impl_);
  impl_->storage = from.storage;
  impl_->sizes = from.sizes;
  impl_->strides = from.strides;
  impl_->offset = from.offset;
  impl_->view = from.view;
  impl_->viewValue = from.viewValue;
  impl_->viewVersion = from.viewVersion;
}

Tensor &Tensor::detach_() {
  checked(impl_);
  impl_->autograd = nullptr;
  return *this;
}

Tensor Tensor::clone(SourceLocation loc) const {
  checked(impl_);
  dispatch::CallScope scope(loc);
  return dispatch::copyOf(*this, scope.location());
}

Tensor Tensor::contiguous(SourceLocation loc) const { return is_contiguous() ? *this : clone(loc); }

Tensor Tensor::to(DType t, SourceLocation loc) const {
  checked(impl_);
  dispatch::CallScope scope(loc);
  return dispatch::castTo(*this, t, scope.location());
}

Tensor Tensor::to(Device device, bool nonBlocking, SourceLocation loc) const {
  if (checked(impl_).device() == device) return *this;
  const dispatch::CallScope scope(loc);
  return atLine(scope.location(), [&] {
    trace::materialise(*this, "copy to another device", scope.location());
    autograd::FunctionCall call;
    call.add(*this);
    call.prepare();
    autograd::variable_list result{device::copyTo(*this, device, nonBlocking)};
    call.record(
        result,
        [from = this->device()](autograd::AutogradContext *, autograd::variable_list grads) {
          return autograd::variable_list{grads[0].to(from)};
        },
        scope.location());
    return result[0];
  });
}

Tensor Tensor::to(Device device, DType dtype, bool nonBlocking, SourceLocation loc) const {
  return to(device, nonBlocking, loc).to(dtype, loc);
}

Tensor &Tensor::copy_(const Tensor &source, SourceLocation loc) {
  dispatch::CallScope scope(loc);
  dispatch::requireDefined(scope, "copy_", "the target", *this);
  dispatch::requireDefined(scope, "copy_", "the source", source);
  Tensor value = dispatch::castTo(source.to(device(), false, scope.location()), dtype(), scope.location());
  if (value.sizes() != sizes()) value = value.broadcast_to(sizes(), loc);
  dispatch::assign(*this, value, loc);
  return *this;
}

Tensor &Tensor::fill_(Scalar value, SourceLocation loc) {
  dispatch::CallScope scope(loc);
  dispatch::requireDefined(scope, "fill_", "the target", *this);
  dispatch::assign(*this, full(sizes(), value, TensorOptions(dtype()).device(device()), loc), loc);
  return *this;
}

Tensor &Tensor::zero_(SourceLocation loc) { return fill_(0, loc); }

} // namespace tensorjit
