#pragma once
#include "autograd/Meta.h"
#include "core/TensorImpl.h"
#include "op/OpInfo.h"
#include "tensorjit/tensor_base.h"

#include <memory>
#include <new>
#include <vector>

namespace tensorjit::trace {
class CompiledState;
}

namespace tensorjit::autograd {

/// A value kept for backward. It holds the buffer, so later in-place ops do not change it.
class SavedTensor {
public:
  SavedTensor() = default;
  /// `resultOf`: t is a result of the node that saves it, so its edge is made anew instead of kept (a cycle).
  SavedTensor(const TensorBase &t, bool isResult);
  /// The value as a tensor; with its edge where grad mode is on.
  TensorBase unpack(Node &owner, uint32_t resultIndex) const;

private:
  Ref<Storage> storage_;
  Ref<Buffer> buffer_;
  Shape sizes_, strides_;
  int64_t offset_ = 0;
  Ref<const ViewStep> view_;
  Edge edge_;
};

struct UserFunction; // autograd/UserFunction.h

/// One op on the tape. Nodes that go leave their memory, that of their lists too, to the thread's next ones: a train
/// step makes as many as the step before.
struct Node : RefCounted<Node> {
  uint64_t sequence = 0; ///< later ops have larger numbers: walking down is a topological order
  OpId op{};
  Attrs attrs;
  std::vector<Edge> edges; ///< one an operand
  std::vector<SavedTensor> saved;
  std::vector<TensorType> operandTypes, resultTypes;
  SourceLocation location;
  std::shared_ptr<trace::CompiledState> origin; ///< the compiled function that recorded the op
  std::unique_ptr<UserFunction> user;           ///< in place of `op`
  std::vector<uint32_t> savedResults; ///< of a user-written function: which result each saved value is, or UINT32_MAX
  std::vector<Hook> hooks;
  bool freed = false;

  static Ref<Node> make();
  static void operator delete(Node *node, std::destroying_delete_t);

private:
  friend struct SpareNodes;
  Node() = default;
  ~Node() = default;
  void clear();
};

/// Numbers ops in the order in which they are recorded.
uint64_t nextSequence();

/// Puts a call on the tape: results get this op as their producer.
void record(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
            const SourceLocation &loc);

} // namespace tensorjit::autograd
