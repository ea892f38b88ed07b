#include "device/DeviceProgram.h"
#include "core/TensorImpl.h"
#include "core/ThreadObject.h"
#include "device/Memory.h"
#include "eager/EagerCall.h"
#include "eager/RunKernel.h"
#include "execute/DeviceErrorSlot.h"
#include "execute/FloatMode.h"
#include "execute/Program.h"

#include <algorithm>
#include <cstring>

namespace tensorjit::device {

namespace {

/// Of a thread, kept from run to run.
struct Scratch {
  std::vector<void *> buffers, parameters;
};

} // namespace

/// The error slot of the kernels that check indices: on the device, and where the host reads it.
struct DeviceProgram::Checks final : RunChecks {
  Checks(const Executable &executable, Backend &on) : backend(on) {
    about.name = executable.name;
    about.checks = executable.checks;
    about.lines = executable.lines;
    Stream &stream = currentStream(backend.device());
    slot = allocateBlock(sizeof(DeviceErrorSlot), stream);
    host = static_cast<DeviceErrorSlot *>(backend.allocatePinned(sizeof(DeviceErrorSlot)));
    if (!host) throw out_of_memory(backend.device().str() + ": cannot page-lock 32 bytes of host memory");
    *host = {};
    reset(stream);
    backend.synchronize(stream.handle); // other streams use it too
  }
  ~Checks() override {
    freeBlock(slot);
    if (host) backend.freePinned(host);
  }

  void reset(Stream &stream) {
    const DeviceErrorSlot empty;
    backend.fill(slot->address, empty.words.data(), sizeof empty.words[0], empty.words.size(), stream.handle);
  }
  void fetch(Stream &stream) { backend.copyToHost(host, slot->address, sizeof *host, stream.handle); }
  /// The error that has been fetched; the slot is empty then.
  std::optional<ErrorSlot> take(Stream &stream) {
    const std::optional<ErrorSlot> error = host->error();
    if (error) {
      *host = {};
      reset(stream);
    }
    return error;
  }
  void raise(Stream &stream) override {
    if (const auto error = take(stream)) throw index_error(indexErrorText(about, *error));
  }

  Backend &backend;
  Executable about; ///< what messages say
  Block *slot = nullptr;
  DeviceErrorSlot *host = nullptr;
};

DeviceProgram::DeviceProgram(const Executable &executable, Device device)
    : executable_(executable), backend_(backend(device)) {
  if (executable.device != device.type())
    throw io_error("executable '" + executable.name + "' is for another device than " + device.str());
  if (!executable.code.empty()) module_ = backend_.load(executable.code, executable.name);
  bool anyChecks = false;
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    const Step &step = executable.steps[i];
    KernelHandle kernel = nullptr;
    if (step.kind == Step::Launch) {
      kernel = module_ ? module_->kernel(step.kernel) : nullptr;
      if (!kernel) throw io_error("executable '" + executable.name + "': its code has no kernel '" + step.kernel + "'");
    }
    const bool writesState = std::any_of(step.buffers.begin(), step.buffers.end(), [&](const BufferRef &ref) {
      return ref.kind == BufferRef::Output && executable.outputs[ref.index].aliasesInput >= 0;
    });
    if (anyChecks && writesState) firstWrite_ = std::min(firstWrite_, i);
    anyChecks |= step.kind == Step::Launch && step.checks;
    kernels_.push_back(kernel);
    maxBuffers_ = std::max(maxBuffers_, step.buffers.size());
  }
  if (anyChecks) checks_ = std::make_shared<Checks>(executable, backend_);
  if (!executable.constants.empty()) {
    constants_ = copyConstants();
  }
}

DeviceProgram::~DeviceProgram() {
  if (constants_) freeBlock(constants_);
}

Block *DeviceProgram::copyConstants() {
  Stream &stream = currentStream(backend_.device());
  Block *block = allocateBlock(executable_.constants.size(), stream);
  backend_.copyToDevice(block->address, executable_.constants.data(), executable_.constants.size(), stream.handle);
  backend_.synchronize(stream.handle); // other streams use them too
  return block;
}

