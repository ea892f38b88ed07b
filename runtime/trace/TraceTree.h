#pragma once
/// Everything a compiled function has recorded so far: a tree of ops in which each path is one way its calls have gone.
///
/// Nodes never change once they are linked in, so matching reads the tree without locks; growing it takes the mutex.
/// Values are numbered along a path, from 0 again after each break: the tensors of outside that a node is the first to
/// use ("leaves") in operand order, then the node's results.
#include "graph/Graph.h"
#include "tensorjit/tensor.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tensorjit::trace {

struct CompiledSegment;

constexpr ValueId noValue = ~ValueId(0);

/// What the path requires of a tensor from outside.
struct LeafSpec {
  DType dtype{};
  bool requiresGrad = false;
  bool window = false; ///< a dense view that enters as it lies, not as its base and a view expression
  Shape sizes;
  friend bool operator==(const LeafSpec &, const LeafSpec &) = default;
};

/// A result of a recorded op, with what its handle needs.
struct ResultSpec {
  DType dtype{};
  Shape sizes, strides;
  size_t bytes = 0;
};

/// An op as the recorder meets it, to be compared with the tree.
struct OpKey {
  OpId op{};
  uint32_t mode = 0;
  std::span<const ValueId> operands;
  std::span<const int64_t> attrs;
  std::span<const LeafSpec> newLeaves;
  bool varies = false; ///< of a host number: it was not an argument from the start
};

struct TraceNode {
  enum Kind : uint8_t {
    Root,
    Op,
    Scalar,   ///< a host number that is a constant of the path
    Argument, ///< a host number that is an input of the path
    Assign,   ///< operands[0], a leaf's storage, takes the value operands[1]
    Break,    ///< the path so far was run here; numbering starts again
  };

  bool matches(Kind k, const OpKey &key) const {
    return kind == k && op == key.op && mode == key.mode && equal(operands, key.operands) &&
           equal(attrs.words(), key.attrs) && newLeaves.size() == key.newLeaves.size() &&
           (newLeaves.empty() || std::equal(newLeaves.begin(), newLeaves.end(), key.newLeaves.begin()));
  }
  template <class A, class B> static bool equal(const A &a, const B &b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

  Kind kind = Root;
  OpId op{};
  uint32_t mode = 0;
  std::vector<ValueId> operands; ///< `noValue` for an operand that is absent
  Attrs attrs;
  std::vector<LeafSpec> newLeaves;
  std::vector<ResultSpec> results;
  ValueId firstValue = 0; ///< of the new leaves; the results follow them
  uint32_t depth = 0;     ///< ops since the root or the last break
  bool belowVarying = false; ///< a host number on this path has varied from call to call
  bool checks = false;        ///< an op since the last break checks indices
  const char *reason = nullptr; ///< of a break
  SourceLine where;
  TraceNode *parent = nullptr;
  std::atomic<TraceNode *> firstChild{nullptr}, nextSibling{nullptr};
  /// What was compiled for the segment that ends here, latest first.
  mutable std::atomic<CompiledSegment *> segments{nullptr};

  ValueId firstResult() const { return firstValue + static_cast<ValueId>(newLeaves.size()); }
  bool startsSegment() const { return kind == Root || kind == Break; }
};

class TraceTree {
public:
  TraceTree();
  ~TraceTree();
  TraceNode *root() { return root_; }
  std::mutex &mutex() { return mutex_; }

  /// A node not linked in yet; owned by the tree. Call with the mutex held.
  TraceNode &newNode();
  /// Makes `node` a child of `parent`, visible to all threads. Call with the mutex held.
  static void link(TraceNode *parent, TraceNode *node);
  size_t size() const { return nodes_.size(); }
  const std::deque<TraceNode> &nodes() const { return nodes_; }

private:
  std::mutex mutex_;
  std::deque<TraceNode> nodes_;
  TraceNode *root_;
};

} // namespace tensorjit::trace
