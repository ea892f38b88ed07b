#pragma once
#include "tensorjit/nn/convolution.h"
#include "tensorjit/nn/module.h"
#include "tensorjit/nn/options.h"
#include "tensorjit/nn/pooling.h"

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

/// Rows of a table by position. The rows start normal; the row padding_idx starts at 0 and gets no gradient. Throws
/// `value_error` for a padding_idx that is no row; `forward` throws `index_error` for a position that is none.
class EmbeddingImpl : public Module {
public:
  EmbeddingImpl(int64_t num_embeddings, int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  explicit EmbeddingImpl(const EmbeddingOptions &options);
  void reset_parameters();
  /// i64 or i32 positions of any sizes; the width of a row is a new last dim.
  Tensor forward(const Tensor &index, SourceLocation loc = SourceLocation::current());

  EmbeddingOptions options;
  Tensor weight; ///< [num_embeddings x embedding_dim]
};
TENSORJIT_MODULE(Embedding);

/// Normalises each channel of each image over space, with options.affine() then scales and shifts each channel.
class InstanceNormImpl : public Module {
public:
  explicit InstanceNormImpl(const InstanceNormOptions &options);
  Tensor forward(const Tensor &x, SourceLocation loc = SourceLocation::current());
  InstanceNormOptions options;
  Tensor weight, bias; ///< [channels], undefined without affine()
};
TENSORJIT_MODULE(InstanceNorm);
using InstanceNorm1d = InstanceNorm;
using InstanceNorm2d = InstanceNorm;
using InstanceNorm3d = InstanceNorm;

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
