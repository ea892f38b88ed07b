#pragma once
#include "execute/CompilerInterface.h"
#include "tensorjit/compile_options.h"
#include "trace/CompiledSegment.h"
#include "trace/TraceTree.h"

#include <atomic>
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

private:
  static Options withName(Options options);
  void addOutputsOfOthers(const TraceNode &end, std::vector<SegmentOutput> &outputs) const;
  void translate(const Graph &graph, CompiledSegment &segment, Device device);
  bool readCached(const Graph &graph, std::span<const std::byte> key, CompiledSegment &segment, Device device);
  enum class Origin { Compiler, Disk };
  void noteCompile(const CompileReport &report, double seconds, const CompiledSegment &segment, Origin origin);
  void logCompile(const TraceNode &end, const CompiledSegment &segment) const;

  std::mutex compiling_; ///< a path is compiled once, the others wait
  mutable std::mutex mutex_;
  CompileStats stats_;
  std::atomic<int64_t> breaks_{0}, eagerRuns_{0};
  std::atomic<bool> warned_{false};
};

} // namespace tensorjit::trace
