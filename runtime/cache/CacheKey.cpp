#include "cache/CacheKey.h"
#include "cache/Bytes.h"
#include "cache/HostCpu.h"

namespace tensorjit::cache {

namespace {

void add(ByteWriter &out, const Shape &shape) { out.numbers(shape); }

void addGraph(ByteWriter &out, const Graph &graph) {
  out.number(static_cast<uint64_t>(graph.device));
  out.number(graph.types.size());
  for (const TensorType &type : graph.types) {
    out.text(name(type.dtype));
    add(out, type.sizes);
  }
  out.number(graph.numInputs);
  for (size_t i = 0; i < graph.numInputs; ++i) {
    add(out, i < graph.inputOrders.size() ? graph.inputOrders[i].dims() : Shape());
    out.number(i < graph.hostInputs.size() && graph.hostInputs[i]);
  }
  out.number(graph.nodes.size());
  for (const GraphNode &node : graph.nodes) {
    out.text(info(node.op).name);
    out.numbers(node.operands);
    out.numbers(node.attrs.words());
    out.number(node.firstResult);
    out.number(node.line);
  }
  out.number(graph.outputs.size());
  for (const GraphOutput &output : graph.outputs) {
    out.number(output.value);
    out.number(static_cast<uint64_t>(output.updatesInput));
  }
  out.number(graph.lines.size());
}

} // namespace

std::vector<std::byte> key(const Graph &graph, const CompileOptions &options, std::string_view compiler) {
  ByteWriter out;
  out.number(CompilerInterface::current);
  out.text(compiler);
  out.text(graph.device == DeviceType::CPU ? hostCpu() : "");
  out.number(static_cast<uint64_t>(options.mode));
  out.text(options.cpu);
  out.number(static_cast<uint64_t>(options.cudaArch));
  out.text(options.nvrtc);
  out.number(static_cast<uint64_t>(options.failForTest));
  addGraph(out, graph);
  return std::move(out.bytes);
}

} // namespace tensorjit::cache
