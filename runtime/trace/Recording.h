#pragma once
#include <memory>

namespace tensorjit {
class Buffer;
}

namespace tensorjit::trace {

class CompiledState;
class Recorder;
class TraceTree;

/// Starting and ending the recording of a thread.
class Recording {
public:
  /// Null where the thread records already or the function's mode is `Off`.
  static Recorder *start(const std::shared_ptr<CompiledState> &state, TraceTree &tree);
  static void finish(Recorder *recorder);
  /// An exception leaves the function: the ops recorded so far are run by eager kernels.
  static void abandon(Recorder *recorder);
  static void stop(Recorder *recorder);
};

/// A pending value that is not this thread's, or that was lost.
[[noreturn]] void failForeign(const Buffer &buffer);

} // namespace tensorjit::trace
