#include "trace/TraceTree.h"
#include "trace/CompiledSegment.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tensorjit::trace {

TraceTree::TraceTree() : root_(&nodes_.emplace_back()) {}

TraceTree::~TraceTree() {
  for (const TraceNode &node : nodes_) {
    CompiledSegment *segment = node.segments.load(std::memory_order_relaxed);
    while (segment) delete std::exchange(segment, segment->next);
  }
}

TraceNode &TraceTree::newNode() { return nodes_.emplace_back(); }

bool ResultSpec::operator<(const ResultSpec &o) const {
  if (std::tie(bytes, dtype) != std::tie(o.bytes, o.dtype)) return std::tie(bytes, dtype) < std::tie(o.bytes, o.dtype);
  if (device.code() != o.device.code()) return device.code() < o.device.code();
  if (sizes != o.sizes) return std::ranges::lexicographical_compare(sizes, o.sizes);
  return std::ranges::lexicographical_compare(strides, o.strides);
}

const ResultSpec *TraceTree::share(const ResultSpec &spec) {
  static std::atomic<uint64_t> layouts{0};
  if (auto known = specs_.find(spec); known != specs_.end()) return &*known;
  ResultSpec own = spec;
  own.layout = layouts.fetch_add(1, std::memory_order_relaxed) + 1;
  return &*specs_.insert(own).first;
}

void TraceTree::link(TraceNode *parent, TraceNode *node) {
  node->parent = parent;
  std::atomic<TraceNode *> *end = &parent->firstChild;
  while (TraceNode *sibling = end->load(std::memory_order_relaxed)) end = &sibling->nextSibling;
  end->store(node, std::memory_order_release);
}

} // namespace tensorjit::trace
