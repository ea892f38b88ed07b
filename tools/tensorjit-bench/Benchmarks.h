#pragma once

namespace tensorjit::bench {

/// Each registers its benchmarks and the lines of the summary that they feed.
void registerTrainStep();
void registerCompileTime();
void registerRecording();
/// Nothing where there is no CUDA device.
void registerDeviceCall();
void registerKernels();
void registerInputPipeline();

} // namespace tensorjit::bench
