#include "device/Transfer.h"
#include "op/CreationIds.h"
#include "tensorjit/error.h"
#include "trace/Recorder.h"
#include "trace/SaveRequest.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::trace {

static void copyOut(const Buffer &from, size_t offset, std::span<std::byte> to) {
  if (!from.device().is_cpu()) return device::copyToHost(from, offset, to.data(), to.size());
  if (!to.empty()) std::memcpy(to.data(), static_cast<const std::byte *>(from.storedData()) + offset, to.size());
}

static bool draws(const TraceNode *node) {
  return node && node->kind == TraceNode::Op && (node->op == opid::RandomBits || node->op == opid::RandomNormal);
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

} // namespace tensorjit::trace
