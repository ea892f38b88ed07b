#pragma once
#include "execute/ThreadPool.h"

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

private:
  friend void recordAlone(const std::shared_ptr<CompiledState> &, FunctionRef<void(Recorder &)>);
  struct Aside;
};

/// Runs `body` under a recording of its own, whatever this thread records, and then what it has recorded.
void recordAlone(const std::shared_ptr<CompiledState> &state, FunctionRef<void(Recorder &)> body);

/// A pending value that is not this thread's, or that was lost.
[[noreturn]] void failForeign(const Buffer &buffer);

} // namespace tensorjit::trace
