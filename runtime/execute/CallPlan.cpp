#include "execute/CallPlan.h"
#include "execute/Program.h"

#include <algorithm>
#include <map>
#include <set>

namespace tensorjit {

namespace {

constexpr int64_t alignment = 64;
constexpr uint32_t never = ~0u;

int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Offsets in the arena, each block freed after its last use; first fit.
class Arena {
public:
  int64_t take(int64_t bytes) {
    bytes = std::max(aligned(bytes), alignment);
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      auto [offset, size] = *hole;
      if (size < bytes) continue;
      holes_.erase(hole);
      if (size > bytes) holes_[offset + bytes] = size - bytes;
      taken_[offset] = bytes;
      return offset;
    }
    int64_t offset = end_;
    end_ += bytes;
    taken_[offset] = bytes;
    return offset;
  }
  void give(int64_t offset) {
    auto block = taken_.extract(offset);
    int64_t size = block.mapped();
    auto next = holes_.lower_bound(offset);
    if (next != holes_.end() && next->first == offset + size) {
      size += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += size;
        return;
      }
    }
    holes_[offset] = size;
  }
  int64_t bytes() const { return end_; }

private:
  std::map<int64_t, int64_t> holes_, taken_; ///< offset -> bytes
  int64_t end_ = 0;
};

class CallPlanner {
public:
  explicit CallPlanner(const Graph &graph)
      : graph_(graph), place_(graph.types.size()), lastUse_(graph.types.size(), never) {
    for (uint32_t n = 0; n < graph.nodes.size(); ++n)
      for (ValueId v : graph.nodes[n].operands) lastUse_[v] = n;
    // An output stays to the end, where it is copied out.
    for (const GraphOutput &out : graph.outputs) lastUse_[out.value] = never;
  }

  Executable run() {
    exe_.name = graph_.name;
    exe_.lines = graph_.lines;
    exe_.device = graph_.device;
    for (uint32_t i = 0; i < graph_.numInputs; ++i) {
      exe_.inputs.push_back({graph_.types[i], {}, -1, i < graph_.hostInputs.size() && graph_.hostInputs[i]});
      place_[i] = {BufferRef::Input, i, 0};
    }
    placeOutputs();
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) addCall(n);
    copyOutputs();
    exe_.arenaBytes = arena_.bytes();
    return std::move(exe_);
  }

private:
  /// A value is computed right in its output's memory where that is not an input's: inputs may still be read, and
  /// state is written after the last check.
  void placeOutputs() {
    direct_.assign(graph_.types.size(), false);
    for (uint32_t o = 0; o < graph_.outputs.size(); ++o) {
      const GraphOutput &out = graph_.outputs[o];
      exe_.outputs.push_back({graph_.types[out.value], {}, out.updatesInput});
      if (out.updatesInput >= 0 || out.value < graph_.numInputs || direct_[out.value]) continue;
      place_[out.value] = {BufferRef::Output, o, 0};
      direct_[out.value] = true;
    }
  }

  void addCall(uint32_t n) {
    const GraphNode &node = graph_.nodes[n];
    const OpInfo &op = info(node.op);
    Step step;
    step.kind = Step::Call;
    step.op = node.op;
    step.attrs = node.attrs;
    step.lines = {node.line};
    for (ValueId v : node.operands) addBuffer(step, v);
    for (uint32_t r = 0; r < op.numResults; ++r) {
      ValueId v = node.firstResult + r;
      if (!direct_[v]) place_[v] = {BufferRef::Arena, 0, arena_.take(static_cast<int64_t>(byteSize(graph_.types[v])))};
      addBuffer(step, v);
    }
    if (op.checksIndex) {
      step.checks = true;
      step.check = static_cast<uint32_t>(exe_.checks.size());
      exe_.checks.push_back(indexCheckOf(graph_, node));
    }
    exe_.steps.push_back(std::move(step));
    for (ValueId v : node.operands) releaseAfter(v, n);
    for (uint32_t r = 0; r < op.numResults; ++r)
      if (lastUse_[node.firstResult + r] == never && !isOutput(node.firstResult + r)) release(node.firstResult + r);
  }

  void addBuffer(Step &step, ValueId v) {
    step.buffers.push_back(place_[v]);
    step.types.push_back(graph_.types[v]);
  }

  bool isOutput(ValueId v) const {
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                       [&](const GraphOutput &o) { return o.value == v; });
  }

  void releaseAfter(ValueId v, uint32_t node) {
    if (lastUse_[v] == node) release(v);
  }

  void release(ValueId v) {
    if (place_[v].kind != BufferRef::Arena || released_.contains(v)) return;
    released_.insert(v);
    arena_.give(place_[v].offset);
  }

  /// State is written here, after every check has passed. Two outputs may exchange inputs' values, so inputs that go
  /// to other outputs are copied aside first.
  void copyOutputs() {
    std::map<ValueId, BufferRef> aside;
    for (const GraphOutput &out : graph_.outputs)
      if (out.value < graph_.numInputs && !aside.contains(out.value)) {
        BufferRef copy{BufferRef::Arena, 0, arena_.take(static_cast<int64_t>(byteSize(graph_.types[out.value])))};
        addCopy(place_[out.value], copy, graph_.types[out.value]);
        aside[out.value] = copy;
      }
    for (uint32_t o = 0; o < graph_.outputs.size(); ++o) {
      ValueId v = graph_.outputs[o].value;
      BufferRef from = aside.contains(v) ? aside[v] : place_[v];
      BufferRef to{BufferRef::Output, o, 0};
      if (from.kind == BufferRef::Output && from.index == o) continue;
      addCopy(from, to, graph_.types[v]);
    }
  }

  void addCopy(BufferRef from, BufferRef to, const TensorType &type) {
    Step step;
    step.kind = Step::Copy;
    step.buffers = {from, to};
    step.types = {type, type};
    exe_.steps.push_back(std::move(step));
  }

  const Graph &graph_;
  Executable exe_;
  Arena arena_;
  std::vector<BufferRef> place_; ///< of each value
  std::vector<uint32_t> lastUse_;
  std::vector<bool> direct_; ///< computed in the memory of an output
  std::set<ValueId> released_;
};

} // namespace

IndexCheck indexCheckOf(const Graph &graph, const GraphNode &node) {
  const OpInfo &op = info(node.op);
  std::vector<TensorType> operands;
  for (ValueId v : node.operands) operands.push_back(graph.types[v]);
  return {op.name, op.indexCheck.name, indexBound(op, operands, node.attrs), node.line};
}

Executable planCalls(const Graph &graph) { return CallPlanner(graph).run(); }

} // namespace tensorjit
