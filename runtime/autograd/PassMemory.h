#pragma once
#include "autograd/Node.h"
#include "core/PointerIndex.h"
#include "tensorjit/tensor.h"

#include <cstdint>
#include <vector>

namespace tensorjit::autograd {

/// What a backward pass needs memory for. A thread keeps it from pass to pass; a pass inside another (of a hook, of a
/// user-written function) has its own.
struct PassMemory {
  PointerIndex nodes, leafIndex;
  std::vector<uint32_t> firstGradient;              ///< of each node, into `gradients`
  std::vector<Tensor> gradients;                    ///< that have arrived, of the results of all nodes
  std::vector<Ref<Node>> queue;                     ///< a heap, the latest first
  std::vector<std::pair<Ref<Meta>, Tensor>> leaves; ///< in the order in which their first gradients arrived
  std::vector<Tensor> taken;                        ///< the gradients of the node whose step is in progress
  struct {
    std::vector<uint8_t> needs;
    std::vector<Tensor> result, saved;
  } step;

  void clear();
};

/// The thread's memory for the time of one pass.
class PassMemoryUse {
public:
  PassMemoryUse();
  ~PassMemoryUse();
  PassMemoryUse(const PassMemoryUse &) = delete;
  PassMemory &operator*() const { return *memory_; }

private:
  PassMemory *memory_;
};

} // namespace tensorjit::autograd
