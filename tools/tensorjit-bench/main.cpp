// Benchmarks that print ratios: see the table below the results. All of Google Benchmark's options work, e.g.
// --benchmark_filter=TrainStep.
#include "Benchmarks.h"
#include "Summary.h"

#include <algorithm>
#include <benchmark/benchmark.h>

namespace {

/// The console's output, and the best time of each benchmark's repetitions.
class Reporter : public benchmark::ConsoleReporter {
public:
  void ReportRuns(const std::vector<Run> &runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run &run : runs) {
      if (run.error_occurred || run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      auto [at, added] = times.emplace(run.run_name.function_name, seconds);
      if (!added) at->second = std::min(at->second, seconds);
    }
  }
  tensorjit::bench::Times times;
};

} // namespace

int main(int argc, char **argv) {
  tensorjit::bench::registerTrainStep();
  tensorjit::bench::registerCompileTime();
  tensorjit::bench::registerRecording();
  tensorjit::bench::registerKernels();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  tensorjit::bench::printSummary(reporter.times);
}
