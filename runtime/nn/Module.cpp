#include "tensorjit/nn/module.h"
#include "tensorjit/autograd.h"

namespace tensorjit::nn {

void Module::checkName(const std::string &name) const {
  if (name.empty() || name.find('.') != name.npos)
    throw value_error("a parameter, buffer or module cannot be named '" + name + "'");
  if (parameters_.contains(name) || buffers_.contains(name) || children_.contains(name))
    throw value_error("the module has a member named '" + name + "' already");
}

Tensor Module::register_parameter(std::string name, Tensor value, bool requires_grad) {
  checkName(name);
  if (value.defined()) value.requires_grad_(requires_grad);
  parameters_.insert(std::move(name), value);
  return value;
}

Tensor Module::register_buffer(std::string name, Tensor value) {
  checkName(name);
  buffers_.insert(std::move(name), value);
  return value;
}

void Module::addChild(std::string name, std::shared_ptr<Module> child) {
  checkName(name);
  if (!child) throw value_error("register_module: '" + name + "' is empty");
  children_.insert(std::move(name), std::move(child));
}

template <class Visit> void Module::visit(const std::string &prefix, bool recurse, Visit visitor) const {
  visitor(*this, prefix);
  if (!recurse) return;
  for (const auto &[name, child] : children_) child->visit(prefix + name + ".", true, visitor);
}

OrderedDict<Tensor> Module::named_parameters(bool recurse) const {
  OrderedDict<Tensor> all;
  visit("", recurse, [&](const Module &m, const std::string &prefix) {
    for (const auto &[name, value] : m.parameters_)
      if (value.defined()) all.insert(prefix + name, value);
  });
  return all;
}

OrderedDict<Tensor> Module::named_buffers(bool recurse) const {
  OrderedDict<Tensor> all;
  visit("", recurse, [&](const Module &m, const std::string &prefix) {
    for (const auto &[name, value] : m.buffers_)
      if (value.defined()) all.insert(prefix + name, value);
  });
  return all;
}

static std::vector<Tensor> valuesOf(const OrderedDict<Tensor> &named) {
  std::vector<Tensor> values;
  for (const auto &[name, value] : named) values.push_back(value);
  return values;
}

std::vector<Tensor> Module::parameters(bool recurse) const { return valuesOf(named_parameters(recurse)); }
std::vector<Tensor> Module::buffers(bool recurse) const { return valuesOf(named_buffers(recurse)); }

std::vector<std::shared_ptr<Module>> Module::children() const {
  std::vector<std::shared_ptr<Module>> all;
  for (const auto &[name, child] : children_) all.push_back(child);
  return all;
}

void Module::train(bool on) {
  training_ = on;
  for (auto &[name, child] : children_) child->train(on);
}

void Module::zero_grad(bool setToNone) {
  for (Tensor &p : parameters()) {
    if (!p.grad().defined()) continue;
    if (setToNone) p.mutable_grad() = {};
    else no_grad([&] { p.mutable_grad().detach_().zero_(); });
  }
}

void Module::to(DType dtype) {
  NoGradGuard guard;
  auto cast = [&](OrderedDict<Tensor> &dict) {
    for (auto &[name, value] : dict)
      if (value.defined() && isFloat(value.dtype())) value.set_data(value.to(dtype));
  };
  cast(parameters_);
  cast(buffers_);
  for (auto &[name, child] : children_) child->to(dtype);
}

void Module::to(Device device) {
  NoGradGuard guard;
  auto move = [&](OrderedDict<Tensor> &dict) {
    for (auto &[name, value] : dict) {
      if (!value.defined()) continue;
      value.set_data(value.to(device));
      if (value.grad().defined()) value.mutable_grad() = value.grad().to(device);
    }
  };
  move(parameters_);
  move(buffers_);
  for (auto &[name, child] : children_) child->to(device);
}

} // namespace tensorjit::nn
