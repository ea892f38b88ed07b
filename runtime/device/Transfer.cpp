#include "device/Transfer.h"
#include "device/Memory.h"
#include "device/Pinned.h"
#include "eager/Copy.h"
#include "execute/Program.h"
#include "trace/Recorder.h"

#include <cstring>
#include <mutex>

namespace tensorjit::device {

namespace {

/// Copies from page-locked memory that may still run hold the memory.
class InFlight {
public:
  void add(Backend &backend, Stream &stream, Ref<Buffer> buffer) {
    auto event = std::make_unique<EventState>(backend, false);
    backend.record(event->handle, stream.handle);
    std::lock_guard lock(mutex_);
    std::erase_if(copies_, [](const Copy &c) { return c.event->backend.isReached(c.event->handle); });
    copies_.push_back({std::move(event), std::move(buffer)});
  }

private:
  struct Copy {
    std::unique_ptr<EventState> event;
    Ref<Buffer> buffer;
  };
  std::mutex mutex_;
  std::vector<Copy> copies_;
};

InFlight &inFlight() {
  static InFlight &list = *new InFlight;
  return list;
}

/// A tensor on the host with the memory that `t` spans, from its first element in memory to its last.
TensorBase withSpan(const TensorImpl &t, Ref<Buffer> memory, int64_t first) {
  auto *host = new TensorImpl;
  host->storage = makeRef<Storage>(std::move(memory), t.dtype());
  host->sizes = t.sizes;
  host->strides = t.strides;
  host->offset = t.offset - first;
  return TensorBase(host);
}

TensorBase denseOnHost(const TensorBase &t) {
  const trace::SuspendRecording eager;
  const TensorBase host = onHost(t);
  if (host.is_contiguous()) return detached(host);
  TensorBase dense = allocateTensor(host.dtype(), host.sizes());
  eager::copyToDense(viewOf(host), viewOf(dense).data);
  return dense;
}

} // namespace

void copyToHost(const Buffer &from, size_t offset, void *to, size_t bytes) {
  Stream &stream = currentStream(from.device());
  if (bytes) {
    orderRead(*from.deviceBlock(), stream);
    stream.backend.copyToHost(to, static_cast<const std::byte *>(from.storedData()) + offset, bytes, stream.handle);
  }
  stream.synchronize();
}

Ref<Buffer> toHost(const Buffer &from) {
  Ref<Buffer> host = Buffer::allocate(from.bytes());
  copyToHost(from, 0, host->storedData(), from.bytes());
  return host;
}

static Ref<Buffer> filled(Ref<Buffer> buffer, const void *from) {
  Stream &stream = currentStream(buffer->device());
  if (size_t bytes = buffer->bytes()) stream.backend.copyToDevice(buffer->storedData(), from, bytes, stream.handle);
  return buffer;
}

Ref<Buffer> copyToDevice(const void *from, size_t bytes, Device device) {
  return filled(Buffer::allocateOn(device, bytes), from);
}

Ref<Buffer> copyToDevice(const void *from, const TensorSpec &spec, Device device) {
  return filled(allocateFor(spec, device), from);
}

void orderRead(const Buffer &buffer) {
  if (Block *block = buffer.deviceBlock()) orderRead(*block, currentStream(buffer.device()));
}

void orderWrite(const Buffer &buffer) {
  if (Block *block = buffer.deviceBlock()) orderWrite(*block, currentStream(buffer.device()));
}

ByteRange windowOf(const TensorImpl &t) {
  const size_t item = itemSize(t.dtype());
  return {static_cast<size_t>(t.offset) * item, static_cast<size_t>(t.sizes.numel()) * item};
}

Ref<Buffer> copyOnDevice(const Buffer &from, ByteRange part) {
  Ref<Buffer> copy = Buffer::allocateOn(from.device(), part.bytes);
  copyOnDevice(from, part.offset, *copy, {0, part.bytes});
  return copy;
}

void copyOnDevice(const Buffer &from, size_t offset, Buffer &to, ByteRange part) {
  if (!part.bytes) return;
  Stream &stream = currentStream(from.device());
  orderRead(*from.deviceBlock(), stream);
  orderWrite(*to.deviceBlock(), stream);
  stream.backend.copyOnDevice(static_cast<std::byte *>(to.storedData()) + part.offset,
                              static_cast<const std::byte *>(from.storedData()) + offset, part.bytes, stream.handle);
}

std::optional<Rows> rowsOf(const Window &window) {
  // What drivers take as the distance of rows.
  constexpr int64_t largestPitch = INT32_MAX;
  const auto item = static_cast<int64_t>(itemSize(window.dtype));
  int64_t run = 1, count = 1, pitch = 0;
  for (size_t d = window.sizes.rank(); d-- > 0;) {
    const int64_t size = window.sizes[d], stride = window.strides[d];
    if (size == 1) continue;
    if (count == 1 && stride == run) run *= size;
    else if (count == 1 && stride > run && stride * item <= largestPitch) count = size, pitch = stride;
    else if (count > 1 && stride == pitch * count) count *= size;
    else return std::nullopt;
  }
  const auto bytes = [item](int64_t elements) { return static_cast<size_t>(elements * item); };
  return Rows{bytes(window.offset), bytes(run), static_cast<size_t>(count), bytes(pitch)};
}

void copyRows(const Buffer &from, size_t offset, Buffer &to, const Rows &rows) {
  if (rows.count == 1 || !rows.bytes) return copyOnDevice(from, offset, to, {rows.offset, rows.bytes});
  Stream &stream = currentStream(from.device());
  orderRead(*from.deviceBlock(), stream);
  orderWrite(*to.deviceBlock(), stream);
  stream.backend.copyRowsOnDevice(static_cast<std::byte *>(to.storedData()) + rows.offset, rows.pitch,
                                  static_cast<const std::byte *>(from.storedData()) + offset, rows.bytes, rows.count,
                                  stream.handle);
}

Ref<Buffer> copyOf(const void *data, const TensorSpec &spec, Device device) {
  Ref<Buffer> copy = allocateFor(spec, device);
  const size_t bytes = copy->bytes();
  if (!bytes) return copy;
  if (device.is_cpu()) {
    std::memcpy(copy->storedData(), data, bytes);
  } else {
    Stream &stream = currentStream(device);
    stream.backend.copyOnDevice(copy->storedData(), data, bytes, stream.handle);
  }
  return copy;
}

Ref<Buffer> adoptMemory(const char *op, void *memory, size_t bytes, Device device, std::function<void()> release) {
  if (device.is_cpu()) return Buffer::adopt(memory, bytes, std::move(release));
  Stream &stream = currentStream(device);
  if (bytes && !stream.backend.owns(memory))
    throw value_error(std::string(op) + ": the memory is not of " + device.str());
  return Buffer::adopt(adoptMemory(memory, bytes, stream, std::move(release)), device, bytes);
}

TensorBase onHost(const TensorBase &t) {
  const TensorImpl &i = *t.impl();
  if (i.device().is_cpu()) return t;
  const Ref<Buffer> buffer = i.storage->buffer->rowMajor();
  int64_t first = i.offset, last = i.offset;
  for (size_t d = 0; d < i.sizes.rank(); ++d)
    if (i.sizes[d] > 0) (i.strides[d] < 0 ? first : last) += (i.sizes[d] - 1) * i.strides[d];
  const int64_t count = i.sizes.numel() ? last - first + 1 : 0;
  const size_t item = itemSize(i.dtype());
  Ref<Buffer> memory = Buffer::allocate(static_cast<size_t>(count) * item);
  copyToHost(*buffer, static_cast<size_t>(first) * item, memory->storedData(), memory->bytes());
  return withSpan(i, std::move(memory), first);
}

TensorBase copyTo(const TensorBase &t, Device to, bool nonBlocking) {
  const TensorBase host = denseOnHost(t);
  if (to.is_cpu()) return host;
  const TensorImpl &i = *host.impl();
  const Ref<Buffer> &buffer = i.storage->buffer;
  const size_t bytes = static_cast<size_t>(i.sizes.numel()) * itemSize(i.dtype());
  const void *data = viewOf(host).data;
  if (!bytes || !isPinned(data)) return makeTensor(i.dtype(), i.sizes, copyToDevice(data, bytes, to));
  // Runs beside the work of the current stream, which waits for it where it reads the copy.
  Stream &stream = nonBlocking ? copyStream(to) : currentStream(to);
  Ref<Buffer> copy = Buffer::adopt(allocateBlock(bytes, stream), to, bytes);
  stream.backend.copyToDevice(copy->storedData(), data, bytes, stream.handle);
  if (nonBlocking) inFlight().add(stream.backend, stream, buffer);
  else stream.synchronize();
  return makeTensor(i.dtype(), i.sizes, std::move(copy));
}

} // namespace tensorjit::device
