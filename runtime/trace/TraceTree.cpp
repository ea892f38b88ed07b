#include "trace/TraceTree.h"
#include "trace/CompiledSegment.h"

namespace tensorjit::trace {

TraceTree::TraceTree() : root_(&nodes_.emplace_back()) {}

TraceTree::~TraceTree() {
  for (const TraceNode &node : nodes_) {
    CompiledSegment *segment = node.segments.load(std::memory_order_relaxed);
    while (segment) delete std::exchange(segment, segment->next);
  }
}

TraceNode &TraceTree::newNode() { return nodes_.emplace_back(); }

void TraceTree::link(TraceNode *parent, TraceNode *node) {
  node->parent = parent;
  std::atomic<TraceNode *> *end = &parent->firstChild;
  while (TraceNode *sibling = end->load(std::memory_order_relaxed)) end = &sibling->nextSibling;
  end->store(node, std::memory_order_release);
}

} // namespace tensorjit::trace