bool DeviceProgram::run(std::span<void *const> inputs, std::span<void *const> outputs, ErrorSlot &error) {
  Stream &stream = currentStream(backend_.device());
  Temporary arena(static_cast<size_t>(executable_.arenaBytes), stream);
  auto &scratch = ThreadObject<Scratch, DeviceProgram>::get();
  scratch.buffers.resize(maxBuffers_ + 1);
  scratch.parameters.resize(maxBuffers_ + 1);
  void **buffers = scratch.buffers.data(), **parameters = scratch.parameters.data();

  for (size_t i = 0; i < executable_.steps.size(); ++i) {
    const Step &step = executable_.steps[i];
    if (i == firstWrite_ && checkNow(stream, error)) return false;
    for (size_t b = 0; b < step.buffers.size(); ++b) {
      const BufferRef &ref = step.buffers[b];
      void *start = nullptr;
      switch (ref.kind) {
      case BufferRef::Input: start = inputs[ref.index]; break;
      case BufferRef::Output: start = outputs[ref.index]; break;
      case BufferRef::Arena: start = arena.data(); break;
      case BufferRef::Constant: start = constants_ ? constants_->address : nullptr; break;
      }
      buffers[b] = static_cast<std::byte *>(start) + ref.offset;
      // Numbers of the host are parameters themselves.
      parameters[b] = isOnHost(ref) ? buffers[b] : &buffers[b];
    }
    switch (step.kind) {
    case Step::Launch:
      if (!step.grid[0] || !step.grid[1] || !step.grid[2]) break;
      if (step.checks) {
        buffers[step.buffers.size()] = checks_->slot->address;
        parameters[step.buffers.size()] = &buffers[step.buffers.size()];
      }
      backend_.launch(kernels_[i], step, parameters, stream.handle);
      break;
    case Step::Call:
      callOnHost(step, buffers, stream, error);
      if (!step.checks || !error.set) break;
      // A kernel before it may have found an error too: of an earlier op, that is the one to report.
      if (ErrorSlot own = error; checks_ && checkNow(stream, error) && own.check < error.check) error = own;
      return false;
    case Step::Copy:
      if (const size_t bytes = byteSize(step.types[0])) {
        if (isOnHost(step.buffers[0])) backend_.copyToDevice(buffers[1], buffers[0], bytes, stream.handle);
        else backend_.copyOnDevice(buffers[1], buffers[0], bytes, stream.handle);
      }
      break;
    }
  }
  if (checks_ && firstWrite_ == SIZE_MAX) {
    checks_->fetch(stream);
    stream.addChecks(checks_);
  }
  return true;
}

bool DeviceProgram::isOnHost(const BufferRef &ref) const {
  return ref.kind == BufferRef::Input && executable_.inputs[ref.index].onHost;
}

/// An op that has no kernel: its operands are copied to the host, its results back.
void DeviceProgram::callOnHost(const Step &step, void *const *buffers, Stream &stream, ErrorSlot &error) const {
  const OpInfo &op = info(step.op);
  const size_t operands = step.buffers.size() - op.numResults;
  std::vector<Ref<Buffer>> memory;
  std::vector<TensorView> views;
  for (size_t b = 0; b < step.buffers.size(); ++b) {
    const TensorType &type = step.types[b];
    const size_t bytes = byteSize(type);
    memory.push_back(Buffer::allocate(bytes));
    views.push_back({memory[b]->storedData(), type.dtype, type.sizes, type.sizes.denseStrides()});
    if (b >= operands || !bytes) continue;
    if (isOnHost(step.buffers[b])) std::memcpy(memory[b]->storedData(), buffers[b], bytes);
    else backend_.copyToHost(memory[b]->storedData(), buffers[b], bytes, stream.handle);
  }
  stream.backend.synchronize(stream.handle);
  const std::span<const TensorView> all = views;
  ErrorSlot own;
  {
    const FloatMode mode;
    eager::runKernel(EagerCall{step.op, all.first(operands), all.subspan(operands), step.attrs, &own});
  }
  if (own.set && !error.set) {
    error = own;
    error.check = step.check;
  }
  for (size_t b = operands; b < step.buffers.size(); ++b)
    if (memory[b]->bytes())
      backend_.copyToDevice(buffers[b], memory[b]->storedData(), memory[b]->bytes(), stream.handle);
}

/// Before state is written: whether an index check has failed. Waits.
bool DeviceProgram::checkNow(Stream &stream, ErrorSlot &error) {
  checks_->fetch(stream);
  backend_.synchronize(stream.handle);
  const auto found = checks_->take(stream);
  if (found) error = *found;
  return found.has_value();
}

} // namespace tensorjit::device
