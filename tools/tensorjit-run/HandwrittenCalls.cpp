#include "CallTable.h"
#include "tensorjit/creation.h"
#include "tensorjit/nn/clip_grad.h"
#include "tensorjit/nn/functional.h"
#include "tensorjit/ops.h"
#include "tensorjit/optim.h"
#include "tensorjit/random.h"

namespace tensorjit::run {
namespace {

using Optional = std::optional<int64_t>;

TensorOptions options(CallArgs &a) {
  auto dtype = a.optional<DType>("dtype");
  return dtype ? TensorOptions(*dtype) : TensorOptions();
}

/// Sets the global generator to where the case begins.
void seed(CallArgs &a) {
  default_generator().set_seed(static_cast<uint64_t>(a.get<int64_t>("seed")));
  default_generator().set_offset(static_cast<uint64_t>(a.get<int64_t>("offset")));
}

/// An amount along each dim of space; torch writes an empty list for one that is left out.
template <class Sizes> std::optional<Sizes> optionalSizes(CallArgs &a, const char *name) {
  if (a.isEmptyList(name)) return std::nullopt;
  return a.optional<Sizes>(name);
}
template <class Sizes> Sizes sizesOr(CallArgs &a, const char *name, Sizes fallback) {
  return optionalSizes<Sizes>(a, name).value_or(fallback);
}

/// `withPositions` gives the values too.
template <class Sizes, class Values, class Both>
std::vector<Tensor> maxPool(CallArgs &a, Values values, Both withPositions) {
  Tensor x = a.tensor();
  auto kernel = a.get<Sizes>("kernel_size");
  auto stride = optionalSizes<Sizes>(a, "stride");
  auto padding = a.get<Sizes>("padding", Sizes(0)), dilation = a.get<Sizes>("dilation", Sizes(1));
  bool ceil = a.get<bool>("ceil_mode", false);
  if (a.get<bool>("return_indices", false)) return flat(withPositions(x, kernel, stride, padding, dilation, ceil));
  return flat(values(x, kernel, stride, padding, dilation, ceil));
}

template <class Sizes, class Pool> std::vector<Tensor> avgPool(CallArgs &a, Pool pool) {
  Tensor x = a.tensor();
  auto kernel = a.get<Sizes>("kernel_size");
  auto stride = optionalSizes<Sizes>(a, "stride");
  auto padding = a.get<Sizes>("padding", Sizes(0));
  bool ceil = a.get<bool>("ceil_mode", false), includesPad = a.get<bool>("count_include_pad", true);
  return flat(pool(x, kernel, stride, padding, ceil, includesPad, a.optional<int64_t>("divisor_override")));
}

template <class Pool> std::vector<Tensor> adaptivePool(CallArgs &a, Pool pool) {
  Tensor x = a.tensor();
  const nn::AdaptiveSizes sizes(a.optionalInts("output_size"));
  return flat(pool(x, nn::AdaptivePoolOptions(sizes)));
}

template <class Sizes, class Cells, class Named> std::vector<Tensor> conv(CallArgs &a, Cells cells, Named named) {
  Tensor x = a.tensor(), w = a.tensor(), b = a.optionalTensor().value_or(Tensor());
  auto stride = a.get<Sizes>("stride", Sizes(1)), dilation = a.get<Sizes>("dilation", Sizes(1));
  auto groups = a.get<int64_t>("groups", 1);
  if (a.isString("padding"))
    return flat(named(x, w, b, stride, PaddingMode(a.get<std::string>("padding")), dilation, groups));
  return flat(cells(x, w, b, stride, a.get<Sizes>("padding", Sizes(0)), dilation, groups));
}

template <class Sizes, class Function> std::vector<Tensor> convTranspose(CallArgs &a, Function function) {
  Tensor x = a.tensor(), w = a.tensor(), b = a.optionalTensor().value_or(Tensor());
  auto of = [&](const char *name, int64_t fallback) { return a.get<Sizes>(name, Sizes(fallback)); };
  const Sizes stride = of("stride", 1), padding = of("padding", 0), outputPadding = of("output_padding", 0);
  const auto groups = a.get<int64_t>("groups", 1);
  return flat(function(x, w, b, stride, padding, outputPadding, groups, of("dilation", 1)));
}

std::vector<Tensor> interpolateCase(CallArgs &a) {
  Tensor x = a.tensor();
  nn::functional::InterpolateFuncOptions o;
  o.mode(a.get<std::string>("mode", "nearest")).align_corners(a.get<bool>("align_corners", false));
  if (auto size = a.optional<Shape>("size")) o.size(*size);
  if (auto factor = a.optional<std::vector<double>>("scale_factor")) o.scale_factor(*factor);
  return flat(nn::functional::interpolate(x, o));
}

/// Statistics of its own are all that is built.
std::vector<Tensor> instanceNorm(CallArgs &a) {
  Tensor x = a.tensor();
  auto optional = [&] { return a.optionalTensor().value_or(Tensor()); };
  const Tensor mean = optional(), var = optional(), weight = optional(), bias = optional();
  if (mean.defined() || var.defined()) throw not_supported("instance_norm: running statistics");
  return flat(instance_norm(x, weight, bias, a.get<double>("eps", 1e-5)));
}

/// In training: y, and the new running statistics where there are old ones.
std::vector<Tensor> batchNorm(CallArgs &a) {
  Tensor x = a.tensor();
  auto optional = [&] { return a.optionalTensor().value_or(Tensor()); };
  const Tensor mean = optional(), var = optional(), weight = optional(), bias = optional();
  const double eps = a.get<double>("eps", 1e-5), momentum = a.get<double>("momentum", 0.1);
  if (!a.get<bool>("training", false)) return flat(batch_norm(x, mean, var, weight, bias, eps));
  auto [y, batchMean, batchVar] = batch_norm_train(x, weight, bias, eps);
  std::vector<Tensor> results{y};
  const double n = static_cast<double>(x.numel() / x.size(1));
  if (mean.defined()) results.push_back(mean * (1 - momentum) + batchMean.detach() * momentum);
  if (var.defined()) results.push_back(var * (1 - momentum) + batchVar.detach() * (momentum * n / (n - 1)));
  return results;
}

optim::SGDOptions sgdOptions(CallArgs &a) {
  auto options = optim::SGDOptions(a.get<double>("lr"));
  options.momentum(a.get<double>("momentum", 0)).dampening(a.get<double>("dampening", 0));
  return options.weight_decay(a.get<double>("weight_decay", 0)).nesterov(a.get<bool>("nesterov", false));
}

template <class AdamOptions> AdamOptions adamOptions(CallArgs &a) {
  AdamOptions options;
  options.lr(a.get<double>("lr", options.lr())).eps(a.get<double>("eps", options.eps()));
  options.weight_decay(a.get<double>("weight_decay", options.weight_decay()));
  if (auto betas = a.optional<std::vector<double>>("betas")) options.betas({betas->at(0), betas->at(1)});
  return options;
}

optim::RMSpropOptions rmspropOptions(CallArgs &a) {
  optim::RMSpropOptions options;
  options.lr(a.get<double>("lr", options.lr())).alpha(a.get<double>("alpha", options.alpha()));
  options.eps(a.get<double>("eps", options.eps())).weight_decay(a.get<double>("weight_decay", 0));
  return options.momentum(a.get<double>("momentum", 0));
}

/// Parameters, then a list of gradients for each step.
template <class Optimizer, class Options> std::vector<Tensor> optimize(CallArgs &a, Options readOptions) {
  auto params = a.tensors();
  auto steps = a.listsOfTensors();
  Optimizer optimizer(params, readOptions(a));
  for (auto &gradients : steps) {
    for (size_t i = 0; i < params.size(); ++i) params[i].mutable_grad() = gradients[i];
    optimizer.step();
  }
  return params;
}

std::vector<Tensor> withGradients(const std::vector<Tensor> &gradients) {
  std::vector<Tensor> params;
  for (const Tensor &g : gradients) {
    params.push_back(zeros_like(g));
    params.back().mutable_grad() = g;
  }
  return params;
}
std::vector<Tensor> gradientsOf(const std::vector<Tensor> &params) {
  std::vector<Tensor> gradients;
  for (const Tensor &p : params) gradients.push_back(p.grad());
  return gradients;
}

/// Gradients; the norm, then the scaled gradients.
std::vector<Tensor> clipGradNorm(CallArgs &a) {
  const std::vector<Tensor> params = withGradients(a.tensors());
  std::vector<Tensor> results{nn::utils::clip_grad_norm_(params, a.get<double>("max_norm"))};
  for (const Tensor &g : gradientsOf(params)) results.push_back(g);
  return results;
}

} // namespace

std::span<const NamedCall> handwrittenCalls() {
  static const NamedCall calls[] = {
      {"to", [](CallArgs &a) { return flat(a.tensor().to(a.get<DType>("dtype"))); }},
      {"view", [](CallArgs &a) { return flat(view(a.tensor(), a.get<Shape>("size"))); }},
      {"flatten",
       [](CallArgs &a) {
         return flat(flatten(a.tensor(), a.get<int64_t>("start_dim", 0), a.get<int64_t>("end_dim", -1)));
       }},
      {"unsqueeze", [](CallArgs &a) { return flat(unsqueeze(a.tensor(), a.get<int64_t>("dim"))); }},
      {"squeeze",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         auto dims = a.optional<Shape>("dim");
         if (dims && dims->rank() != 1) return flat(squeeze(x, *dims));
         return flat(squeeze(x, dims ? Optional((*dims)[0]) : std::nullopt));
       }},
      {"transpose",
       [](CallArgs &a) { return flat(transpose(a.tensor(), a.get<int64_t>("dim0"), a.get<int64_t>("dim1"))); }},
      {"t", [](CallArgs &a) { return flat(t(a.tensor())); }},
      {"expand", [](CallArgs &a) { return flat(expand(a.tensor(), a.get<Shape>("size"))); }},
      {"narrow",
       [](CallArgs &a) {
         return flat(narrow(a.tensor(), a.get<int64_t>("dim"), a.get<int64_t>("start"), a.get<int64_t>("length")));
       }},
      {"select", [](CallArgs &a) { return flat(select(a.tensor(), a.get<int64_t>("dim"), a.get<int64_t>("index"))); }},
      {"slice",
       [](CallArgs &a) {
         return flat(slice(a.tensor(), a.get<int64_t>("dim", 0), a.optional<int64_t>("start"),
                           a.optional<int64_t>("end"), a.get<int64_t>("step", 1)));
       }},
      {"slice_scatter",
       [](CallArgs &a) {
         Tensor x = a.tensor(), v = a.tensor();
         return flat(slice_scatter(x, v, a.get<int64_t>("dim", 0), a.optional<int64_t>("start"),
                                   a.optional<int64_t>("end"), a.get<int64_t>("step", 1)));
       }},
      {"split",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         const auto sizes = a.get<Shape>("split_size");
         const auto dim = a.get<int64_t>("dim", 0);
         return sizes.rank() == 1 ? split(x, sizes[0], dim) : split(x, sizes, dim);
       }},
      {"chunk", [](CallArgs &a) { return chunk(a.tensor(), a.get<int64_t>("chunks"), a.get<int64_t>("dim", 0)); }},

