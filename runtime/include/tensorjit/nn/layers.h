#pragma once
#include "tensorjit/nn/module.h"
#include "tensorjit/nn/options.h"

namespace tensorjit::nn {

/// y = x weight^T + bias. Both start uniform in [-1/sqrt(in), 1/sqrt(in)], as torch's do.
class LinearImpl : public Module {
public:
  LinearImpl(int64_t in_features, int64_t out_features) : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions &options);
  void reset_parameters();
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());

  LinearOptions options;
  Tensor weight, bias; ///< [out x in], [out]
};
TENSORJIT_MODULE(Linear);

/// Cross-correlation with a bank of windows; initialised as torch's.
class Conv2dImpl : public Module {
public:
  Conv2dImpl(int64_t in_channels, int64_t out_channels, IntPair kernel_size)
      : Conv2dImpl(Conv2dOptions(in_channels, out_channels, kernel_size)) {}
  explicit Conv2dImpl(const Conv2dOptions &options);
  void reset_parameters();
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());

  Conv2dOptions options;
  Tensor weight, bias; ///< [out x in/groups x kh x kw], [out]
};
TENSORJIT_MODULE(Conv2d);

class MaxPool2dImpl : public Module {
public:
  explicit MaxPool2dImpl(const MaxPool2dOptions &options) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  MaxPool2dOptions options;
};
TENSORJIT_MODULE(MaxPool2d);

class FlattenImpl : public Module {
public:
  explicit FlattenImpl(const FlattenOptions &options = {}) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  FlattenOptions options;
};
TENSORJIT_MODULE(Flatten);

class ReLUImpl : public Module {
public:
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
};
TENSORJIT_MODULE(ReLU);

class SigmoidImpl : public Module {
public:
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
};
TENSORJIT_MODULE(Sigmoid);

class TanhImpl : public Module {
public:
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
};
TENSORJIT_MODULE(Tanh);

class GELUImpl : public Module {
public:
  explicit GELUImpl(GELUOptions options = {}) : options(std::move(options)) {}
  GELUOptions options;
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
};
TENSORJIT_MODULE(GELU);

/// Active while the module is in training mode.
class DropoutImpl : public Module {
public:
  explicit DropoutImpl(const DropoutOptions &options = {}) : options(options) {}
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  DropoutOptions options;
};
TENSORJIT_MODULE(Dropout);

template <class T>
concept IsHolder = requires(T holder) {
  holder.ptr();
};

/// Modules that feed each other: `Sequential(Linear(4, 8), ReLU(), Linear(8, 1))`.
class SequentialImpl : public Module {
public:
  SequentialImpl() = default;
  template <class... Holders>
  requires(sizeof...(Holders) > 0 && (IsHolder<Holders> && ...)) explicit SequentialImpl(Holders... modules) {
    (push_back(std::move(modules)), ...);
  }
  template <class Holder> void push_back(Holder module) {
    push_back(std::to_string(stages_.size()), std::move(module));
  }
  template <class Holder> void push_back(std::string name, Holder module) {
    using Impl = typename Holder::ContainedType;
    register_module(std::move(name), module);
    stages_.push_back({module.ptr(), [](Module &m, const Tensor &x, SourceLocation loc) {
                         return static_cast<Impl &>(m).forward(x, loc);
                       }});
  }
  size_t size() const { return stages_.size(); }
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());

private:
  struct Stage {
    std::shared_ptr<Module> module;
    Tensor (*forward)(Module &, const Tensor &, SourceLocation);
  };
  std::vector<Stage> stages_;
};
TENSORJIT_MODULE(Sequential);

} // namespace tensorjit::nn
