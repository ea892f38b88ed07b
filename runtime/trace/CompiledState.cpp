#include "trace/CompiledState.h"
#include "cache/CacheKey.h"
#include "cache/CompilerBuild.h"
#include "cache/ExecutableCache.h"
#include "core/ExitGate.h"
#include "core/NumberText.h"
#include "device/Backend.h"
#include "execute/CallPlan.h"
#include "log/Environment.h"
#include "log/Log.h"
#include "tensorjit/error.h"
#include "trace/CompilerLoader.h"
#include "trace/GraphBuilder.h"
#include "trace/Lines.h"

#include <algorithm>
#include <chrono>

namespace tensorjit::trace {

namespace {

bool isUpdate(const SegmentOutput &o) { return o.leaf != noValue; }

/// Whether two sets of outputs write the same state: only then may one executable serve both.
bool sameUpdates(std::span<const SegmentOutput> a, std::span<const SegmentOutput> b) {
  std::vector<SegmentOutput> ua, ub;
  std::copy_if(a.begin(), a.end(), std::back_inserter(ua), isUpdate);
  std::copy_if(b.begin(), b.end(), std::back_inserter(ub), isUpdate);
  return ua == ub;
}

bool serves(const CompiledSegment &segment, std::span<const SegmentOutput> outputs) {
  if (segment.outputs.size() < outputs.size()) return false;
  if (!std::includes(segment.outputs.begin(), segment.outputs.end(), outputs.begin(), outputs.end())) return false;
  return std::count_if(segment.outputs.begin(), segment.outputs.end(), isUpdate) ==
         std::count_if(outputs.begin(), outputs.end(), isUpdate);
}

CompileOptions compileOptions(const Options &options, Device device) {
  CompileOptions o;
  if (!device.is_cpu()) {
    o.cudaArch = device::backend(device).architecture();
    o.nvrtc = environment().nvrtc;
  }
  o.mode = options.mode == Options::Mode::Full     ? CompileOptions::Mode::Full
           : options.mode == Options::Mode::NoFuse ? CompileOptions::Mode::NoFuse
                                                   : CompileOptions::Mode::NoCodegen;
  o.dumpDir = options.dump;
  o.failForTest = static_cast<CompileOptions::Failure>(options.fail_compile);
  return o;
}

/// What the graph's executable is kept under on disk. Empty where it is not.
std::vector<std::byte> cacheKey(const Graph &graph, const Options &options, const CompileOptions &how) {
  const std::string library = compilerPath();
  if (!options.cache || !how.dumpDir.empty() || library.empty() || !cache::ExecutableCache::shared()) return {};
  static const std::string &build = *new std::string(cache::compilerBuild(library));
  return build.empty() ? std::vector<std::byte>() : cache::key(graph, how, build);
}

} // namespace

size_t CompiledSegment::bytes() const {
  const Executable &exe = program->executable();
  size_t bytes = sizeof *this + outputs.size() * sizeof(SegmentOutput) + inputs.size() * sizeof(ValueId);
  // The executable keeps what was loaded from it.
  bytes += sizeof exe + 2 * (exe.code.size() + exe.constants.size());
  for (const Step &step : exe.steps)
    bytes += sizeof step + step.buffers.size() * sizeof(BufferRef) + step.types.size() * sizeof(TensorType);
  bytes += (exe.inputs.size() + exe.outputs.size()) * sizeof(TensorSpec) + exe.lines.size() * sizeof(SourceLine);
  return bytes;
}

Options CompiledState::withName(Options options) {
  static std::atomic<int> unnamed{0};
  if (options.name.empty()) options.name = "compiled" + std::to_string(++unnamed);
  return options;
}

const CompiledSegment *CompiledState::find(const TraceNode &end, std::span<const SegmentOutput> outputs) {
  for (auto *s = end.segments.load(std::memory_order_acquire); s; s = s->next)
    if (serves(*s, outputs)) return s;
  return nullptr;
}

const CompiledSegment &CompiledState::compile(TraceTree &tree, const TraceNode &end,
                                              std::span<const SegmentOutput> outputs,
                                              std::unique_ptr<CompiledSegment> &temporary) {
  if (frozen_ || options.on_miss != Options::OnMiss::Compile) return miss(tree, end, outputs);
  std::lock_guard lock(compiling_);
  if (const CompiledSegment *s = find(end, outputs)) return *s;
  auto segment = std::make_unique<CompiledSegment>();
  segment->outputs.assign(outputs.begin(), outputs.end());
  addOutputsOfOthers(end, segment->outputs);
  {
    std::lock_guard stats(mutex_);
    segment->name = options.name + "_" +
                    std::to_string(stats_.compiles + stats_.cache_hits + static_cast<int64_t>(pending_.size()));
  }
  Graph graph = buildGraph(end, segment->outputs, segment->name, segment->inputs);
  const Device device = end.device.value_or(Device());
  bool remember = true;
  try {
    if (translate(graph, *segment, device) == Outcome::InProgress) {
      temporary = std::move(segment);
      return *temporary;
    }
  } catch (const device_error &) {
    throw;
  } catch (const compile_error &e) {
    segment->failure = e.what();
  } catch (const std::exception &e) {
    segment->failure = e.what();
    remember = false;
  }
  if (!segment->program) {
    if (options.strict) throw compile_error(options.name + ": " + segment->failure);
    if (!remember || !warned_.exchange(true))
      log::warn(options.name + " (" + text(*end.where) +
                ") is run by eager kernels, it was not compiled: " + segment->failure);
    segment->program = std::make_unique<Program>(planCalls(graph), device);
  }
  if (segment->compiled && log::enabled(log::Channel::Recompiles)) logCompile(end, *segment);
  if (!remember) {
    temporary = std::move(segment);
    return *temporary;
  }
  return tree.keep(end, std::move(segment));
}

const CompiledSegment &CompiledState::interpretAlways(TraceTree &tree, const TraceNode &end,
                                                      std::span<const SegmentOutput> outputs, const char *why) {
  std::lock_guard lock(compiling_);
  if (const CompiledSegment *s = find(end, outputs)) return *s;
  auto segment = interpreted(end, outputs, options.name);
  segment->failure = why;
  return tree.keep(end, std::move(segment));
}

/// A second set of outputs compiles the union with the first, so that calls that alternate need no third.
void CompiledState::addOutputsOfOthers(const TraceNode &end, std::vector<SegmentOutput> &outputs) const {
  for (auto *s = end.segments.load(std::memory_order_acquire); s; s = s->next) {
    if (!sameUpdates(s->outputs, outputs)) continue;
    std::vector<SegmentOutput> both;
    std::set_union(outputs.begin(), outputs.end(), s->outputs.begin(), s->outputs.end(), std::back_inserter(both));
    outputs = std::move(both);
  }
}

/// There is no executable, and none is to be made.
const CompiledSegment &CompiledState::miss(TraceTree &tree, const TraceNode &end,
                                           std::span<const SegmentOutput> outputs) {
  if (options.on_miss == Options::OnMiss::Error)
    throw compile_error(options.name + ": the path of this call, up to " + text(*end.where) +
                        ", has not been compiled, and on_miss is Error");
  return interpretAlways(tree, end, outputs, frozen_ ? "the function is frozen" : "on_miss is Eager");
}

CompiledState::Outcome CompiledState::translate(const Graph &graph, CompiledSegment &segment, Device device) {
  const bool noGenerator = !device.is_cpu() && !device::backend(device).architecture();
  if (noGenerator || options.mode == Options::Mode::NoCodegen) {
    segment.failure = noGenerator ? device.str() + " has no code generator" : "mode no-codegen";
    segment.program = std::make_unique<Program>(planCalls(graph), device);
    return Outcome::Ready;
  }
  const ExitGate<CompilerInterface>::Pass pass;
  if (!pass) {
    segment.failure = "the program is ending";
    segment.program = std::make_unique<Program>(planCalls(graph), device);
    return Outcome::Ready;
  }
  const CompileOptions how = compileOptions(options, device);
  if (options.background) return translateInBackground(graph, how, segment, device);
  const std::vector<std::byte> kept = cacheKey(graph, options, how);
  if (readCached(graph, kept, segment, device)) return Outcome::Ready;
  CompileJob job(graph, how, kept);
  job.run();
  takeUp(job, graph, segment, device);
  return Outcome::Ready;
}

/// The first call on a path starts a compile, and the first one after that has ended takes it up.
CompiledState::Outcome CompiledState::translateInBackground(const Graph &graph, const CompileOptions &how,
                                                            CompiledSegment &segment, Device device) {
  const std::vector<std::byte> key = cache::key(graph, how, "");
  forgetStalePending();
  auto known = std::find_if(pending_.begin(), pending_.end(), [&](const Pending &p) { return p.key == key; });
  if (known != pending_.end() && known->job->done.load(std::memory_order_acquire)) {
    const std::shared_ptr<CompileJob> job = std::move(known->job);
    pending_.erase(known);
    takeUp(*job, graph, segment, device);
    return Outcome::Ready;
  }
  if (known == pending_.end()) {
    const std::vector<std::byte> kept = cacheKey(graph, options, how);
    if (readCached(graph, kept, segment, device)) return Outcome::Ready;
    if (pending_.size() < mostPending) {
      auto job = std::make_shared<CompileJob>(graph, how, kept);
      CompileJob::runInBackground(job);
      pending_.push_back({key, std::move(job), std::chrono::steady_clock::now()});
    }
  }
  segment.failure = "it is being compiled";
  segment.program = std::make_unique<Program>(planCalls(graph), device);
  return Outcome::InProgress;
}

/// Those of the process that this one was forked from, and those that no call has asked for again.
void CompiledState::forgetStalePending() {
  const auto longAgo = std::chrono::steady_clock::now() - std::chrono::minutes(1);
  std::erase_if(pending_, [&](const Pending &p) {
    return p.job->isLost() || (p.since < longAgo && p.job->done.load(std::memory_order_acquire));
  });
}

void CompiledState::takeUp(CompileJob &job, const Graph &graph, CompiledSegment &segment, Device device) {
  if (job.failure) std::rethrow_exception(job.failure);
  enter(std::move(job.executable), std::move(job.report.fusionNotes), graph, segment, device);
  noteCompile(job.report, job.seconds, segment, Origin::Compiler);
}

bool CompiledState::readCached(const Graph &graph, std::span<const std::byte> key, CompiledSegment &segment,
                               Device device) {
  if (key.empty()) return false;
  const auto start = std::chrono::steady_clock::now();
  const cache::ExecutableCache &cache = *cache::ExecutableCache::shared();
  std::optional<cache::CachedExecutable> entry = cache.find(key);
  if (!entry) return false;
  try {
    enter(std::move(entry->executable), std::move(entry->fusionNotes), graph, segment, device);
  } catch (const io_error &e) {
    cache.drop(key, e.what());
    return false;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  noteCompile({{{"cache", seconds}}, {}, {}}, seconds, segment, Origin::Disk);
  return true;
}

/// `executable` may be of an equal graph, from other lines of the user's program.
void CompiledState::enter(Executable executable, std::vector<std::string> fusionNotes, const Graph &graph,
                          CompiledSegment &segment, Device device) {
  executable.name = graph.name;
  executable.lines = graph.lines;
  segment.program = std::make_unique<Program>(std::move(executable), device);
  segment.compiled = true;
  segment.fusionNotes = std::move(fusionNotes);
}

void CompiledState::waitForCompiles() {
  std::vector<Pending> pending;
  {
    std::lock_guard lock(compiling_);
    pending = pending_;
  }
  for (const Pending &p : pending) p.job->wait();
}

void CompiledState::noteCompile(const CompileReport &report, double seconds, const CompiledSegment &segment,
                                Origin origin) {
  {
    std::lock_guard lock(mutex_);
    ++(origin == Origin::Disk ? stats_.cache_hits : stats_.compiles);
    stats_.compile_seconds += seconds;
    for (const auto &[stage, s] : report.stageSeconds) {
      auto at = std::find_if(stats_.stage_seconds.begin(), stats_.stage_seconds.end(),
                             [&](const auto &known) { return known.first == stage; });
      if (at == stats_.stage_seconds.end()) stats_.stage_seconds.emplace_back(stage, s);
      else at->second += s;
    }
  }
  if (log::enabled(log::Channel::Compile))
    for (const auto &[stage, s] : report.stageSeconds)
      log::message(log::Channel::Compile, segment.name + ": " + stage + " " + numberText(s * 1e3) + " ms");
  if (log::enabled(log::Channel::Fusion))
    for (const std::string &note : segment.fusionNotes) log::message(log::Channel::Fusion, segment.name + ": " + note);
}

/// Why there is one more executable: the last op of the path that differs from what earlier calls did in its place.
void CompiledState::logCompile(const TraceNode &end, const CompiledSegment &segment) const {
  std::string why = "first call";
  if (end.segments.load(std::memory_order_acquire)) {
    why = "other results are kept than before";
  } else {
    for (const TraceNode *n = &end; n->parent; n = n->parent)
      if (n->parent->firstChild.load(std::memory_order_acquire) != n) {
        why = "differs from earlier calls at " + text(*n->where);
        break;
      }
  }
  const Executable &exe = segment.program->executable();
  log::message(log::Channel::Recompiles, "compiled " + segment.name + " (" + why +
                                             "): " + std::to_string(exe.steps.size()) + " steps, " +
                                             std::to_string(exe.outputs.size()) + " outputs");
}

std::unique_ptr<CompiledSegment>
CompiledState::interpreted(const TraceNode &end, std::span<const SegmentOutput> outputs, const std::string &name) {
  auto segment = std::make_unique<CompiledSegment>();
  segment->outputs.assign(outputs.begin(), outputs.end());
  segment->name = name;
  const Graph graph = buildGraph(end, outputs, name, segment->inputs);
  segment->program = std::make_unique<Program>(planCalls(graph), end.device.value_or(Device()));
  return segment;
}

void CompiledState::countBreak(const TraceNode &at) {
  breaks_.fetch_add(1, std::memory_order_relaxed);
  if (log::enabled(log::Channel::GraphBreaks))
    log::message(log::Channel::GraphBreaks, options.name + ": graph break at " + text(*at.where) + ": " + at.reason);
}

CompileStats CompiledState::stats() const {
  std::lock_guard lock(mutex_);
  CompileStats s = stats_;
  s.calls = forward.calls();
  s.graph_breaks = breaks_;
  s.eager_segments = eagerRuns_;
  return s;
}

} // namespace tensorjit::trace
