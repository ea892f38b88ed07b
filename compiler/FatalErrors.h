#pragma once
/// LLVM ends the process over what it cannot go on from. Here it ends the compile.
#include <functional>
#include <vector>

namespace tensorjit {

/// Runs the jobs at once, each on a thread of its own, and waits for all of them. Rethrows the first one's exception;
/// where LLVM gave up in a job, throws `compile_error` with LLVM's message, or `out_of_memory` where that was why.
/// There is no way back out of LLVM's frames, so that job's thread sleeps for the rest of the process, with the memory
/// of what it was compiling. After eight of those every call throws.
///
/// LLVM has one handler of fatal errors in a process, which is ours while jobs run. A program that shares the LLVM
/// library with the compiler and has a handler of its own loses it to the first compile; an error in one of its own
/// threads during a compile ends the process with LLVM's message, as it does without a handler.
void runGuarded(const std::vector<std::function<void()>> &jobs);

/// What has to happen where LLVM gives up in this thread while the object lives: the destructors of a job's frames
/// never run then. The innermost goes first.
class OnFatalError {
public:
  explicit OnFatalError(std::function<void()> action);
  ~OnFatalError();
  OnFatalError(const OnFatalError &) = delete;
  /// All those of this thread.
  static void runAll();

private:
  std::function<void()> action_;
  OnFatalError *outer_;
};

} // namespace tensorjit
