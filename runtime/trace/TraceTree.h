#pragma once
/// Everything a compiled function has recorded so far: a tree of ops in which each path is one way its calls have gone.
///
/// Nodes never change once they are linked in, so matching reads the tree without locks; growing it takes the mutex. A
/// tree that is larger than its limit drops the paths that have not been used for longest, with their code. What is
/// dropped is freed when all calls have ended that were in progress then (TreeMemory.cpp).
/// Values are numbered along a path, from 0 again after each break: the tensors of outside that a node is the first to
/// use ("leaves") in operand order, then the node's results.
#include "core/MemoryOrder.h"
#include "graph/Graph.h"
#include "tensorjit/tensor_base.h"
#include "trace/FixedList.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
  const SourceLine *where = nullptr;  ///< in the user's program; null for the root. It outlasts the node
  Kind kind = Root;
  bool isView = false; ///< the op may make an alias
  OpId op{};
  bool belowVarying = false; ///< a host number on this path has varied from call to call
  bool checks = false;       ///< an op since the last break checks indices
  ValueId firstValue = 0;    ///< of the new leaves; the results follow them
  uint32_t depth = 0;        ///< ops since the root or the last break
  FixedList<const ResultSpec *, 1> results;
  std::vector<int64_t> attrWords;
  std::atomic<TraceNode *> nextSibling{nullptr};
  std::vector<LeafSpec> newLeaves;
  std::optional<Device> device; ///< of the ops since the root or the last break; host numbers have none
  const char *reason = nullptr; ///< of a break
  TraceNode *parent = nullptr;
  /// What was compiled for the segment that ends here, latest first.
  mutable std::atomic<CompiledSegment *> segments{nullptr};
  mutable std::atomic<uint64_t> lastUse{0}; ///< of the segment that ends here: `TraceTree`'s time

  Attrs attrs() const {
    Attrs a;
    for (int64_t word : attrWords) a.addInt(word);
    return a;
  }
  ValueId firstResult() const { return firstValue + static_cast<ValueId>(newLeaves.size()); }
  size_t bytes() const; ///< of the node itself, what was compiled apart
  bool startsSegment() const { return kind == Root || kind == Break; }
};

class TraceTree {
public:
  TraceTree();
  ~TraceTree();
  TraceTree(const TraceTree &) = delete;
  TraceNode *root() { return root_; }
  std::mutex &mutex() { return mutex_; }

  /// A call reads the tree from `enter` on, until it gives what that returned to `leave`.
  int enter() {
    const int side = side_.load(std::memory_order_relaxed);
    entered_[side].fetch_add(1, std::memory_order_acq_rel);
    return side;
  }
  void leave(int side) {
    left_[side].fetch_add(1, std::memory_order_release);
    if (anythingDropped_.load(std::memory_order_relaxed)) freeDropped();
  }
  int64_t calls() const { return entered_[0] + entered_[1]; }

  /// A call has come to the end of this segment.
  void noteUse(const TraceNode &end) const {
    const uint64_t now = time_.load(std::memory_order_relaxed);
    if (end.lastUse.load(std::memory_order_relaxed) != now) end.lastUse.store(now, std::memory_order_relaxed);
  }

  // With the mutex held.
  /// The tree's own spec of such a result.
  const ResultSpec *share(const ResultSpec &spec);
  /// Makes `node` a child of `parent`, visible to all threads, and the tree its owner.
  void link(TraceNode *parent, std::unique_ptr<TraceNode> node);
  /// Drops what the limit asks for, but nothing that a call which is at `cursor` has passed. False where the tree still
  /// is too large, or the memory of what calls in progress keep from being freed.
  bool makeRoom(const TraceNode &cursor);
  /// Calls `f` with each node, parents first.
  template <class F> void forEach(F f) const {
    for (const TraceNode *node = root_; node; node = next(node, root_)) f(*node);
  }

  /// Remembers what was compiled for the segment that ends here. Takes the mutex.
  const CompiledSegment &keep(const TraceNode &end, std::unique_ptr<CompiledSegment> segment);

  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void setLimit(size_t bytes) { limit_ = bytes; }

private:
  /// What no call that starts now can find any more.
  struct Dropped {
    TraceNode *nodes;          ///< with all below it, or null
    CompiledSegment *segments; ///< a list, or null
    size_t bytes;
    bool isUnread[2] = {false, false}; ///< no call of this side has seen it
  };

  static const TraceNode *next(const TraceNode *node, const TraceNode *top);
  bool isQuiet(int side);
  size_t liveBytes() const { return bytes() - droppedBytes_; }
  void drop(TraceNode &end, const TraceNode &cursor);
  void freeDropped();
  void forget(const TraceNode &node);
  void release(const Dropped &what);

  std::mutex mutex_;
  TraceNode *const root_;
  std::map<ResultSpec, uint32_t> specs_; ///< with how many results have it
  std::vector<Dropped> dropped_;
  std::atomic<size_t> bytes_{0}; ///< dropped or not
  size_t droppedBytes_ = 0;
  size_t limit_ = size_t(64) << 20;
  // What every call touches.
  alignas(64) std::atomic<int64_t> entered_[2] = {0, 0};
  std::atomic<int64_t> left_[2] = {0, 0};
  std::atomic<uint64_t> time_{1}; ///< counts what has been linked in
  std::atomic<int> side_{0};      ///< that calls which start now are counted on
  std::atomic<bool> anythingDropped_{false};
};

} // namespace tensorjit::trace
