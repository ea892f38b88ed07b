#pragma once
#include "core/TensorImpl.h"
#include "tensorjit/tensor_base.h"
#include "trace/Recorder.h"

namespace tensorjit::device {

Device deviceOfMixed(OpId op, std::span<const TensorBase *const> operands);
/// The device of an op on these operands: that of the tensors, which is one, 0-d tensors of the CPU aside; where there
/// are only such, or none, the default device of the thread. Throws `device_error` for tensors of two devices.
inline Device deviceOf(OpId op, std::span<const TensorBase *const> operands) {
  uint8_t codes = trace::defaultDevice().code();
  for (const TensorBase *t : operands)
    if (t && t->impl()) codes |= t->impl()->device().code();
  return codes ? deviceOfMixed(op, operands) : Device();
}

/// As `eager::run` on a device other than the CPU: the op is compiled as a graph of its own, which is kept.
void runEager(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
              const SourceLocation &loc, Device device);

/// The bytes of a buffer that lies in another order, in row-major order.
Ref<Buffer> rowMajorCopy(const Buffer &from, const TensorType &type, MemoryOrder order);

/// Where a 0-d tensor of the CPU that requires grad joins tensors of a device: the operands with it moved there by an
/// op of the tape, so that its gradient finds the way back. False where none does.
bool moveJoined(OpId op, std::span<const TensorBase *const> operands, std::vector<TensorBase> &moved);

} // namespace tensorjit::device
