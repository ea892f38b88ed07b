#pragma once
#include "execute/CompilerInterface.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringRef.h"

namespace tensorjit {

/// Writes a file into the folder of dumps, where the options name one. A folder that cannot be written is warned of
/// once and stops no compile.
void dump(const CompileOptions &options, const std::string &file, llvm::StringRef text);

/// The graph, with a command above it that repeats its compile and a run on ones: written before anything that might
/// crash.
void dumpReproducer(const CompileOptions &options, const Graph &graph, mlir::func::FuncOp function);

} // namespace tensorjit
