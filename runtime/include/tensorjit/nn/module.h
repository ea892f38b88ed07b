#pragma once
#include "tensorjit/ordered_dict.h"
#include "tensorjit/tensor.h"

#include <memory>

namespace tensorjit::nn {

/// Base of everything that has parameters. A model derives from it, registers its parts in its constructor and has a
/// `forward` of its own.
class Module {
public:
  virtual ~Module() = default;

  /// Makes `value` a parameter of this module. Throws `value_error` for a name that is taken, empty or has a dot.
  Tensor register_parameter(std::string name, Tensor value, bool requires_grad = true);
  /// A tensor that belongs to the module's state but is not trained.
  Tensor register_buffer(std::string name, Tensor value);
  /// Makes `module` (a holder such as `Linear`, or a shared_ptr) a part of this module and returns it.
  template <class M> M register_module(std::string name, M module) {
    addChild(std::move(name), childOf(module));
    return module;
  }

  /// Own parameters, then those of the children in the order of registration. Undefined ones (no bias) are left out.
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::shared_ptr<Module>> named_children() const { return children_; }

  /// Parameters, then buffers, under their dotted names. The tensors share their memory with the module's.
  OrderedDict<Tensor> state_dict() const;
  /// Gives the module's parameters and buffers, which stay the tensors they are, the elements of `state`. Throws
  /// `value_error` listing every entry that is missing, unexpected or of other sizes or dtype; nothing has changed
  /// then.
  void load_state_dict(const OrderedDict<Tensor> &state, SourceLocation loc = SourceLocation::current());

  /// Training mode of this module and its children: dropout depends on it.
  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }

  /// Clears the gradients of all parameters; without `set_to_none` they become zeros.
  virtual void zero_grad(bool set_to_none = true);
  /// Casts every floating parameter and buffer.
  virtual void to(DType dtype);
  /// Moves every parameter and buffer, with the gradients that there are. Make optimizers afterwards.
  virtual void to(Device device);

private:
  template <class M> static std::shared_ptr<Module> childOf(const std::shared_ptr<M> &m) { return m; }
  template <class Holder> static std::shared_ptr<Module> childOf(const Holder &h) { return h.ptr(); }
  void addChild(std::string name, std::shared_ptr<Module> child);
  void checkName(const std::string &name) const;
  template <class Visit> void visit(const std::string &prefix, bool recurse, Visit visitor) const;

  OrderedDict<Tensor> parameters_, buffers_;
  OrderedDict<std::shared_ptr<Module>> children_;
  bool training_ = true;
};

/// A shared handle to a module: `conv->forward(x)` or `conv(x)`. `Holder{nullptr}` is empty.
template <class Impl> class ModuleHolder {
public:
  using ContainedType = Impl;
  ModuleHolder() requires std::is_default_constructible_v<Impl> : impl_(std::make_shared<Impl>()) {}
  ModuleHolder(std::nullptr_t) {}
  explicit ModuleHolder(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  template <class First, class... Rest>
  requires(!std::is_base_of_v<ModuleHolder, std::remove_cvref_t<First>> &&
           std::is_constructible_v<Impl, First, Rest...>) explicit ModuleHolder(First &&first, Rest &&...rest)
      : impl_(std::make_shared<Impl>(std::forward<First>(first), std::forward<Rest>(rest)...)) {}

  Impl *operator->() const { return get(); }
  Impl &operator*() const { return *get(); }
  /// Throws `value_error` where the holder is empty.
  Impl *get() const {
    if (!impl_) throw value_error("the module holder is empty: it was made from nullptr and nothing was assigned");
    return impl_.get();
  }
  const std::shared_ptr<Impl> &ptr() const { return impl_; }
  bool is_empty() const { return !impl_; }
  explicit operator bool() const { return impl_ != nullptr; }
  Tensor operator()(const Tensor &x, SourceLocation loc = SourceLocation::current()) const {
    return get()->forward(x, loc);
  }

protected:
  std::shared_ptr<Impl> impl_;
};

/// Declares `Name` as the holder of `NameImpl`. A module without required arguments is made by `Name()`.
#define TENSORJIT_MODULE(Name)                                                                                         \
  class Name : public ::tensorjit::nn::ModuleHolder<Name##Impl> {                                                      \
  public:                                                                                                              \
    using ModuleHolder::ModuleHolder;                                                                                  \
  }

} // namespace tensorjit::nn
