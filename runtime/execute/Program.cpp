#include "execute/Program.h"
#include "core/Allocator.h"
#include "core/ThreadObject.h"
#include "device/DeviceProgram.h"
#include "eager/EagerCall.h"
#include "eager/IndexError.h"
#include "eager/RunKernel.h"
#include "execute/FloatMode.h"
#include "execute/ThreadPool.h"
#include "execute/Validate.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tensorjit {

namespace {

/// A block that lives for one run.
struct Block {
  explicit Block(size_t n) : bytes(n), data(n ? static_cast<std::byte *>(allocateBlock(n)) : nullptr) {}
  ~Block() {
    if (data) freeBlock(data, bytes);
  }
  Block(const Block &) = delete;
  size_t bytes;
  std::byte *data;
};

/// Of a thread, kept from run to run.
struct Scratch {
  ~Scratch() { freeBlock(data, bytes); }
  void *data = nullptr;
  size_t bytes = 0;
};
struct Pointers : std::vector<void *> {};

void *threadScratch(size_t bytes) {
  Scratch &scratch = ThreadObject<Scratch, Program>::get();
  if (scratch.bytes < bytes) {
    freeBlock(std::exchange(scratch.data, nullptr), std::exchange(scratch.bytes, 0));
    scratch.data = allocateBlock(bytes);
    scratch.bytes = bytes;
  }
  return scratch.data;
}

} // namespace

Ref<Buffer> allocateFor(const TensorSpec &spec, Device device) {
  return Buffer::allocate(spec.type, MemoryOrder(spec.storageOrder), device);
}

size_t byteSize(const TensorType &type) {
  int64_t bytes;
  if (__builtin_mul_overflow(type.sizes.numel(), static_cast<int64_t>(itemSize(type.dtype)), &bytes))
    throw shape_error("a tensor of sizes " + type.sizes.str() + " has more bytes than memory can hold");
  return static_cast<size_t>(bytes);
}

Program::~Program() = default;

Program::Program(Executable executable, Device device) : executable_(std::move(executable)) {
  validate(executable_);
  if (!device.is_cpu()) {
    onDevice_ = std::make_unique<device::DeviceProgram>(executable_, device);
    return;
  }
  if (executable_.device != DeviceType::CPU)
    throw io_error("executable '" + executable_.name + "' is for another device than the CPU");
  if (!executable_.code.empty()) image_ = CodeImage(executable_.code, executable_.name);
  for (const Step &step : executable_.steps) {
    KernelFn fn = nullptr;
    if (step.kind == Step::Launch) {
      fn = reinterpret_cast<KernelFn>(image_.symbol(step.kernel));
      if (!fn) throw io_error("executable '" + executable_.name + "': its code has no kernel '" + step.kernel + "'");
    }
    kernels_.push_back(fn);
    maxBuffers_ = std::max(maxBuffers_, step.buffers.size());
  }
  if (size_t n = executable_.constants.size()) {
    constants_ = static_cast<std::byte *>(allocateBlock(n));
    constantMemory_ = std::shared_ptr<void>(constants_, [n](void *p) { freeBlock(p, n); });
    std::memcpy(constants_, executable_.constants.data(), n);
  }
}

bool Program::run(std::span<void *const> inputs, std::span<void *const> outputs, ErrorSlot &error) const {
  if (onDevice_) [[unlikely]]
    return onDevice_->run(inputs, outputs, error);
  const FloatMode mode;
  Block arena(static_cast<size_t>(executable_.arenaBytes));
  // Kept from run to run: a steady-state run makes no allocation of its own. A run inside a run takes the tail.
  Pointers &pointers = ThreadObject<Pointers, Program>::get();
  size_t base = pointers.size();
  pointers.resize(base + maxBuffers_);
  struct Restore {
    Pointers &pointers;
    size_t base;
    ~Restore() { pointers.resize(base); }
  } restore{pointers, base};
  for (size_t i = 0; i < executable_.steps.size(); ++i) {
    const Step &step = executable_.steps[i];
    for (size_t b = 0; b < step.buffers.size(); ++b) {
      const BufferRef &ref = step.buffers[b];
      std::byte *start = nullptr;
      switch (ref.kind) {
      case BufferRef::Input: start = static_cast<std::byte *>(inputs[ref.index]); break;
      case BufferRef::Output: start = static_cast<std::byte *>(outputs[ref.index]); break;
      case BufferRef::Arena: start = arena.data; break;
      case BufferRef::Constant: start = constants_; break;
      }
      pointers[base + b] = start + ref.offset;
    }
    void *const *buffers = pointers.data() + base;
    switch (step.kind) {
    case Step::Launch: launch(step, kernels_[i], buffers, error); break;
    case Step::Call: call(step, buffers, error); break;
    case Step::Copy: std::memcpy(buffers[1], buffers[0], byteSize(step.types[0])); break;
    }
    if (step.checks && error.set) return false;
  }
  return true;
}

void Program::launch(const Step &step, KernelFn fn, void *const *buffers, ErrorSlot &error) const {
  parallelFor(step.extent, step.grain, [&](int64_t lo, int64_t hi) {
    KernelContext context{&error, step.scratchBytes ? threadScratch(static_cast<size_t>(step.scratchBytes)) : nullptr};
    fn(buffers, lo, hi, &context);
  });
}

void Program::call(const Step &step, void *const *buffers, ErrorSlot &error) const {
  auto &views = ThreadObject<std::vector<TensorView>, Program>::get(); // kept from call to call
  views.clear();
  for (size_t b = 0; b < step.buffers.size(); ++b) {
    const TensorType &type = step.types[b];
    views.push_back({buffers[b], type.dtype, type.sizes, type.sizes.denseStrides()});
  }
  const OpInfo &op = info(step.op);
  std::span<const TensorView> all = views;
  size_t operands = views.size() - op.numResults;
  ErrorSlot own;
  eager::runKernel(EagerCall{step.op, all.first(operands), all.subspan(operands), step.attrs, &own});
  if (own.set && !error.set) {
    error = own;
    error.check = step.check;
  }
}

std::string indexErrorText(const Executable &executable, const ErrorSlot &error) {
  const IndexCheck &check = executable.checks.at(static_cast<size_t>(error.check));
  std::string text = eager::indexErrorText(check.op, check.operand, error.value, error.position, check.bound);
  if (check.line < executable.lines.size() && executable.lines[check.line].line) {
    const SourceLine &line = executable.lines[check.line];
    text += " (" + line.file + ":" + std::to_string(line.line) + ")";
  }
  return text;
}

} // namespace tensorjit
