#include "core/TensorAccess.h"
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
    if (!t.is_cpu())
      throw not_supported("save: an argument is on " + t.device().str() + "; programs are saved for the CPU only");
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

void Recorder::noteForSave(const CompiledSegment &segment) const {
  SaveRequest *request = SaveRequest::current;
  if (!request || ++request->segments != 1) return;
  if (!segmentDevice().is_cpu())
    throw not_supported("save: the function runs on " + segmentDevice().str() +
                        "; programs are saved for the CPU only");
  request->program.executable = segment.program->executable();
  request->memory = outputMemory_;
  for (const SegmentOutput &o : segment.outputs) request->outputs.emplace_back(values_[o.value].buffer);
  for (size_t i = 0; i < segment.inputs.size(); ++i) {
    ValueId v = segment.inputs[i];
    SavedInput in;
    size_t bytes = byteSize(request->program.executable.inputs[i].type);
    const void *contents = nullptr;
    for (const ArgumentValue &a : arguments_)
      if (a.value == v) contents = &a.bits;
    for (const Leaf &leaf : leaves_) {
      if (leaf.value != v) continue;
      bool reordered = !request->program.executable.inputs[i].storageOrder.empty();
      contents = static_cast<const std::byte *>(reordered ? leaf.buffer->storedData() : leaf.buffer->data()) +
                 std::max<int64_t>(leaf.offset, 0);
      for (size_t a = 0; a < request->arguments.size(); ++a)
        if (request->arguments[a] == leaf.buffer && request->offsets[a] == leaf.offset)
          in.argument = static_cast<int32_t>(a);
    }
    for (size_t o = 0; o < segment.outputs.size(); ++o) // state is saved as the call left it
      if (segment.outputs[o].leaf == v) contents = outputMemory_[o]->storedData();
    if (in.argument < 0) {
      in.state.resize(bytes);
      if (bytes) std::memcpy(in.state.data(), contents, bytes);
    }
    request->program.inputs.push_back(std::move(in));
  }
}

} // namespace trace

} // namespace tensorjit
