#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "op/OpId.h"
#include "tensorjit/compile.h"
#include "tensorjit/error.h"
#include "trace/Recorder.h"
#include "trace/SaveRequest.h"

#include <algorithm>
#include <cstring>

namespace tensorjit {

namespace {

struct Scope {
  explicit Scope(trace::SaveRequest &request) { trace::SaveRequest::current = &request; }
  ~Scope() { trace::SaveRequest::current = nullptr; }
};

bool isWhole(const TensorImpl &t) {
  return t.offset == 0 && t.sizes == baseLayout(t).sizes && t.strides == t.sizes.denseStrides();
}

uint32_t outputOf(const Tensor &result, const trace::SaveRequest &request) {
  if (result.defined() && isWhole(*result.impl()))
    for (size_t o = 0; o < request.outputs.size(); ++o)
      if (result.impl()->storage->buffer == request.outputs[o] || result.impl()->storage->buffer == request.memory[o])
        return static_cast<uint32_t>(o);
  throw not_supported("save: the function returns a tensor that its graph does not compute (a view, an argument or a "
                      "captured tensor); return a clone of it");
}

} // namespace

void detail::Compiled::save(const std::string &path, const std::vector<Tensor> &arguments,
                            const std::function<std::vector<Tensor>()> &body) const {
  trace::SaveRequest request;
  for (const Tensor &t : arguments) {
    checkDefined(t, "save");
    trace::materialise(t, "save", SourceLocation::current());
    makeRowMajor(*t.impl()->storage); // as the file's callers have their tensors
    request.arguments.push_back(t.impl()->storage->buffer);
    request.offsets.push_back(t.impl()->view ? t.impl()->offset * static_cast<int64_t>(itemSize(t.dtype())) : -1);
  }
  std::vector<Tensor> results;
  {
    Scope scope(request);
    results = body();
  }
  if (request.segments != 1)
    throw not_supported("save: the function ran as " + std::to_string(request.segments) +
                        " graphs; it must run as one, without graph breaks");
  request.program.numArguments = static_cast<uint32_t>(arguments.size());
  for (const Tensor &r : results) request.program.results.push_back(outputOf(r, request));
  saveProgram(request.program, path);
}

namespace trace {

static void copyOut(const Buffer &from, size_t offset, std::span<std::byte> to) {
  if (!from.device().is_cpu()) return device::copyToHost(from, offset, to.data(), to.size());
  if (!to.empty()) std::memcpy(to.data(), static_cast<const std::byte *>(from.storedData()) + offset, to.size());
}

static bool draws(const TraceNode *node) {
  return node && node->kind == TraceNode::Op && (node->op == OpId::RandomBits || node->op == OpId::RandomNormal);
}

void Recorder::noteForSave(const CompiledSegment &segment) const {
  SaveRequest *request = SaveRequest::current;
  if (!request || ++request->segments != 1) return;
  // The state of the generator would be a constant of the file.
  if (std::any_of(values_.begin(), values_.end(), [](const Value &v) { return draws(v.node); }))
    throw not_supported("save: the function draws random numbers, which a saved program cannot; give them to it as an "
                        "argument, or leave dropout out by eval()");
  request->program.executable = segment.program->executable();
  request->memory = outputMemory_;
  for (const SegmentOutput &o : segment.outputs) request->outputs.emplace_back(values_[o.value].buffer);
  for (size_t i = 0; i < segment.inputs.size(); ++i) {
    const ValueId v = segment.inputs[i];
    const TensorSpec &spec = request->program.executable.inputs[i];
    SavedInput in;
    const void *number = nullptr; // of the host
    for (const ArgumentValue &a : arguments_)
      if (a.value == v) number = &a.bits;
    Ref<Buffer> memory;
    int64_t offset = 0;
    for (const Leaf &leaf : leaves_) {
      if (leaf.value != v) continue;
      memory = spec.storageOrder.empty() ? leaf.buffer->rowMajor() : leaf.buffer;
      offset = std::max<int64_t>(leaf.offset, 0);
      for (size_t a = 0; a < request->arguments.size(); ++a)
        if (request->arguments[a] == leaf.buffer && request->offsets[a] == leaf.offset)
          in.argument = static_cast<int32_t>(a);
    }
    for (size_t o = 0; o < segment.outputs.size(); ++o) // state is saved as the call left it
      if (segment.outputs[o].leaf == v) {
        memory = outputMemory_[o];
        offset = 0;
      }
    if (in.argument < 0) {
      in.state.resize(byteSize(spec.type));
      if (memory) copyOut(*memory, static_cast<size_t>(offset), in.state);
      else std::memcpy(in.state.data(), number, in.state.size());
    }
    request->program.inputs.push_back(std::move(in));
  }
}

} // namespace trace

} // namespace tensorjit
