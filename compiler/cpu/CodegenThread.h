#pragma once
/// The part of code generation that one thread does alone, in an MLIR and an LLVM context of its own.
#include "cpu/Linker.h"
#include "cpu/emit/KernelEmitter.h"
#include "execute/CompilerInterface.h"

namespace tensorjit::cpu {

struct KernelSource {
  std::string symbol;
  std::string text; ///< see kernelText
};

/// Processor time of this thread's stages, which a busy machine does not stretch.
struct CodegenSeconds {
  double emit = 0, lower = 0, translate = 0, optimize = 0, assemble = 0;
};

struct CompiledObject {
  ObjectBytes bytes;
  CodegenSeconds seconds;
  std::vector<std::pair<std::string, EmittedKernel>> kernels; ///< by symbol
};

/// Emits, lowers, optimises and assembles the kernels as one module. Throws `compile_error`.
CompiledObject compileObject(const std::vector<KernelSource> &kernels, const Target &target,
                             const CompileOptions &options);

} // namespace tensorjit::cpu
