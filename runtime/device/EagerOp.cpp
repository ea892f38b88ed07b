#include "device/EagerOp.h"
#include "core/Dispatch.h"
#include "core/InPlace.h"
#include "core/TensorAccess.h"
#include "core/ViewChain.h"
#include "device/Memory.h"
#include "device/Transfer.h"
#include "eager/Run.h"
#include "op/CreationIds.h"
#include "op/ShapeIds.h"
#include "tensorjit/compile_options.h"
#include "tensorjit/grad_mode.h"
#include "trace/CompiledState.h"
#include "trace/Recording.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace tensorjit::device {

namespace {

bool isPresent(const TensorBase *t) { return t && t->defined(); }

/// What has been compiled for an op, on any device and for any shapes: a compiled function of one op.
const std::shared_ptr<trace::CompiledState> &stateOf(OpId op) {
  static std::mutex mutex;
  static auto &all = *new std::unordered_map<OpId, std::shared_ptr<trace::CompiledState>>;
  std::lock_guard lock(mutex);
  auto &state = all[op];
  if (!state) {
    Options options;
    if (options.mode == Options::Mode::Off) options.mode = Options::Mode::Full;
    options.strict = false;
    options.name = info(op).name;
    state = std::make_shared<trace::CompiledState>(options);
  }
  return state;
}

/// `full` needs no code.
TensorBase filled(const Attrs &attrs, Device device) {
  AttrReader read(attrs);
  const Shape sizes = read.ints();
  const Scalar value = read.scalar();
  const DType dtype = read.dtype();
  const TensorBase element = eager::scalarTensor(value, dtype);
  const auto count = static_cast<size_t>(sizes.numel());
  Ref<Buffer> buffer = Buffer::allocateOn(device, count * itemSize(dtype));
  Stream &stream = currentStream(device);
  if (count) stream.backend.fill(buffer->storedData(), viewOf(element).data, itemSize(dtype), count, stream.handle);
  return makeTensor(dtype, sizes, std::move(buffer));
}

/// A copy (reshape) of what lies densely in memory needs no code either.
bool copyDense(const TensorBase &x, const Attrs &attrs, TensorBase &result) {
  const TensorImpl &i = *x.impl();
  const Buffer &buffer = *i.storage->buffer;
  if (i.strides != i.sizes.denseStrides() || !buffer.order().isRowMajor()) return false;
  const TensorType from = typeOf(x);
  TensorType to;
  info(opid::Reshape).infer({&from, 1}, attrs, {&to, 1});
  result = makeTensor(to.dtype, to.sizes, copyOnDevice(buffer, windowOf(i)));
  return true;
}

} // namespace

Device deviceOfMixed(OpId op, std::span<const TensorBase *const> operands) {
  std::optional<Device> device;
  for (const TensorBase *t : operands) {
    if (!isPresent(t)) continue;
    const Device d = t->impl()->device();
    if (d == device || (d.is_cpu() && t->impl()->sizes.empty())) continue;
    if (device)
      throw device_error(std::string(info(op).name) + ": the operands are on " + device->str() + " and " + d.str() +
                         "; move them to one device with to()");
    device = d;
  }
  return device.value_or(trace::defaultDevice());
}

bool moveJoined(OpId op, std::span<const TensorBase *const> operands, std::vector<TensorBase> &moved) {
  const Device device = deviceOf(op, operands);
  if (device.is_cpu()) return false;
  bool any = false;
  for (const TensorBase *t : operands) {
    const bool joins = isPresent(t) && t->is_cpu() && t->requires_grad();
    any |= joins;
    moved.push_back(!isPresent(t) ? TensorBase()
                    : joins       ? dispatch::moveTo(*t, device, SourceLocation::current())
                                  : *t);
  }
  return any;
}

void runEager(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
              const SourceLocation &loc, Device device) {
  if (op == opid::Full) {
    results[0] = filled(attrs, device);
    return;
  }
  std::array<TensorBase, mostOperands> own;
  std::array<const TensorBase *, mostOperands> pointers{};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!isPresent(operands[i])) continue;
    trace::materialise(*operands[i], info(op).name, loc);
    // Whether gradients flow is no part of what is compiled.
    own[i] = operands[i]->impl()->autograd ? detached(*operands[i]) : *operands[i];
    pointers[i] = &own[i];
  }
  if (op == opid::Reshape && copyDense(*pointers[0], attrs, results[0])) return;
  const trace::DeviceScope scope(device);
  trace::recordAlone(stateOf(op), [&](trace::Recorder &recorder) {
    recorder.record(op, {pointers.data(), operands.size()}, attrs, results, loc);
  });
}

/// As it lies, the memory is a row-major tensor of permuted sizes.
Ref<Buffer> rowMajorCopy(const Buffer &from, const TensorType &type, MemoryOrder order) {
  const Shape dims = order.dims();
  Shape sizes = type.sizes, inverse = dims;
  for (size_t i = 0; i < dims.rank(); ++i) {
    sizes[i] = type.sizes[static_cast<size_t>(dims[i])];
    inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  }
  const trace::SuspendRecording eager;
  NoGradGuard noGrad;
  const TensorBase lying = makeTensor(type.dtype, sizes, Buffer::share(from));
  const TensorBase dense = dispatch::copyOf(permuted(lying, inverse), SourceLocation::current());
  return dense.impl()->storage->buffer;
}

} // namespace tensorjit::device
