#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tensorjit {

/// How a function is compiled. Defaults come from the environment variable TENSORJIT_FLAGS, a list like
/// "mode=no-fuse,strict".
struct Options {
  Options(); ///< as TENSORJIT_FLAGS says

  /// Bisects a wrong result: `Off` runs the function as it is, `NoCodegen` records it but runs every op through its
  /// eager kernel, `NoFuse` compiles one kernel an op.
  enum class Mode { Off, NoCodegen, NoFuse, Full } mode = Mode::Full;
  /// Throws `compile_error` where the compiler refuses, instead of a warning and an eager run.
  bool strict = false;
  /// Calls go on with eager kernels while a thread of low priority compiles; the first call after that takes up what it
  /// made. Whether a call is served by the one or the other, which may differ in the last bits, then depends on time.
  /// "background" in TENSORJIT_FLAGS.
  bool background = false;
  /// What a call does that finds no executable: compiles one, runs with eager kernels, or throws `compile_error`; for
  /// programs that may not stall.
  enum class OnMiss { Compile, Eager, Error } on_miss = OnMiss::Compile;
  /// Keeps compiled programs on disk, for later processes and other functions (TENSORJIT_CACHE_DIR names the folder,
  /// ~/.cache/tensorjit else); "no-cache" in TENSORJIT_FLAGS. A compile with a dump neither reads nor writes there.
  bool cache = true;
  /// Names kernels, dumps and messages; empty: "compiled", with a number.
  std::string name;
  /// Every stage's IR and the generated code is written here; empty: none. TENSORJIT_DUMP sets it. The first line of
  /// each `*.0-graph.mlir` is a tensorjit-run command, for that folder, that repeats the compile.
  std::string dump;
  /// Makes each compile fail, to test what a program does then: the compiler refuses, LLVM reports an error, LLVM gives
  /// up in a way that ends a process.
  enum class Failure { None, Refusal, LlvmError, LlvmFatalError } fail_compile = Failure::None;
};

/// What a compiled function has done so far.
struct CompileStats {
  int64_t calls = 0;
  int64_t compiles = 0;                                      ///< executables made
  int64_t cache_hits = 0;                                    ///< executables read from disk instead
  int64_t graph_breaks = 0;                                  ///< times a call was cut to read data
  int64_t eager_segments = 0;                                ///< runs of recorded ops through eager kernels
  double compile_seconds = 0;                                ///< for both
  std::vector<std::pair<std::string, double>> stage_seconds; ///< in order of first use
};

} // namespace tensorjit
