#pragma once
/// Everything a compiled function has recorded so far: a tree of ops in which each path is one way its calls have gone.
///
/// Nodes never change once they are linked in, so matching reads the tree without locks; growing it takes the mutex.
/// Values are numbered along a path, from 0 again after each break: the tensors of outside that a node is the first to
/// use ("leaves") in operand order, then the node's results.
#include "core/MemoryOrder.h"
#include "graph/Graph.h"
#include "tensorjit/tensor.h"
#include "trace/FixedList.h"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tensorjit::trace {

struct CompiledSegment;

constexpr ValueId noValue = ~ValueId(0);

/// What the path requires of a tensor from outside.
struct LeafSpec {
  DType dtype{};
  Device device;
  bool requiresGrad = false;
  bool window = false; ///< a dense view that enters as it lies, not as its base and a view expression
  MemoryOrder order;   ///< how it lies in memory
  Shape sizes;
  friend bool operator==(const LeafSpec &, const LeafSpec &) = default;
};

/// A result of a recorded op, with what its handle needs. Nodes share it where their results are alike.
struct ResultSpec {
  DType dtype{};
  Shape sizes, strides;
  size_t bytes = 0;
  Device device;
  uint64_t layout = 0;                      ///< its number; no other spec of the process ever has it
  bool operator<(const ResultSpec &) const; ///< the number apart
};

/// An op as the recorder meets it, to be compared with the tree.
struct OpKey {
  OpKey(uint8_t kind, OpId op, uint32_t mode, std::span<const ValueId> operands, std::span<const int64_t> attrs,
        std::span<const LeafSpec> newLeaves)
      : head(headOf(kind, op, mode)), counts(countsOf(operands.size(), attrs.size(), newLeaves.size())),
        operands(operands.data()), attrs(attrs.data()), newLeaves(newLeaves.data()) {}
  static uint64_t headOf(uint8_t kind, OpId op, uint32_t mode) {
    return uint64_t(mode) << 32 | uint64_t(static_cast<uint16_t>(op)) << 16 | kind;
  }
  static uint64_t countsOf(size_t operands, size_t attrs, size_t newLeaves) {
    return operands | attrs << 20 | newLeaves << 40;
  }
  uint64_t head;   ///< kind, op and mode
  uint64_t counts; ///< of operands, attribute words and new leaves, 20 bits each
  const ValueId *operands;
  const int64_t *attrs;
  const LeafSpec *newLeaves;

  size_t numOperands() const { return counts & 0xfffff; }
  size_t numAttrs() const { return counts >> 20 & 0xfffff; }
  size_t numNewLeaves() const { return counts >> 40; }
};

struct alignas(64) TraceNode {
  enum Kind : uint8_t {
    Root,
    Op,
    Scalar,   ///< a host number that is a constant of the path
    Argument, ///< a host number that is an input of the path
    Assign,   ///< operands[0], a leaf's storage, takes the value operands[1]
    Break,    ///< the path so far was run here; numbering starts again
  };

  bool matches(const OpKey &key) const {
    if (head != key.head || counts != key.counts) return false;
    for (size_t i = 0, n = key.numOperands(); i < n; ++i)
      if (operands[i] != key.operands[i]) return false;
    if (size_t n = key.numAttrs()) {
      const int64_t *own = attrWords.data();
      for (size_t i = 0; i < n; ++i)
        if (own[i] != key.attrs[i]) return false;
    }
    for (size_t i = 0, n = key.numNewLeaves(); i < n; ++i)
      if (!(newLeaves[i] == key.newLeaves[i])) return false;
    return true;
  }
  void setKey(const OpKey &key) {
    head = key.head;
    counts = key.counts;
    kind = static_cast<Kind>(head & 0xff);
    op = static_cast<OpId>(head >> 16 & 0xffff);
    operands.assign({key.operands, key.numOperands()});
    attrWords.assign(key.attrs, key.attrs + key.numAttrs());
    newLeaves.assign(key.newLeaves, key.newLeaves + key.numNewLeaves());
  }

  // All that an op that was expected needs is in the first cache line.
  uint64_t head = 0, counts = 0; ///< of the key
  std::atomic<TraceNode *> firstChild{nullptr};
  FixedList<ValueId, 3> operands;     ///< `noValue` for an operand that is absent
  const ResultSpec *result = nullptr; ///< of an op with one result
  Kind kind = Root;
  bool isView = false; ///< the op may make an alias
  OpId op{};
  bool belowVarying = false; ///< a host number on this path has varied from call to call
  bool checks = false;       ///< an op since the last break checks indices
  ValueId firstValue = 0;    ///< of the new leaves; the results follow them
  uint32_t depth = 0;        ///< ops since the root or the last break
  FixedList<const ResultSpec *, 1> results;
  std::atomic<TraceNode *> nextSibling{nullptr};
  std::vector<int64_t> attrWords;
  std::vector<LeafSpec> newLeaves;
  std::optional<Device> device; ///< of the ops since the root or the last break; host numbers have none
  const char *reason = nullptr; ///< of a break
  SourceLine where;
  TraceNode *parent = nullptr;
  /// What was compiled for the segment that ends here, latest first.
  mutable std::atomic<CompiledSegment *> segments{nullptr};

  Attrs attrs() const {
    Attrs a;
    for (int64_t word : attrWords) a.addInt(word);
    return a;
  }
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
  /// The tree's own spec of such a result. Call with the mutex held.
  const ResultSpec *share(const ResultSpec &spec);
  /// Makes `node` a child of `parent`, visible to all threads. Call with the mutex held.
  static void link(TraceNode *parent, TraceNode *node);
  size_t size() const { return nodes_.size(); }
  const std::deque<TraceNode> &nodes() const { return nodes_; }

private:
  std::mutex mutex_;
  std::deque<TraceNode> nodes_;
  std::set<ResultSpec> specs_;
  TraceNode *root_;
};

} // namespace tensorjit::trace
