#pragma once
#include "core/TensorImpl.h"
#include "execute/CodeImage.h"
#include "execute/Executable.h"
#include "execute/KernelAbi.h"

#include <memory>
#include <span>
#include <vector>

namespace tensorjit {

namespace device {
class DeviceProgram;
}

/// An Executable with its code opened, ready to run from any number of threads at once.
class Program {
public:
  /// Checks that every reference of the executable stays inside the memory it names and that its kernels exist.
  /// Throws `io_error`; for a device other than the CPU, `device_error`.
  explicit Program(Executable executable, Device device = {});
  ~Program();

  const Executable &executable() const { return executable_; }

  /// Runs the steps, or puts them into the device's current stream. `inputs` and `outputs` point at dense memory of the
  /// specs' types and orders, 64-byte aligned; an output that aliases an input is given that input's pointer. False
  /// when an index check failed: `error` then holds it, steps after the check have not run. On a device the error may
  /// come later, from the next synchronisation.
  bool run(std::span<void *const> inputs, std::span<void *const> outputs, ErrorSlot &error) const;

private:
  void launch(const Step &step, KernelFn fn, void *const *buffers, ErrorSlot &error) const;
  void call(const Step &step, void *const *buffers, ErrorSlot &error) const;

  Executable executable_;
  std::unique_ptr<device::DeviceProgram> onDevice_; ///< null on the CPU
  CodeImage image_;
  std::vector<KernelFn> kernels_; ///< of each step; null for calls
  size_t maxBuffers_ = 0;         ///< of a step
  std::byte *constants_ = nullptr;
  std::shared_ptr<void> constantMemory_; ///< aligned copy of the executable's constants
};

/// What the user is told when an index check fails: op, operand, value, bound and line.
std::string indexErrorText(const Executable &executable, const ErrorSlot &error);

/// Memory for an output or a state that lies as the spec says.
Ref<Buffer> allocateFor(const TensorSpec &spec, Device device = {});

/// Bytes of a dense tensor.
size_t byteSize(const TensorType &type);

} // namespace tensorjit
