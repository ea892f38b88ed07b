#pragma once
#include "tensorjit/tensor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tensorjit {

/// A saved compiled function, run without its source and without the compiler. It has the captured tensors (weights,
/// optimizer state) as they were when it was saved, and updates them as the function did.
class LoadedExecutable {
public:
  /// On the first device of the kind that the function was saved on. Throws `io_error` for a file that is missing,
  /// damaged or foreign, and `device_error` where the device cannot be opened or does not run the code: code for CUDA
  /// runs on devices of the compute capability that it was compiled for and, for most programs, newer ones. The file
  /// holds native code: load only what you would link.
  explicit LoadedExecutable(const std::string &path);
  /// On `device`. Throws `device_error` too where that is of another kind than the function was saved on.
  LoadedExecutable(const std::string &path, Device device);

  /// Where the function runs and its results lie.
  Device device() const;
  /// Types of the arguments that `run` takes.
  size_t num_arguments() const;
  /// Throws `shape_error`, `type_error` or `device_error` for arguments of other sizes, dtypes or devices than the
  /// function was saved with, and `index_error` as the function did. One call at a time.
  std::vector<Tensor> run(const std::vector<Tensor> &arguments, SourceLocation loc = SourceLocation::current());

private:
  struct State;
  static std::shared_ptr<State> open(const std::string &path, std::optional<Device> device);
  std::shared_ptr<State> state_;
};

} // namespace tensorjit
