#pragma once
#include "autograd/Node.h"
#include "tensorjit/autograd.h"

namespace tensorjit::autograd {

/// A user-written function on the tape.
struct UserFunction {
  std::shared_ptr<AutogradContext> context;
  FunctionCall::Backward backward;
};

/// The gradients of the arguments of a user-written function. Throws `grad_error` and `shape_error` for those that its
/// backward got wrong.
std::vector<Tensor> runUserFunction(Node &node, std::span<const Tensor> grads);

} // namespace tensorjit::autograd
