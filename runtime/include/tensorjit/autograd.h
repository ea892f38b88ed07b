#pragma once
#include "tensorjit/tensor.h"

#include <vector>

namespace tensorjit {

/// Whether ops of this thread are put on the tape.
struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool on);
};

/// Sets grad mode for its scope.
class AutoGradMode {
public:
  explicit AutoGradMode(bool on) : before_(GradMode::is_enabled()) { GradMode::set_enabled(on); }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode &) = delete;

private:
  bool before_;
};

/// No tape in its scope; leaves that require grad may be updated in place.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Runs `body` without the tape and returns what it returns.
template <class F> auto no_grad(F &&body) {
  NoGradGuard guard;
  return body();
}

namespace autograd {

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
