#include "cpu/CpuCodegen.h"

#include "FatalErrors.h"
#include "cpu/CodegenThread.h"
#include "cpu/KernelText.h"
#include "cpu/Linker.h"
#include "tensorjit/error.h"

#include "kernel/Kernel.h"

#include "llvm/ADT/StringMap.h"

#include <chrono>
#include <thread>

namespace tensorjit::cpu {

using Clock = std::chrono::steady_clock;

static void addStage(CompileReport *report, const char *name, Clock::time_point start) {
  if (report) report->stageSeconds.push_back({name, std::chrono::duration<double>(Clock::now() - start).count()});
}

namespace {
struct Work {
  std::vector<KernelSource> kernels;                              ///< different ones
  std::vector<size_t> kernelOfRequest;                            ///< index into `kernels`
  std::vector<std::pair<std::string, std::string>> symbolAliases; ///< other name, name of the body
};
} // namespace

static Work collect(llvm::ArrayRef<KernelRequest> requests) {
  Work work;
  llvm::StringMap<size_t> known;
  for (const KernelRequest &request : requests) {
    if (auto refusal = refusalOf(request.kernelOp)) throw compile_error("kernel '" + request.symbol + "': " + *refusal);
    std::string text = kernelText(request.kernelOp);
    auto [entry, isNew] = known.try_emplace(text, work.kernels.size());
    work.kernelOfRequest.push_back(entry->second);
    if (isNew) {
      work.kernels.push_back({request.symbol, std::move(text)});
    } else {
      work.symbolAliases.push_back({request.symbol, work.kernels[entry->second].symbol});
    }
  }
  return work;
}

// About the time that a kernel's code takes: loops, a register tile, and polynomials are what is long.
static size_t estimateCost(const KernelSource &kernel) {
  llvm::StringRef text = kernel.text;
  return text.count("kernel.nest") + 2 * text.count("\"contraction\"") + 3 * text.count(" math.");
}

// A module of its own costs a thread about two milliseconds.
constexpr size_t kernelsOfAThread = 4;
constexpr size_t mostThreads = 4;

// The longest kernel first, each to the thread with the least to do.
static std::vector<std::vector<KernelSource>> shareOut(const std::vector<KernelSource> &kernels) {
  size_t cores = std::max(1u, std::thread::hardware_concurrency());
  size_t threads = std::clamp<size_t>(kernels.size() / kernelsOfAThread, kernels.size() > 1 ? 2 : 1, mostThreads);
  std::vector<const KernelSource *> order;
  for (const KernelSource &kernel : kernels) order.push_back(&kernel);
  llvm::stable_sort(order, [](auto *a, auto *b) { return estimateCost(*a) > estimateCost(*b); });
  std::vector<std::vector<KernelSource>> shares(std::min(threads, cores));
  std::vector<size_t> costs(shares.size(), 0);
  for (const KernelSource *kernel : order) {
    size_t thread = std::min_element(costs.begin(), costs.end()) - costs.begin();
    costs[thread] += estimateCost(*kernel);
    shares[thread].push_back(*kernel);
  }
  return shares;
}

static std::vector<CompiledObject> compileAll(const std::vector<KernelSource> &kernels, const Target &target,
                                              const CompileOptions &options) {
  std::vector<std::vector<KernelSource>> shares = shareOut(kernels);
  std::vector<CompiledObject> objects(shares.size());
  std::vector<std::function<void()>> jobs;
  for (size_t i = 0; i < shares.size(); ++i)
    jobs.push_back([&, i] { objects[i] = compileObject(shares[i], target, options); });
  runGuarded(jobs);
  return objects;
}

// Sums over the threads.
static void addThreadStages(CompileReport *report, llvm::ArrayRef<CompiledObject> objects) {
  if (!report) return;
  CodegenSeconds sum;
  for (const CompiledObject &object : objects) {
    sum.emit += object.seconds.emit;
    sum.lower += object.seconds.lower;
    sum.translate += object.seconds.translate;
    sum.optimize += object.seconds.optimize;
    sum.assemble += object.seconds.assemble;
  }
  report->stageSeconds.push_back({"cpu: emit (threads)", sum.emit});
  report->stageSeconds.push_back({"cpu: lower (threads)", sum.lower});
  report->stageSeconds.push_back({"cpu: translate (threads)", sum.translate});
  report->stageSeconds.push_back({"cpu: optimize (threads)", sum.optimize});
  report->stageSeconds.push_back({"cpu: assemble (threads)", sum.assemble});
}

std::vector<std::byte> compileKernels(llvm::ArrayRef<KernelRequest> requests, llvm::MutableArrayRef<KernelInfo> infos,
                                      const CompileOptions &options, CompileReport *report) {
  auto start = Clock::now();
  Work work = collect(requests);
  Target target = makeTarget(options.cpu);
  addStage(report, "cpu: collect", start);

  start = Clock::now();
  std::vector<CompiledObject> objects = compileAll(work.kernels, target, options);
  llvm::StringMap<EmittedKernel> emitted;
  std::vector<ObjectBytes> bytes;
  bool needsLibm = false;
  addThreadStages(report, objects);
  for (CompiledObject &object : objects) {
    for (auto &[symbol, kernel] : object.kernels) {
      emitted[symbol] = kernel;
      needsLibm |= kernel.callsLibm;
    }
    bytes.push_back(std::move(object.bytes));
  }
  addStage(report, "cpu: code", start);

  start = Clock::now();
  for (auto [info, kernel] : llvm::zip_equal(infos, work.kernelOfRequest)) {
    const EmittedKernel &known = emitted[work.kernels[kernel].symbol];
    info = {known.extent, known.grain, known.scratchBytes};
  }
  auto code = linkSharedObject(bytes, work.symbolAliases, needsLibm);
  addStage(report, "cpu: link", start);
  return code;
}

} // namespace tensorjit::cpu
