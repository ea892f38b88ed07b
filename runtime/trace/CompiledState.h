#pragma once
#include "execute/CompilerInterface.h"
#include "tensorjit/compile_options.h"
#include "trace/CompileJob.h"
#include "trace/CompiledSegment.h"
#include "trace/TraceTree.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace tensorjit::trace {

/// All that a compiled function keeps: its recordings, executables and counts. Shared by the function, its calls in
/// progress and the tapes made under it.
class CompiledState {
public:
  explicit CompiledState(Options options) : options(withName(std::move(options))) {}

  const Options options;
  mutable TraceTree forward;
  mutable TraceTree backward; ///< of backward passes outside the function

  /// The executable for the segment that ends at `end` whose outputs include these; null when there is none.
  static const CompiledSegment *find(const TraceNode &end, std::span<const SegmentOutput> outputs);
  /// Makes it. `temporary` receives a segment that must not be remembered: the environment failed, not the graph.
  const CompiledSegment &compile(TraceTree &tree, const TraceNode &end, std::span<const SegmentOutput> outputs,
                                 std::unique_ptr<CompiledSegment> &temporary);
  /// A segment that is too long to be compiled, for eager kernels alone. `why`: for explain().
  const CompiledSegment &interpretAlways(TraceTree &tree, const TraceNode &end, std::span<const SegmentOutput> outputs,
                                         const char *why);
  /// The segment for eager kernels alone, this once.
  static std::unique_ptr<CompiledSegment> interpreted(const TraceNode &end, std::span<const SegmentOutput> outputs,
                                                      const std::string &name);

  void countBreak(const TraceNode &at);
  void countEagerRun() { eagerRuns_.fetch_add(1, std::memory_order_relaxed); }
  CompileStats stats() const;
  std::string explain() const;
  /// From now on no call compiles.
  void freeze() { frozen_ = true; }
  /// Until what is compiled in the background is there for the next call.
  void waitForCompiles();

private:
  static Options withName(Options options);
  void addOutputsOfOthers(const TraceNode &end, std::vector<SegmentOutput> &outputs) const;
  enum class Outcome { Ready, InProgress };
  Outcome translate(const Graph &graph, CompiledSegment &segment, Device device);
  bool readCached(const Graph &graph, std::span<const std::byte> key, CompiledSegment &segment, Device device);
  Outcome translateInBackground(const Graph &graph, const CompileOptions &how, CompiledSegment &segment, Device device);
  void forgetStalePending();
  void takeUp(CompileJob &job, const Graph &graph, CompiledSegment &segment, Device device);
  static void enter(Executable executable, std::vector<std::string> fusionNotes, const Graph &graph,
                    CompiledSegment &segment, Device device);
  enum class Origin { Compiler, Disk };
  void noteCompile(const CompileReport &report, double seconds, const CompiledSegment &segment, Origin origin);
  const CompiledSegment &miss(TraceTree &tree, const TraceNode &end, std::span<const SegmentOutput> outputs);
  void logCompile(const TraceNode &end, const CompiledSegment &segment) const;

  /// Of a compile in the background, until a call takes it up.
  struct Pending {
    std::vector<std::byte> key; ///< of the graph
    std::shared_ptr<CompileJob> job;
    std::chrono::steady_clock::time_point since;
  };

  static constexpr size_t mostPending = 64;

  std::mutex compiling_; ///< a path is compiled once, the others wait
  std::vector<Pending> pending_;
  mutable std::mutex mutex_;
  CompileStats stats_;
  std::atomic<int64_t> breaks_{0}, eagerRuns_{0};
  std::atomic<bool> warned_{false}, frozen_{false};
};

} // namespace tensorjit::trace
