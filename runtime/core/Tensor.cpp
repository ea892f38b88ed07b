#include "tensorjit/tensor.h"
#include "autograd/Meta.h"
#include "core/Dispatch.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "tensorjit/autograd.h"
#include "tensorjit/creation.h"
#include "trace/Recorder.h"

namespace tensorjit {

Tensor Tensor::detach() const {
  checked(*this);
  return detached(*this);
}

void Tensor::set_data(const Tensor &t) {
  checked(*this);
  const TensorImpl &from = checked(t);
  impl_->storage = from.storage;
  impl_->sizes = from.sizes;
  impl_->strides = from.strides;
  impl_->offset = from.offset;
  impl_->view = from.view;
  impl_->viewValue = from.viewValue;
  impl_->viewVersion = from.viewVersion;
}

Tensor &Tensor::detach_() {
  checked(*this);
  impl_->autograd = nullptr;
  return *this;
}

Tensor Tensor::clone(SourceLocation loc) const {
  checked(*this);
  dispatch::CallScope scope(loc);
  return dispatch::copyOf(*this, scope.location());
}

Tensor Tensor::contiguous(SourceLocation loc) const { return is_contiguous() ? *this : clone(loc); }

Tensor Tensor::to(DType t, SourceLocation loc) const {
  checked(*this);
  dispatch::CallScope scope(loc);
  return dispatch::castTo(*this, t, scope.location());
}

Tensor Tensor::to(Device device, bool nonBlocking, SourceLocation loc) const {
  if (checked(*this).device() == device) return *this;
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

TensorBase dispatch::moveTo(const TensorBase &x, Device device, const SourceLocation &loc) {
  return Tensor(x).to(device, false, loc);
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
