#include "autograd/UserFunction.h"
#include "core/ThreadObject.h"

namespace tensorjit::autograd {

/// Of one thread.
struct SpareNodes {
#ifdef __SANITIZE_ADDRESS__
  static constexpr size_t most = 0; // a use after free is to be seen
#else
  static constexpr size_t most = 4096;
#endif
  std::vector<Node *> nodes;
  std::vector<Ref<Node>> toDrop; ///< held by nodes that have gone
  bool dropping = false;

  static SpareNodes &get() { return ThreadObject<SpareNodes, Node>::get(); }

  ~SpareNodes() {
    for (Node *node : nodes) destroy(node);
  }
  static void destroy(Node *node) {
    node->~Node();
    ::operator delete(node);
  }

  /// A training loop that keeps its loss alive builds chains of any length; freeing them must not recurse.
  void dropAll() {
    if (dropping) return;
    dropping = true;
    while (!toDrop.empty()) {
      const Ref<Node> next = std::move(toDrop.back());
      toDrop.pop_back();
    }
    dropping = false;
  }
};

Ref<Node> Node::make() {
  std::vector<Node *> &spare = SpareNodes::get().nodes;
  Node *node = spare.empty() ? new Node : spare.back();
  if (!spare.empty()) spare.pop_back();
  node->retainFirst();
  return Ref<Node>::adopt(node);
}

void Node::operator delete(Node *node, std::destroying_delete_t) {
  SpareNodes &spare = SpareNodes::get();
  for (Edge &e : node->edges)
    if (e.node) spare.toDrop.push_back(std::move(e.node));
  node->clear();
  if (spare.nodes.size() < SpareNodes::most) spare.nodes.push_back(node);
  else SpareNodes::destroy(node);
  spare.dropAll();
}

void Node::clear() {
  edges.clear();
  saved.clear();
  operandTypes.clear();
  resultTypes.clear();
  op = {};
  origin = nullptr;
  user = nullptr;
  savedResults.clear();
  hooks.clear();
  freed = false;
}

} // namespace tensorjit::autograd
