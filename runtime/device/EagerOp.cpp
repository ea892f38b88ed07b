#include "device/EagerOp.h"
#include "core/InPlace.h"
#include "core/TensorAccess.h"
#include "device/Memory.h"
#include "device/Transfer.h"
#include "eager/Run.h"
#include "op/OpId.h"
#include "tensorjit/autograd.h"
#include "tensorjit/compile.h"
#include "tensorjit/ops.h"
#include "trace/CompiledState.h"
#include "trace/Recording.h"

#include <array>
#include <mutex>
#include <unordered_map>

namespace tensorjit::device {

namespace {

bool isPresent(const Tensor *t) { return t && t->defined(); }

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
Tensor filled(const Attrs &attrs, Device device) {
  AttrReader read(attrs);
  const Shape sizes = read.ints();
  const Scalar value = read.scalar();
  const DType dtype = read.dtype();
  const Tensor element = eager::scalarTensor(value, dtype);
  const auto count = static_cast<size_t>(sizes.numel());
  Ref<Buffer> buffer = Buffer::allocateOn(device, count * itemSize(dtype));
  Stream &stream = currentStream(device);
  if (count) stream.backend.fill(buffer->storedData(), viewOf(element).data, itemSize(dtype), count, stream.handle);
  return makeTensor(dtype, sizes, std::move(buffer));
}

/// A copy (reshape) of what lies densely in memory needs no code either.
bool copyDense(const Tensor &x, const Attrs &attrs, Tensor &result) {
  const TensorImpl &i = *x.impl();
  const Buffer &buffer = *i.storage->buffer;
  if (i.strides != i.sizes.denseStrides() || !buffer.order().isRowMajor()) return false;
  const TensorType from = typeOf(x);
  TensorType to;
  info(OpId::Reshape).infer({&from, 1}, attrs, {&to, 1});
  result = makeTensor(to.dtype, to.sizes, copyOnDevice(buffer, windowOf(i)));
  return true;
}

} // namespace

Device deviceOfMixed(OpId op, std::span<const Tensor *const> operands) {
  std::optional<Device> device;
  for (const Tensor *t : operands) {
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

bool moveJoined(OpId op, std::span<const Tensor *const> operands, std::vector<Tensor> &moved) {
  const Device device = deviceOf(op, operands);
  if (device.is_cpu()) return false;
  bool any = false;
  for (const Tensor *t : operands) {
    const bool joins = isPresent(t) && t->is_cpu() && t->requires_grad();
    any |= joins;
    moved.push_back(!isPresent(t) ? Tensor() : joins ? t->to(device) : *t);
  }
  return any;
}

void runEager(OpId op, std::span<const Tensor *const> operands, const Attrs &attrs, std::span<Tensor> results,
              const SourceLocation &loc, Device device) {
  if (op == OpId::Full) {
    results[0] = filled(attrs, device);
    return;
  }
  std::array<Tensor, mostOperands> own;
  std::array<const Tensor *, mostOperands> pointers{};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!isPresent(operands[i])) continue;
    trace::materialise(*operands[i], info(op).name, loc);
    // Whether gradients flow is no part of what is compiled.
    own[i] = operands[i]->impl()->autograd ? operands[i]->detach() : *operands[i];
    pointers[i] = &own[i];
  }
  if (op == OpId::Reshape && copyDense(*pointers[0], attrs, results[0])) return;
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
  const Tensor lying = makeTensor(type.dtype, sizes, Buffer::share(from));
  const Tensor dense = dispatch::copyOf(permute(lying, inverse), SourceLocation::current());
  return dense.impl()->storage->buffer;
}

} // namespace tensorjit::device
