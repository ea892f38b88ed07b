#pragma once
#include "device/Stream.h"
#include "execute/Executable.h"
#include "execute/KernelAbi.h"

#include <memory>
#include <span>
#include <vector>

namespace tensorjit::device {

struct Block;

/// The steps of an executable on a device: kernels and copies go into the current stream, ops that have no kernel run
/// on the host, on copies of their operands.
class DeviceProgram {
public:
  /// Throws `io_error` where the code lacks a kernel, `device_error` where the device refuses it. The executable
  /// outlives this.
  DeviceProgram(const Executable &executable, Device device);
  ~DeviceProgram();

  /// As `Program::run`. The caller has ordered the memory of inputs and outputs for the current stream.
  bool run(std::span<void *const> inputs, std::span<void *const> outputs, ErrorSlot &error);

private:
  struct Checks;
  Block *copyConstants();
  /// Whether a step reads a number that is on the host.
  bool isOnHost(const BufferRef &ref) const;
  void callOnHost(const Step &step, void *const *buffers, Stream &stream, ErrorSlot &error) const;
  bool checkNow(Stream &stream, ErrorSlot &error);

  const Executable &executable_;
  Backend &backend_;
  std::unique_ptr<Module> module_;
  std::vector<KernelHandle> kernels_; ///< of each step
  size_t maxBuffers_ = 0;
  Block *constants_ = nullptr;
  std::shared_ptr<Checks> checks_; ///< null where kernels check nothing
  size_t firstWrite_ = SIZE_MAX;   ///< the first step behind a check that writes state: by then the check has passed
};

} // namespace tensorjit::device