      {"add",
       [](CallArgs &a) {
         Operand x = a.operand("a"), y = a.operand("b");
         auto alpha = a.optional<Scalar>("alpha");
         return flat(alpha ? add(x, y, *alpha) : add(x, y));
       }},
      {"sub",
       [](CallArgs &a) {
         Operand x = a.operand("a"), y = a.operand("b");
         auto alpha = a.optional<Scalar>("alpha");
         return flat(alpha ? sub(x, y, *alpha) : sub(x, y));
       }},
      {"clamp",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         auto min = a.optionalOperand(), max = a.optionalOperand();
         if (min && max) return flat(clamp(x, *min, *max));
         return flat(min ? clamp(x, *min, std::nullopt) : clamp(x, std::nullopt, max.value()));
       }},
      {"matmul",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(matmul(x, a.tensor()));
       }},
      {"mm",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(mm(x, a.tensor()));
       }},
      {"bmm",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(bmm(x, a.tensor()));
       }},
      {"div",
       [](CallArgs &a) {
         Operand x = a.operand("a"), y = a.operand("b");
         auto rounding = a.optional<std::string>("rounding_mode");
         return flat(rounding ? div(x, y, *rounding) : div(x, y));
       }},
      {"gelu",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(gelu(x, a.get<std::string>("approximate", "none")));
       }},
      {"nan_to_num",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(
             nan_to_num(x, a.get<double>("nan", 0), a.optional<double>("posinf"), a.optional<double>("neginf")));
       }},
      {"max",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         auto dim = a.optional<int64_t>("dim");
         return dim ? flat(max(x, *dim, a.get<bool>("keepdim", false))) : flat(max(x));
       }},
      {"min",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         auto dim = a.optional<int64_t>("dim");
         return dim ? flat(min(x, *dim, a.get<bool>("keepdim", false))) : flat(min(x));
       }},
      {"aminmax",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(aminmax(x, a.optional<int64_t>("dim"), a.get<bool>("keepdim", false)));
       }},
      {"median",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         auto dim = a.optional<int64_t>("dim");
         return dim ? flat(median(x, *dim, a.get<bool>("keepdim", false))) : flat(median(x));
       }},
      {"cat", [](CallArgs &a) { return flat(cat(a.tensors(), a.get<int64_t>("dim", 0))); }},
      {"stack", [](CallArgs &a) { return flat(stack(a.tensors(), a.get<int64_t>("dim", 0))); }},
      {"hstack", [](CallArgs &a) { return flat(hstack(a.tensors())); }},
      {"vstack", [](CallArgs &a) { return flat(vstack(a.tensors())); }},
      {"pad",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         const auto mode = a.get<std::string>("mode", "constant");
         return flat(pad(x, a.get<Shape>("pad"), mode.c_str(), a.get<Scalar>("value", 0)));
       }},
      {"trace", [](CallArgs &a) { return flat(a.tensor().trace()); }},
      {"meshgrid", [](CallArgs &a) { return meshgrid(a.tensors(), a.get<std::string>("indexing", "ij")); }},
      {"index",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         return flat(index(x, a.tensors(), a.get<int64_t>("dim", 0)));
       }},
      {"index_put",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         const auto indices = a.tensors();
         Operand value = a.operand("value");
         return flat(index_put(x, indices, value, a.get<bool>("accumulate", false), a.get<int64_t>("dim", 0)));
       }},
      {"index_put_",
       [](CallArgs &a) {
         Tensor x = a.tensor();
         const auto indices = a.tensors();
         Operand value = a.operand("value");
         return flat(x.index_put_(indices, value, a.get<bool>("accumulate", false), a.get<int64_t>("dim", 0)));
       }},
      {"scatter_reduce",
       [](CallArgs &a) {
         Tensor x = a.tensor(), index = a.tensor(), src = a.tensor();
         return flat(scatter_reduce(x, a.get<int64_t>("dim"), index, src, a.get<std::string>("reduce"),
                                    a.get<bool>("include_self", true)));
       }},
      {"take_along_dim",
       [](CallArgs &a) {
         Tensor x = a.tensor(), index = a.tensor();
         return flat(take_along_dim(x, index, a.optional<int64_t>("dim")));
       }},
      {"one_hot", [](CallArgs &a) { return flat(one_hot(a.tensor(), a.get<int64_t>("num_classes"))); }},
      {"embedding",
       [](CallArgs &a) {
         Tensor index = a.tensor(), weight = a.tensor();
         return flat(embedding(weight, index, a.get<int64_t>("padding_idx", -1)));
       }},
      {"nll_loss",
       [](CallArgs &a) {
         Tensor x = a.tensor(), target = a.tensor(), weight = a.optionalTensor().value_or(Tensor());
         return flat(nll_loss(x, target, weight, a.get<Reduction>("reduction", Reduction::Mean),
                              a.get<int64_t>("ignore_index", -100)));
       }},
      {"cross_entropy",
       [](CallArgs &a) {
         Tensor x = a.tensor(), target = a.tensor(), weight = a.optionalTensor().value_or(Tensor());
         return flat(cross_entropy(x, target, weight, a.get<Reduction>("reduction", Reduction::Mean),
                                   a.get<int64_t>("ignore_index", -100), a.get<double>("label_smoothing", 0)));
       }},
      {"batch_norm", batchNorm},
      {"scaled_dot_product_attention",
       [](CallArgs &a) {
         Tensor q = a.tensor(), k = a.tensor(), v = a.tensor(), mask = a.optionalTensor().value_or(Tensor());
         return flat(scaled_dot_product_attention(q, k, v, mask, a.get<double>("dropout_p", 0),
                                                  a.get<bool>("is_causal", false), a.get<int64_t>("causal_offset", 0), a.optional<double>("scale")));
       }},
      {"max_pool1d",
       [](CallArgs &a) {
         return maxPool<int64_t>(
             a, [](auto &&...all) { return max_pool1d(all...); },
             [](auto &&...all) { return max_pool1d_with_indices(all...); });
       }},
      {"avg_pool1d",
       [](CallArgs &a) {
         return avgPool<int64_t>(a, [](auto &x, auto &k, auto &s, auto &p, bool ceil, bool pad, std::optional<int64_t> divisor) {
           if (divisor) throw not_supported("avg_pool1d: divisor_override");
           return avg_pool1d(x, k, s, p, ceil, pad);
         });
       }},
      {"adaptive_avg_pool1d",
       [](CallArgs &a) {
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_avg_pool1d(x, o); });
       }},
      {"adaptive_max_pool1d",
       [](CallArgs &a) {
         if (a.get<bool>("return_indices", false))
           return flat(adaptive_max_pool1d_with_indices(a.tensor(), a.get<Shape>("output_size")));
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_max_pool1d(x, o); });
       }},
      {"conv1d",
       [](CallArgs &a) {
         auto call = [](auto &&...all) { return conv1d(all...); };
         return conv<int64_t>(a, call, call);
       }},
      {"conv_transpose1d",
       [](CallArgs &a) { return convTranspose<int64_t>(a, [](auto &&...all) { return conv_transpose1d(all...); }); }},
      {"max_pool2d",
       [](CallArgs &a) {
         return maxPool<IntPair>(
             a, [](auto &&...all) { return max_pool2d(all...); },
             [](auto &&...all) { return max_pool2d_with_indices(all...); });
       }},
      {"avg_pool2d",
       [](CallArgs &a) {
         return avgPool<IntPair>(a, [](auto &x, auto &k, auto &s, auto &p, bool ceil, bool pad, std::optional<int64_t> divisor) {
           
           return avg_pool2d(x, k, s, p, ceil, pad, divisor);
         });
       }},
      {"adaptive_avg_pool2d",
       [](CallArgs &a) {
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_avg_pool2d(x, o); });
       }},
      {"adaptive_max_pool2d",
       [](CallArgs &a) {
         if (a.get<bool>("return_indices", false))
           return flat(adaptive_max_pool2d_with_indices(a.tensor(), a.get<Shape>("output_size")));
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_max_pool2d(x, o); });
       }},
      {"conv2d",
       [](CallArgs &a) {
         auto call = [](auto &&...all) { return conv2d(all...); };
         return conv<IntPair>(a, call, call);
       }},
      {"conv_transpose2d",
       [](CallArgs &a) { return convTranspose<IntPair>(a, [](auto &&...all) { return conv_transpose2d(all...); }); }},
      {"max_pool3d",
       [](CallArgs &a) {
         return maxPool<Dims>(
             a, [](auto &&...all) { return max_pool3d(all...); },
             [](auto &&...all) { return max_pool3d_with_indices(all...); });
       }},
      {"avg_pool3d",
       [](CallArgs &a) {
         return avgPool<Dims>(a, [](auto &x, auto &k, auto &s, auto &p, bool ceil, bool pad, std::optional<int64_t> divisor) {
           
           return avg_pool3d(x, k, s, p, ceil, pad, divisor);
         });
       }},
      {"adaptive_avg_pool3d",
       [](CallArgs &a) {
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_avg_pool3d(x, o); });
       }},
      {"adaptive_max_pool3d",
       [](CallArgs &a) {
         if (a.get<bool>("return_indices", false))
           return flat(adaptive_max_pool3d_with_indices(a.tensor(), a.get<Shape>("output_size")));
         return adaptivePool(a, [](auto &x, const auto &o) { return nn::functional::adaptive_max_pool3d(x, o); });
       }},
      {"conv3d",
       [](CallArgs &a) {
         auto call = [](auto &&...all) { return conv3d(all...); };
         return conv<Dims>(a, call, call);
       }},
      {"conv_transpose3d",
       [](CallArgs &a) { return convTranspose<Dims>(a, [](auto &&...all) { return conv_transpose3d(all...); }); }},
      {"einsum", [](CallArgs &a) { return flat(einsum(a.get<std::string>("equation"), a.tensors())); }},
      {"interpolate", interpolateCase},
      {"instance_norm", instanceNorm},
      {"SGD", [](CallArgs &a) { return optimize<optim::SGD>(a, sgdOptions); }},
      {"Adam", [](CallArgs &a) { return optimize<optim::Adam>(a, adamOptions<optim::AdamOptions>); }},
      {"AdamW", [](CallArgs &a) { return optimize<optim::AdamW>(a, adamOptions<optim::AdamWOptions>); }},
      {"RMSprop", [](CallArgs &a) { return optimize<optim::RMSprop>(a, rmspropOptions); }},
      {"clip_grad_norm_", clipGradNorm},
      {"clip_grad_value_",
       [](CallArgs &a) {
         const std::vector<Tensor> params = withGradients(a.tensors());
         nn::utils::clip_grad_value_(params, a.get<double>("clip_value"));
         return gradientsOf(params);
       }},

      {"zeros", [](CallArgs &a) { return flat(zeros(a.get<Shape>("size"), options(a))); }},
      {"eye",
       [](CallArgs &a) {
         const auto n = a.get<int64_t>("n");
         return flat(eye(n, a.get<int64_t>("m", n), options(a)));
       }},
      {"ones", [](CallArgs &a) { return flat(ones(a.get<Shape>("size"), options(a))); }},
      {"empty", [](CallArgs &a) { return flat(empty(a.get<Shape>("size"), options(a))); }},
      {"full", [](CallArgs &a) { return flat(full(a.get<Shape>("size"), a.get<Scalar>("fill_value"), options(a))); }},
      {"zeros_like", [](CallArgs &a) { return flat(zeros_like(a.tensor())); }},
      {"ones_like", [](CallArgs &a) { return flat(ones_like(a.tensor())); }},
      {"empty_like", [](CallArgs &a) { return flat(empty_like(a.tensor())); }},
      {"full_like", [](CallArgs &a) { return flat(full_like(a.tensor(), a.get<Scalar>("fill_value"))); }},
      {"arange",
       [](CallArgs &a) {
         return flat(arange(a.get<Scalar>("start", 0), a.get<Scalar>("end"), a.get<Scalar>("step", 1), options(a)));
       }},
      {"linspace",
       [](CallArgs &a) {
         return flat(linspace(a.get<Scalar>("start"), a.get<Scalar>("end"), a.get<int64_t>("steps"), options(a)));
       }},
      {"rand",
       [](CallArgs &a) {
         seed(a);
         return flat(rand(a.get<Shape>("size"), options(a)));
       }},
      {"randn",
       [](CallArgs &a) {
         seed(a);
         return flat(randn(a.get<Shape>("size"), options(a)));
       }},
      {"randint",
       [](CallArgs &a) {
         seed(a);
         return flat(randint(a.get<int64_t>("low"), a.get<int64_t>("high"), a.get<Shape>("size")));
       }},
      {"random_bits",
       [](CallArgs &a) {
         seed(a);
         return flat(random_bits(a.get<Shape>("size"), options(a)));
       }},
      {"randperm",
       [](CallArgs &a) {
         seed(a);
         return flat(randperm(a.get<int64_t>("n")));
       }},
      {"bernoulli",
       [](CallArgs &a) {
         seed(a);
         return flat(empty(a.get<Shape>("size"), options(a)).bernoulli_(a.get<double>("p")));
       }},
      {"uniform",
       [](CallArgs &a) {
         seed(a);
         const double from = a.get<double>("from", 0), to = a.get<double>("to", 1);
         return flat(empty(a.get<Shape>("size"), options(a)).uniform_(from, to));
       }},
      {"dropout",
       [](CallArgs &a) {
         seed(a);
         const auto how = nn::functional::DropoutFuncOptions().p(a.get<double>("p")).training(a.get<bool>("train"));
         return flat(nn::functional::dropout(a.tensor(), how));
       }},
  };
  return calls;
}

} // namespace tensorjit::run
