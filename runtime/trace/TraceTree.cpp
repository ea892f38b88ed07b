#include "trace/TraceTree.h"
#include "trace/CompiledSegment.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tensorjit::trace {

namespace {

std::atomic<uint64_t> layouts{0};

template <class List> size_t heapBytes(const List &list, size_t inside) {
  return list.size() > inside ? list.size() * sizeof(*list.data()) : 0;
}

} // namespace

bool ResultSpec::operator<(const ResultSpec &o) const {
  if (std::tie(bytes, dtype) != std::tie(o.bytes, o.dtype)) return std::tie(bytes, dtype) < std::tie(o.bytes, o.dtype);
  if (device.code() != o.device.code()) return device.code() < o.device.code();
  if (sizes != o.sizes) return std::ranges::lexicographical_compare(sizes, o.sizes);
  return std::ranges::lexicographical_compare(strides, o.strides);
}

size_t TraceNode::bytes() const {
  return sizeof *this + heapBytes(operands, 3) + heapBytes(results, 1) + heapBytes(attrWords, 0) +
         heapBytes(newLeaves, 0);
}

TraceTree::TraceTree() : root_(new TraceNode) { bytes_ = root_->bytes(); }

const ResultSpec *TraceTree::share(const ResultSpec &spec) {
  auto [at, isNew] = specs_.try_emplace(spec, 0);
  ++at->second;
  // The number is no part of the order.
  if (isNew) const_cast<ResultSpec &>(at->first).layout = layouts.fetch_add(1, std::memory_order_relaxed) + 1;
  return &at->first;
}

void TraceTree::link(TraceNode *parent, std::unique_ptr<TraceNode> node) {
  bytes_.fetch_add(node->bytes(), std::memory_order_relaxed);
  node->lastUse.store(time_.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  node->parent = parent;
  std::atomic<TraceNode *> *end = &parent->firstChild;
  while (TraceNode *sibling = end->load(std::memory_order_relaxed)) end = &sibling->nextSibling;
  end->store(node.release(), std::memory_order_release);
}

const CompiledSegment &TraceTree::keep(const TraceNode &end, std::unique_ptr<CompiledSegment> segment) {
  std::lock_guard lock(mutex_);
  bytes_.fetch_add(segment->bytes(), std::memory_order_relaxed);
  segment->next = end.segments.load(std::memory_order_relaxed);
  end.segments.store(segment.get(), std::memory_order_release);
  return *segment.release();
}

/// The node that follows in a walk over `top` and all below it; null at the end.
const TraceNode *TraceTree::next(const TraceNode *node, const TraceNode *top) {
  if (const TraceNode *child = node->firstChild.load(std::memory_order_acquire)) return child;
  for (; node != top; node = node->parent)
    if (const TraceNode *sibling = node->nextSibling.load(std::memory_order_acquire)) return sibling;
  return nullptr;
}

} // namespace tensorjit::trace
