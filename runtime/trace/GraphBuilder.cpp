#include "trace/GraphBuilder.h"
#include "op/OpInfo.h"

#include <algorithm>
#include <map>

namespace tensorjit::trace {

namespace {

class GraphBuilder {
public:
  GraphBuilder(const TraceNode &end, std::span<const SegmentOutput> outputs) : outputs_(outputs) {
    for (const TraceNode *n = &end; !n->startsSegment(); n = n->parent) path_.push_back(n);
    std::reverse(path_.begin(), path_.end());
    size_t numValues = path_.empty() ? 0 : path_.back()->firstResult() + path_.back()->results.size();
    needed_.assign(numValues, false);
    renamed_.assign(numValues, noValue);
  }

  Graph run(const std::string &name, std::vector<ValueId> &inputs) {
    graph_.name = name;
    if (!path_.empty()) graph_.device = path_.back()->device.value_or(Device()).type();
    findNeeded();
    addInputs(inputs);
    for (const TraceNode *n : path_) addNode(*n);
    for (const SegmentOutput &out : outputs_)
      graph_.outputs.push_back(
          {renamed_[out.value], out.leaf == noValue ? -1 : static_cast<int32_t>(renamed_[out.leaf])});
    return std::move(graph_);
  }

private:
  void findNeeded() {
    for (const SegmentOutput &out : outputs_) {
      needed_[out.value] = true;
      if (out.leaf != noValue) needed_[out.leaf] = true;
    }
    for (auto n = path_.rbegin(); n != path_.rend(); ++n)
      if ((*n)->kind == TraceNode::Op && isNeeded(**n))
        for (ValueId v : (*n)->operands)
          if (v != noValue) needed_[v] = true;
  }

  bool isNeeded(const TraceNode &n) const {
    if (n.kind == TraceNode::Op && info(n.op).checksIndex) return true;
    for (size_t r = 0; r < n.results.size(); ++r)
      if (needed_[n.firstResult() + r]) return true;
    return false;
  }

  void addInputs(std::vector<ValueId> &inputs) {
    auto add = [&](ValueId v, const TensorType &type, MemoryOrder order, bool onHost) {
      if (!needed_[v]) return;
      graph_.hostInputs.push_back(onHost && graph_.device != DeviceType::CPU);
      graph_.inputOrders.push_back(order);
      renamed_[v] = static_cast<ValueId>(graph_.types.size());
      graph_.types.push_back(type);
      inputs.push_back(v);
    };
    for (const TraceNode *n : path_) {
      for (size_t i = 0; i < n->newLeaves.size(); ++i)
        add(n->firstValue + static_cast<ValueId>(i), {n->newLeaves[i].dtype, n->newLeaves[i].sizes},
            n->newLeaves[i].order, n->newLeaves[i].device.is_cpu());
      if (n->kind == TraceNode::Argument) add(n->firstResult(), {n->result->dtype, n->result->sizes}, {}, true);
    }
    graph_.numInputs = static_cast<uint32_t>(graph_.types.size());
  }

  void addNode(const TraceNode &n) {
    if ((n.kind != TraceNode::Op && n.kind != TraceNode::Scalar) || !isNeeded(n)) return;
    GraphNode node{n.op, {}, n.attrs(), static_cast<ValueId>(graph_.types.size()), lineIndex(*n.where)};
    for (ValueId v : n.operands)
      if (v != noValue) node.operands.push_back(renamed_[v]);
    for (size_t r = 0; r < n.results.size(); ++r) {
      renamed_[n.firstResult() + r] = static_cast<ValueId>(graph_.types.size());
      graph_.types.push_back({n.results[r]->dtype, n.results[r]->sizes});
    }
    graph_.nodes.push_back(std::move(node));
  }

  uint32_t lineIndex(const SourceLine &line) {
    auto [at, isNew] = lines_.try_emplace({line.file, line.line}, static_cast<uint32_t>(graph_.lines.size()));
    if (isNew) graph_.lines.push_back(line);
    return at->second;
  }

  std::span<const SegmentOutput> outputs_;
  std::vector<const TraceNode *> path_;
  std::vector<bool> needed_;
  std::vector<ValueId> renamed_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> lines_;
  Graph graph_;
};

} // namespace

Graph buildGraph(const TraceNode &end, std::span<const SegmentOutput> outputs, const std::string &name,
                 std::vector<ValueId> &inputs) {
  return GraphBuilder(end, outputs).run(name, inputs);
}

} // namespace tensorjit::trace
