#pragma once
#include "execute/CompilerInterface.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace tensorjit::trace {

/// One compile: what is asked for and, once `done`, what has become of it.
struct CompileJob {
  /// `cacheKey`: what the executable is kept under on disk; empty: it is not.
  CompileJob(Graph graph, CompileOptions options, std::vector<std::byte> cacheKey)
      : graph(std::move(graph)), options(std::move(options)), cacheKey(std::move(cacheKey)) {}

  const Graph graph;
  const CompileOptions options;
  const std::vector<std::byte> cacheKey;

  std::atomic<bool> done{false};
  std::exception_ptr failure; ///< what the compiler threw
  Executable executable;
  CompileReport report;
  double seconds = 0;

  void run() noexcept;
  /// Lets a thread of low priority run it, after those that it was given before. Throws `std::system_error` where no
  /// thread is to be had.
  static void runInBackground(const std::shared_ptr<CompileJob> &job);
  /// Of a job that was given to that thread; one of the process that this one was forked from is never done.
  void wait() const;
  bool isLost() const;

private:
  int process_ = 0; ///< that runs it
};

} // namespace tensorjit::trace
