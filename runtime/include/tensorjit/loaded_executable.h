#pragma once
#include "tensorjit/tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace tensorjit {

/// A saved compiled function, run without its source and without the compiler. It has the captured tensors (weights,
/// optimizer state) as they were when it was saved, and updates them as the function did.
class LoadedExecutable {
public:
  /// Throws `io_error` for a file that is missing, damaged or foreign. The file holds native code: load only what you
  /// would link.
  explicit LoadedExecutable(const std::string &path);

  /// Types of the arguments that `run` takes.
  size_t num_arguments() const;
  /// Throws `shape_error` or `type_error` for arguments of other sizes or dtypes than the function was saved with, and
  /// `index_error` as the function did. One call at a time.
  std::vector<Tensor> run(const std::vector<Tensor> &arguments, SourceLocation loc = SourceLocation::current());

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace tensorjit
