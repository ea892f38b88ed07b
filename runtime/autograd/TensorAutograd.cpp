#include "autograd/Engine.h"
#include "core/Dispatch.h"
#include "core/TensorAccess.h"
#include "tensorjit/autograd.h"
#include "trace/Recorder.h"

namespace tensorjit {

bool GradMode::is_enabled() { return trace::modeWord & trace::GradEnabled; }
void GradMode::set_enabled(bool on) {
  trace::modeWord = on ? trace::modeWord | trace::GradEnabled : trace::modeWord & ~uint32_t(trace::GradEnabled);
}

static autograd::Meta &meta(const TensorBase &t) {
  checkDefined(t, "requires_grad");
  auto &m = t.impl()->autograd;
  if (!m) m = makeRef<autograd::Meta>();
  return *m;
}

bool TensorBase::requires_grad() const {
  checkDefined(*this, "requires_grad");
  return impl_->autograd && autograd::flows(*impl_);
}

Tensor &Tensor::requires_grad_(bool r) {
  checkDefined(*this, "requires_grad_");
  if (!r && !impl_->autograd) return *this;
  if (r && !isFloat(dtype()))
    throw grad_error(std::string("requires_grad_: only floats have gradients, got ") + name(dtype()));
  if (!is_leaf()) {
    if (r) return *this;
    throw grad_error("requires_grad_: a result of recorded ops cannot be cut off the tape; use detach()");
  }
  autograd::Meta &m = meta(*this);
  m.requiresGrad = r;
  if (r) autograd::gradientOf(m); // `grad()` refers to it from now on
  return *this;
}

bool TensorBase::is_leaf() const {
  checkDefined(*this, "is_leaf");
  return !impl_->autograd || impl_->autograd->requiresGrad || !autograd::edgeOf(*this);
}

const Tensor &Tensor::grad() const {
  static const Tensor none;
  return impl_ && impl_->autograd && impl_->autograd->grad ? *impl_->autograd->grad : none;
}

Tensor &Tensor::mutable_grad() { return autograd::gradientOf(meta(*this)); }

void autograd::DeleteTensor::operator()(Tensor *t) const { delete t; }

Tensor &autograd::gradientOf(Meta &leaf) {
  if (!leaf.grad) leaf.grad.reset(new Tensor);
  return *leaf.grad;
}

void Tensor::backward(const Tensor &gradient, bool retainGraph, bool createGraph, SourceLocation loc) const {
  autograd::runBackward({this, 1}, {&gradient, gradient.defined() ? 1u : 0u}, retainGraph || createGraph, createGraph,
                        loc);
}

} // namespace tensorjit
