#pragma once
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tensorjit::cpu {

/// A relocatable ELF object of the module's functions.
llvm::SmallVector<char, 0> emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// The same code as text, for dumps.
std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tensorjit::cpu
