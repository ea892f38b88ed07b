// Benchmarks that print ratios: see the table below the results. All of Google Benchmark's options work, e.g.
// --benchmark_filter=TrainStep.
#include "Benchmarks.h"
#include "Summary.h"

#include <cstdlib>

int main(int argc, char **argv) {
  setenv("TENSORJIT_CACHE_DIR", "", /*overwrite=*/0); // compiles are part of what is measured
  tensorjit::bench::registerTrainStep();
  tensorjit::bench::registerInputPipeline();
  tensorjit::bench::registerCompileTime();
  tensorjit::bench::registerRecording();
  tensorjit::bench::registerDeviceCall();
  tensorjit::bench::registerKernels();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  tensorjit::bench::printSummary();
}
