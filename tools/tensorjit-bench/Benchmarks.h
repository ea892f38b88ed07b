#pragma once

namespace tensorjit::bench {

/// Each registers its benchmarks and the lines of the summary that they feed.
void registerTrainStep();
void registerCompileTime();
void registerRecording();
void registerKernels();
void registerInputPipeline();

} // namespace tensorjit::bench
