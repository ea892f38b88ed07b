#pragma once
#include "core/TensorImpl.h"
#include "execute/Serialize.h"

#include <vector>

namespace tensorjit::trace {

/// Set while a compiled function is called to be saved: the thread's recorder leaves here what it ran.
struct SaveRequest {
  std::vector<Ref<Buffer>> arguments; ///< their values before the call
  std::vector<int64_t> offsets;       ///< of each argument in its buffer, in bytes; -1: the whole buffer
  int segments = 0;                   ///< that were run
  SavedProgram program;
  std::vector<Ref<Buffer>> outputs, memory; ///< of each output: the pending value, what it was computed into

  static inline thread_local SaveRequest *current = nullptr;
};

} // namespace tensorjit::trace
