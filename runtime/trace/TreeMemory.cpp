/// A tree's memory: which paths are dropped where it has grown too large, and when they are freed.
///
/// Calls read the tree without locks. What is dropped is unlinked first, so that no call which starts afterwards finds
/// it, and freed once all earlier calls have ended. They are counted on two sides, of which one takes those that start:
/// the other runs empty, they change places, and where each has been seen empty the earlier calls are over.
#include "trace/CompiledSegment.h"
#include "trace/TraceTree.h"

#include <algorithm>
#include <utility>

namespace tensorjit::trace {

namespace {

bool hasChildren(const TraceNode &node) { return node.firstChild.load(std::memory_order_relaxed); }
bool hasSegments(const TraceNode &node) { return node.segments.load(std::memory_order_relaxed); }

bool isOnlyChild(const TraceNode &node) {
  return node.parent->firstChild.load(std::memory_order_relaxed) == &node &&
         !node.nextSibling.load(std::memory_order_relaxed);
}

void unlink(TraceNode &node) {
  std::atomic<TraceNode *> *at = &node.parent->firstChild;
  while (at->load(std::memory_order_relaxed) != &node) at = &at->load(std::memory_order_relaxed)->nextSibling;
  // A call that stands on the node goes on from it to its siblings.
  at->store(node.nextSibling.load(std::memory_order_relaxed), std::memory_order_release);
}

size_t bytesOf(const CompiledSegment *list) {
  size_t bytes = 0;
  for (; list; list = list->next) bytes += list->bytes();
  return bytes;
}

void destroy(CompiledSegment *list) {
  while (list) delete std::exchange(list, list->next);
}

} // namespace

TraceTree::~TraceTree() {
  for (const Dropped &what : dropped_) release(what);
  release({root_, nullptr, 0});
}

bool TraceTree::makeRoom(const TraceNode &cursor) {
  if (liveBytes() <= limit_) return true;
  std::vector<TraceNode *> ends;
  forEach([&](const TraceNode &node) {
    if (&node != root_ && &node != &cursor && (hasSegments(node) || !hasChildren(node)))
      ends.push_back(const_cast<TraceNode *>(&node));
  });
  std::ranges::stable_sort(ends, {}, [](const TraceNode *end) { return end->lastUse.load(std::memory_order_relaxed); });
  // To well below the limit, since the walk takes its time.
  for (TraceNode *end : ends) {
    if (liveBytes() <= limit_ / 4 * 3) break;
    drop(*end, cursor);
  }
  return liveBytes() <= limit_;
}

/// The executables of the segment that ends here and, where no other path goes this way, the nodes that led to it.
void TraceTree::drop(TraceNode &end, const TraceNode &cursor) {
  if (hasChildren(end)) {
    CompiledSegment *segments = end.segments.exchange(nullptr, std::memory_order_relaxed);
    dropped_.push_back({nullptr, segments, bytesOf(segments)});
  } else {
    TraceNode *top = &end;
    while (isOnlyChild(*top) && top->parent != root_ && top->parent != &cursor && !hasSegments(*top->parent))
      top = top->parent;
    unlink(*top);
    size_t bytes = 0;
    for (const TraceNode *node = top; node; node = next(node, top))
      bytes += node->bytes() + bytesOf(node->segments.load(std::memory_order_relaxed));
    dropped_.push_back({top, nullptr, bytes});
  }
  droppedBytes_ += dropped_.back().bytes;
  anythingDropped_.store(true, std::memory_order_relaxed);
}

/// Whether no call that has been counted on this side is in progress. The count of those that have ended is read first.
/// Reading is writing here: a call that is counted later sees all that was unlinked before.
bool TraceTree::isQuiet(int side) {
  const int64_t left = left_[side].fetch_add(0, std::memory_order_acq_rel);
  return entered_[side].fetch_add(0, std::memory_order_acq_rel) == left;
}

void TraceTree::freeDropped() {
  std::vector<Dropped> unread;
  {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return; // another call's end does it
    bool waits[2] = {false, false};
    for (int side : {0, 1}) {
      const bool quiet = isQuiet(side);
      for (Dropped &what : dropped_) {
        what.isUnread[side] |= quiet;
        waits[side] |= !what.isUnread[side];
      }
    }
    auto kept = std::partition(dropped_.begin(), dropped_.end(),
                               [](const Dropped &what) { return !what.isUnread[0] || !what.isUnread[1]; });
    unread.assign(kept, dropped_.end());
    dropped_.erase(kept, dropped_.end());
    for (const Dropped &what : unread) {
      droppedBytes_ -= what.bytes;
      for (const TraceNode *node = what.nodes; node; node = next(node, what.nodes)) forget(*node);
    }
    const int side = side_.load(std::memory_order_relaxed);
    if (waits[side] && !waits[1 - side]) side_.store(1 - side, std::memory_order_relaxed);
    anythingDropped_.store(!dropped_.empty(), std::memory_order_relaxed);
  }
  for (const Dropped &what : unread) release(what);
}

/// A node that is about to be freed no longer has a share in the specs.
void TraceTree::forget(const TraceNode &node) {
  for (const ResultSpec *spec : node.results)
    if (auto at = specs_.find(*spec); --at->second == 0) specs_.erase(at);
}

void TraceTree::release(const Dropped &what) {
  size_t bytes = bytesOf(what.segments);
  destroy(what.segments);
  std::vector<const TraceNode *> nodes;
  for (const TraceNode *node = what.nodes; node; node = next(node, what.nodes)) nodes.push_back(node);
  for (const TraceNode *node : nodes) {
    CompiledSegment *segments = node->segments.load(std::memory_order_relaxed);
    bytes += node->bytes() + bytesOf(segments);
    destroy(segments);
    delete node;
  }
  bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

} // namespace tensorjit::trace
