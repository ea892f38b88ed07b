#pragma once
/// The only thing the runtime knows of the compiler. The compiler library exports
/// `extern "C" const tensorjit::CompilerInterface *tensorjitCompiler()` and is opened with dlopen at the first compile.
#include "execute/Executable.h"

#include <string>
#include <utility>
#include <vector>

namespace tensorjit {

struct CompileOptions {
  /// Bisects a miscompile: `NoFuse` keeps one kernel an op, `NoCodegen` runs every op through its eager kernel.
  enum class Mode : uint8_t { NoCodegen, NoFuse, Full } mode = Mode::Full;
  std::string dumpDir; ///< every stage's IR is written here; empty: none
  std::string cpu;     ///< LLVM target CPU; empty: the host's features
  int cudaArch = 0;    ///< of a graph for CUDA: compute capability times ten
  std::string nvrtc;   ///< path of the NVRTC library; empty: where the system's loader finds it
  /// A failure to be tested: the compiler refuses, LLVM reports an error, gives up, has no memory.
  enum class Failure : uint8_t { None, Refusal, LlvmError, LlvmFatalError, OutOfMemory } failForTest = Failure::None;
};

struct CompileReport {
  std::vector<std::pair<std::string, double>> stageSeconds;
  std::vector<std::string> fusionNotes; ///< why groups were or were not fused, one line each
  /// Paths of the libraries, other than the compiler's own, that decided what came out.
  std::vector<std::string> libraries;
};

struct CompilerInterface {
  /// Version of this header's layout; the runtime refuses another.
  static constexpr int current = 4;
  int version;
  /// Throws `compile_error` when the graph cannot be compiled, `device_error` where there is no NVRTC or it does not
  /// know the device, anything else when the environment failed (disk, memory, threads) and another try may succeed.
  /// Safe to call from several threads.
  Executable (*compile)(const Graph &graph, const CompileOptions &options, CompileReport *report);
};

} // namespace tensorjit
