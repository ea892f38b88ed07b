#include "autograd/Node.h"
#include "core/TensorAccess.h"
#include "tensorjit/tensor.h"

#include <algorithm>
#include <atomic>

namespace tensorjit {

using namespace autograd;

/// The hooks of whatever collects the gradient that `t` gets.
static std::vector<Hook> &hooksOf(const Tensor &t, const Edge &edge) {
  if (edge.leaf) return edge.leaf->hooks;
  if (edge.node) return edge.node->hooks;
  throw grad_error("register_hook: a tensor of sizes " + t.sizes().str() + " does not require grad");
}

size_t Tensor::register_hook(std::function<Tensor(const Tensor &)> hook) const {
  checkDefined(*this, "register_hook");
  static std::atomic<size_t> counter{0};
  const Edge edge = edgeOf(*this);
  std::vector<Hook> &hooks = hooksOf(*this, edge);
  hooks.push_back({counter.fetch_add(1, std::memory_order_relaxed), edge.index, std::move(hook)});
  return hooks.back().number;
}

void Tensor::remove_hook(size_t number) const {
  checkDefined(*this, "remove_hook");
  const Edge edge = edgeOf(*this);
  std::erase_if(hooksOf(*this, edge), [&](const Hook &h) { return h.number == number; });
}

} // namespace tensorjit
