#pragma once
/// Values on their way between devices.
#include "core/TensorAccess.h"
#include "device/Stream.h"
#include "execute/Executable.h"

#include <optional>

namespace tensorjit::device {

/// Bytes of a buffer's memory, into memory of the host; waits for the work that makes them. Throws what that work
/// raised.
void copyToHost(const Buffer &from, size_t offset, void *to, size_t bytes);
/// A new buffer of a device with these bytes of the host, in the current stream.
Ref<Buffer> copyToDevice(const void *from, size_t bytes, Device device);
/// The same in memory that lies as the spec says, as the bytes do.
Ref<Buffer> copyToDevice(const void *from, const TensorSpec &spec, Device device);
/// A copy on the CPU; waits.
Ref<Buffer> toHost(const Buffer &from);
/// What the current stream does next with a device's memory comes after the work of other streams that it must not
/// meet: before it reads the buffer, and before it writes it. Memory of the host needs no order.
void orderRead(const Buffer &buffer);
void orderWrite(const Buffer &buffer);
/// Bytes of a buffer.
struct ByteRange {
  size_t offset = 0, bytes = 0;
};
/// The bytes of a tensor that lies densely.
ByteRange windowOf(const TensorImpl &t);
/// A copy of a part on its own device, in the current stream.
Ref<Buffer> copyOnDevice(const Buffer &from, ByteRange part);
/// Writes a part of one buffer of a device over a part of another, or the same one, in the current stream. The parts
/// have one size and do not overlap.
void copyOnDevice(const Buffer &from, size_t offset, Buffer &to, ByteRange part);
/// A part of a tensor's memory; strides and offset in elements.
struct Window {
  DType dtype;
  Shape sizes, strides;
  int64_t offset = 0;
};
/// A window as rows of dense bytes, each `pitch` bytes behind the one before.
struct Rows {
  size_t offset = 0, bytes = 0, count = 1, pitch = 0;
};
/// Nothing where the window is no such rows: steps along more than one of its dims, or backward.
std::optional<Rows> rowsOf(const Window &window);
/// Writes a part of one buffer of a device, which lies densely from `offset` on, over rows of another, in the current
/// stream.
void copyRows(const Buffer &from, size_t offset, Buffer &to, const Rows &rows);
/// A copy of a device's or the host's memory that lies as the spec says and has been ordered for the current stream.
Ref<Buffer> copyOf(const void *data, const TensorSpec &spec, Device device);

/// A buffer of another owner's memory, of the host or a device, where it is ready for work of the current stream.
/// `release` is called once, when all that uses the memory is done. Throws `value_error` where the memory is not the
/// device's, naming `op`; nothing has been taken over then.
Ref<Buffer> adoptMemory(const char *op, void *memory, size_t bytes, Device device, std::function<void()> release);

/// The tensor where it lies on the host, else a copy there of the same sizes, dtype and strides, without autograd
/// state. Waits. It is not pending.
TensorBase onHost(const TensorBase &t);

/// A dense copy on `to`, without autograd state. It is not pending.
TensorBase copyTo(const TensorBase &t, Device to, bool nonBlocking);

} // namespace tensorjit::device
