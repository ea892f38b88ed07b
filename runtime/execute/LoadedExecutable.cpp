#include "core/Dispatch.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Memory.h"
#include "device/Transfer.h"
#include "eager/Copy.h"
#include "execute/Program.h"
#include "execute/Serialize.h"
#include "tensorjit/autograd.h"
#include "tensorjit/loaded_executable.h"
#include "trace/Recorder.h"

#include <cstring>

namespace tensorjit {

struct LoadedExecutable::State {
  State(SavedProgram saved, Device on)
      : device(on), inputs(std::move(saved.inputs)), results(std::move(saved.results)),
        numArguments(saved.numArguments), program(std::move(saved.executable), on) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const SavedInput &in = inputs[i];
      memory.push_back(in.argument >= 0 ? Ref<Buffer>() : stateMemory(i));
      inputs[i].state = {};
    }
  }

  /// Where an input lies: numbers stay on the host.
  Device deviceOf(size_t input) const { return program.executable().inputs[input].onHost ? Device() : device; }

  Device device;
  std::vector<SavedInput> inputs;
  std::vector<uint32_t> results;
  uint32_t numArguments;
  Program program;
  std::vector<Ref<Buffer>> memory; ///< of each input that is state

private:
  Ref<Buffer> stateMemory(size_t input) const {
    const std::vector<std::byte> &state = inputs[input].state;
    const TensorSpec &spec = program.executable().inputs[input];
    const Device on = deviceOf(input);
    if (!on.is_cpu()) return device::copyToDevice(state.data(), spec, on);
    Ref<Buffer> copy = allocateFor(spec);
    if (!state.empty()) std::memcpy(copy->storedData(), state.data(), state.size());
    return copy;
  }
};

namespace {

/// A copy of an argument, which lies as it likes, in memory that lies as the spec says.
Ref<Buffer> copyFor(const TensorSpec &spec, const Tensor &t) {
  Ref<Buffer> copy = allocateFor(spec);
  const Shape &sizes = spec.type.sizes;
  const Tensor host = device::onHost(t);
  eager::copyStrided(viewOf(host), {copy->storedData(), spec.type.dtype, sizes, copy->order().strides(sizes)});
  return t.is_cpu() ? copy : device::copyToDevice(copy->storedData(), spec, t.device());
}

void checkArgument(const Tensor &t, size_t index, const TensorType &want, Device device, const std::string &name) {
  checkDefined(t, name.c_str());
  std::string which = name + ": argument " + std::to_string(index);
  if (t.device() != device)
    throw device_error(which + " is on " + t.device().str() + ", the program takes it on " + device.str());
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
    if (isAligned(own->storedData())) return own;
  }
  return copyFor(spec, t);
}

} // namespace

/// `device`: nothing for the first of the kind that the program was saved on.
std::shared_ptr<LoadedExecutable::State> LoadedExecutable::open(const std::string &path, std::optional<Device> device) {
  SavedProgram saved = loadProgram(path);
  const Device savedFor(saved.executable.device);
  if (device && device->type() != savedFor.type())
    throw device_error(path + ": the program was saved for " + savedFor.str() + " and does not run on " +
                       device->str());
  try {
    return std::make_shared<State>(std::move(saved), device.value_or(savedFor));
  } catch (const device_error &e) {
    throw device_error(path + ": " + e.what());
  }
}

LoadedExecutable::LoadedExecutable(const std::string &path) : state_(open(path, std::nullopt)) {}
LoadedExecutable::LoadedExecutable(const std::string &path, Device device) : state_(open(path, device)) {}

Device LoadedExecutable::device() const { return state_->device; }

size_t LoadedExecutable::num_arguments() const { return state_->numArguments; }

std::vector<Tensor> LoadedExecutable::run(const std::vector<Tensor> &arguments, SourceLocation loc) {
  const dispatch::CallScope scope(loc);
  trace::SuspendRecording eager;
  State &s = *state_;
  const Executable &exe = s.program.executable();
  if (arguments.size() != s.numArguments)
    dispatch::fail<value_error>(scope, exe.name + ": " + std::to_string(arguments.size()) +
                                           " arguments given, it takes " + std::to_string(s.numArguments));
  auto argumentOf = [&](size_t input) -> const Tensor * {
    const int32_t a = s.inputs[input].argument;
    return a < 0 ? nullptr : &arguments[static_cast<size_t>(a)];
  };
  std::vector<Ref<Buffer>> in = s.memory, out;
  std::vector<void *> inputs, outputs;
  for (size_t i = 0; i < in.size(); ++i) {
    if (const Tensor *t = argumentOf(i)) {
      const auto number = static_cast<size_t>(s.inputs[i].argument);
      atLine(loc, [&] { checkArgument(*t, number, exe.inputs[i].type, s.deviceOf(i), exe.name); });
      trace::materialise(*t, "run", loc);
      in[i] = readable(exe.inputs[i], *t);
    }
    device::orderRead(*in[i]);
    inputs.push_back(in[i]->storedData());
  }
  for (const TensorSpec &spec : exe.outputs) {
    auto input = static_cast<size_t>(spec.aliasesInput);
    if (spec.aliasesInput < 0) {
      out.push_back(allocateFor(spec, s.device));
    } else {
      if (argumentOf(input)) { // which the function updates
        in[input] = device::copyOf(in[input]->storedData(), spec, s.device);
        inputs[input] = in[input]->storedData();
      } else {
        in[input]->dropRowMajorCopy();
      }
      out.push_back(in[input]);
    }
    device::orderWrite(*out.back());
    outputs.push_back(out.back()->storedData());
  }
  ErrorSlot error;
  if (!s.program.run(inputs, outputs, error)) throw index_error(indexErrorText(exe, error));
  for (size_t o = 0; o < out.size(); ++o) {
    const int32_t input = exe.outputs[o].aliasesInput;
    const Tensor *t = input < 0 ? nullptr : argumentOf(static_cast<size_t>(input));
    if (!t) continue;
    const NoGradGuard noGrad;
    Tensor target = *t; // a handle
    dispatch::assign(target, makeTensor(exe.outputs[o].type.dtype, exe.outputs[o].type.sizes, out[o]), loc);
  }
  std::vector<Tensor> results;
  for (uint32_t r : s.results) {
    const TensorSpec &spec = exe.outputs[r];
    const Ref<Buffer> own = spec.aliasesInput < 0 ? out[r] : device::copyOf(out[r]->storedData(), spec, s.device);
    results.push_back(makeTensor(spec.type.dtype, spec.type.sizes, own));
  }
  return results;
}

} // namespace tensorjit
