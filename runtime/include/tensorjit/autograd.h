#pragma once
#include "tensorjit/grad_mode.h"
#include "tensorjit/tensor.h"

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tensorjit {

namespace autograd {

struct Node;

/// What the forward of a user-written function leaves for its backward.
class AutogradContext {
public:
  /// Values that backward reads; later in-place updates do not change them.
  void save_for_backward(std::vector<Tensor> values) { toSave_ = std::move(values); }
  /// The saved values, in backward; with create_graph, derivatives flow through them.
  const std::vector<Tensor> &get_saved_variables() const { return saved_; }
  /// Whatever else backward needs, by name.
  std::map<std::string, std::any> saved_data;
  /// Whether the tensor argument `i` (counted among all arguments) takes part in differentiation.
  bool needs_input_grad(size_t i) const { return i < needsInputGrad_.size() && needsInputGrad_[i]; }

private:
  friend struct FunctionCall;
  friend std::vector<Tensor> runUserFunction(Node &node, std::span<const Tensor> grads);
  std::vector<Tensor> toSave_, saved_;
  std::vector<bool> needsInputGrad_;
};

using variable_list = std::vector<Tensor>;

/// One call of a user-written function; see `Function`.
struct FunctionCall {
  using Backward = std::function<variable_list(AutogradContext *, variable_list)>;

  std::shared_ptr<AutogradContext> context = std::make_shared<AutogradContext>();
  std::vector<Tensor> arguments; ///< one an argument, undefined for those that are no tensors

  template <class T> void add(const T &argument) {
    if constexpr (std::is_convertible_v<const T &, Tensor>) arguments.push_back(argument);
    else arguments.emplace_back();
  }
  void prepare();
  /// Puts the call on the tape where an argument requires grad.
  void record(variable_list &outputs, Backward backward, const SourceLocation &loc);
};

/// A function with a derivative of its own, as torch spells it: `F` derives from `Function<F>` and has
///
///   static Tensor forward(AutogradContext *ctx, const Tensor &x, double factor);   // or variable_list
///   static variable_list backward(AutogradContext *ctx, variable_list grads);
///
/// and is called by `F::apply(x, factor)`. forward runs without the tape; backward gets a gradient for each result
/// (zeros where none arrived) and returns one for each argument, an undefined tensor for those that have none. Under
/// create_graph the ops of backward are recorded, so that it can be differentiated again. Throws `grad_error` in
/// backward where the number of gradients is not that of the arguments.
template <class F> struct Function {
  template <class... Args> static auto apply(Args &&...args) {
    FunctionCall call;
    (call.add(args), ...);
    call.prepare();
    auto run = [&] {
      NoGradGuard noGrad;
      return F::forward(call.context.get(), std::forward<Args>(args)...);
    };
    auto result = run();
    const auto loc = SourceLocation::current();
    if constexpr (std::is_same_v<decltype(result), Tensor>) {
      variable_list outputs{result};
      call.record(outputs, F::backward, loc);
      return std::move(outputs[0]);
    } else {
      call.record(result, F::backward, loc);
      return result;
    }
  }
};

/// Gradients of the sum of `outputs` (weighted by `grad_outputs` where given) with respect to `inputs`, which may be
/// leaves or results. Nothing is added to `.grad()`. Throws `grad_error` for an input that no output depends on, unless
/// `allow_unused`, which leaves it undefined. `retain_graph` defaults to `create_graph`.
std::vector<Tensor> grad(const std::vector<Tensor> &outputs, const std::vector<Tensor> &inputs,
                         const std::vector<Tensor> &grad_outputs = {}, std::optional<bool> retain_graph = {},
                         bool create_graph = false, bool allow_unused = false,
                         SourceLocation loc = SourceLocation::current());

/// `outputs[i].backward(grad_outputs[i])` for all outputs in one walk over the tape.
void backward(const std::vector<Tensor> &outputs, const std::vector<Tensor> &grad_outputs = {},
              std::optional<bool> retain_graph = {}, bool create_graph = false,
              SourceLocation loc = SourceLocation::current());

} // namespace autograd
} // namespace tensorjit
