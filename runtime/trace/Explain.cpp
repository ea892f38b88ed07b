#include "core/NumberText.h"
#include "trace/CompiledState.h"
#include "trace/Lines.h"

#include <sstream>

namespace tensorjit::trace {

namespace {

std::string seconds(double s) { return numberText(s * 1e3, 3) + " ms"; }

size_t opsOfSegment(const TraceNode &end) {
  size_t n = 0;
  for (const TraceNode *at = &end; !at->startsSegment(); at = at->parent) n += at->kind == TraceNode::Op;
  return n;
}

const TraceNode &startOfSegment(const TraceNode &end) {
  const TraceNode *at = &end;
  while (!at->startsSegment()) at = at->parent;
  return *at;
}

void explainSegment(std::ostream &out, const TraceNode &end, const CompiledSegment &segment) {
  const Executable &exe = segment.program->executable();
  out << "  " << segment.name << ": " << opsOfSegment(end) << " ops";
  const TraceNode &start = startOfSegment(end);
  if (start.kind == TraceNode::Break) out << " after " << text(*start.where);
  out << ", " << exe.inputs.size() << " inputs, " << exe.outputs.size() << " outputs";
  size_t kernels = 0, calls = 0;
  for (const Step &step : exe.steps) {
    kernels += step.kind == Step::Launch;
    calls += step.kind == Step::Call;
  }
  if (!segment.compiled) {
    out << ", run by eager kernels: " << segment.failure << "\n";
    return;
  }
  out << ", " << kernels << " kernels, " << exe.arenaBytes << " bytes of temporary memory\n";
  for (const Step &step : exe.steps) {
    if (step.kind != Step::Call) continue;
    out << "    eager kernel " << info(step.op).name;
    for (uint32_t line : step.lines)
      if (line < exe.lines.size()) out << " (" << text(exe.lines[line]) << ")";
    out << ": " << step.refusal << "\n";
  }
  for (const std::string &note : segment.fusionNotes) out << "    fusion: " << note << "\n";
}

void explainTree(std::ostream &out, TraceTree &tree, const char *title) {
  std::lock_guard lock(tree.mutex());
  if (!tree.root()->firstChild.load(std::memory_order_acquire)) return;
  out << title << "\n";
  tree.forEach([&](const TraceNode &node) {
    if (node.kind == TraceNode::Break) out << "  graph break at " << text(*node.where) << ": " << node.reason << "\n";
  });
  tree.forEach([&](const TraceNode &node) {
    for (auto *s = node.segments.load(std::memory_order_acquire); s; s = s->next) explainSegment(out, node, *s);
  });
}

} // namespace

std::string CompiledState::explain() const {
  CompileStats s = stats();
  std::ostringstream out;
  out.imbue(std::locale::classic()); // not the program's
  out << options.name << ": " << s.calls << " calls, " << s.compiles << " compiles"
      << (s.cache_hits ? " and " + std::to_string(s.cache_hits) + " read from disk" : "") << " in "
      << seconds(s.compile_seconds) << ", " << s.graph_breaks << " graph breaks";
  if (s.eager_segments) out << ", " << s.eager_segments << " runs by eager kernels";
  out << "\n";
  for (const auto &[stage, t] : s.stage_seconds) out << "  " << stage << " " << seconds(t) << "\n";
  explainTree(out, forward, "calls");
  explainTree(out, backward, "backward passes outside");
  return out.str();
}

} // namespace tensorjit::trace
