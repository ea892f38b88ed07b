#include "core/Dispatch.h"
#include "core/TensorAccess.h"
#include "eager/Copy.h"
#include "execute/Program.h"
#include "execute/Serialize.h"
#include "tensorjit/loaded_executable.h"
#include "trace/Recorder.h"

#include <cstring>

namespace tensorjit {

struct LoadedExecutable::State {
  explicit State(SavedProgram saved)
      : inputs(std::move(saved.inputs)), results(std::move(saved.results)), numArguments(saved.numArguments),
        program(std::move(saved.executable)) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      SavedInput &in = inputs[i];
      memory.push_back(in.argument >= 0 ? Ref<Buffer>() : allocateFor(program.executable().inputs[i]));
      if (!in.state.empty()) std::memcpy(memory.back()->storedData(), in.state.data(), in.state.size());
      in.state = {};
    }
  }

  std::vector<SavedInput> inputs;
  std::vector<uint32_t> results;
  uint32_t numArguments;
  Program program;
  std::vector<Ref<Buffer>> memory; ///< of each input that is state
};

namespace {

Ref<Buffer> copyFor(const TensorSpec &spec, const Tensor &t) {
  Ref<Buffer> copy = allocateFor(spec);
  const Shape &sizes = spec.type.sizes;
  eager::copyStrided(viewOf(t), {copy->storedData(), spec.type.dtype, sizes, copy->order().strides(sizes)});
  return copy;
}

void checkArgument(const Tensor &t, size_t index, const TensorType &want, const std::string &name) {
  checkDefined(t, name.c_str());
  std::string which = name + ": argument " + std::to_string(index);
  if (t.dtype() != want.dtype)
    throw type_error(which + " is " + tensorjit::name(t.dtype()) + ", it was saved with " +
                     tensorjit::name(want.dtype));
  if (t.sizes() != want.sizes)
    throw shape_error(which + " has sizes " + t.sizes().str() + ", it was saved with " + want.sizes.str());
}

/// The argument's own memory where it may be read as it lies.
Ref<Buffer> readable(const TensorSpec &spec, const Tensor &t) {
  const TensorImpl &i = *t.impl();
  const Ref<Buffer> &buffer = i.storage->buffer;
  const MemoryOrder wanted(spec.storageOrder);
  bool starts = i.offset == 0 && i.strides == i.sizes.denseStrides();
  bool whole = starts && i.sizes == baseLayout(i).sizes;
  if (wanted.isRowMajor() ? starts : whole && buffer->order() == wanted) {
    Ref<Buffer> own = wanted.isRowMajor() ? buffer->rowMajor() : buffer;
    if (reinterpret_cast<uintptr_t>(own->storedData()) % 64 == 0) return own;
  }
  return copyFor(spec, t);
}

} // namespace

LoadedExecutable::LoadedExecutable(const std::string &path) : state_(std::make_shared<State>(loadProgram(path))) {}

size_t LoadedExecutable::num_arguments() const { return state_->numArguments; }

std::vector<Tensor> LoadedExecutable::run(const std::vector<Tensor> &arguments, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  trace::SuspendRecording eager;
  State &s = *state_;
  const Executable &exe = s.program.executable();
  if (arguments.size() != s.numArguments)
    dispatch::fail<value_error>(scope, exe.name + ": " + std::to_string(arguments.size()) +
                                           " arguments given, it takes " + std::to_string(s.numArguments));
  std::vector<Ref<Buffer>> in = s.memory, out;
  std::vector<void *> inputs, outputs;
  for (size_t i = 0; i < in.size(); ++i) {
    if (s.inputs[i].argument >= 0) {
      const Tensor &t = arguments[static_cast<size_t>(s.inputs[i].argument)];
      checkArgument(t, static_cast<size_t>(s.inputs[i].argument), exe.inputs[i].type, exe.name);
      trace::materialise(t, "run", loc);
      in[i] = readable(exe.inputs[i], t);
    }
    inputs.push_back(in[i]->storedData());
  }
  for (const TensorSpec &spec : exe.outputs) {
    auto input = static_cast<size_t>(spec.aliasesInput);
    if (spec.aliasesInput < 0) {
      out.push_back(allocateFor(spec));
    } else {
      if (s.inputs[input].argument >= 0) { // an argument that the function updates
        in[input] = copyFor(spec, arguments[static_cast<size_t>(s.inputs[input].argument)]);
        inputs[input] = in[input]->storedData();
      } else {
        in[input]->dropRowMajorCopy();
      }
      out.push_back(in[input]);
    }
    outputs.push_back(out.back()->storedData());
  }
  ErrorSlot error;
  if (!s.program.run(inputs, outputs, error)) throw index_error(indexErrorText(exe, error));
  for (size_t o = 0; o < out.size(); ++o) {
    int32_t input = exe.outputs[o].aliasesInput;
    if (input < 0 || s.inputs[static_cast<size_t>(input)].argument < 0) continue;
    const Tensor &t = arguments[static_cast<size_t>(s.inputs[static_cast<size_t>(input)].argument)];
    t.impl()->storage->buffer = out[o];
    ++t.impl()->storage->version;
  }
  std::vector<Tensor> results;
  for (uint32_t r : s.results) {
    Tensor t = makeTensor(exe.outputs[r].type.dtype, exe.outputs[r].type.sizes, out[r]);
    results.push_back(exe.outputs[r].aliasesInput < 0 ? t : t.clone());
  }
  return results;
}

} // namespace tensorjit
