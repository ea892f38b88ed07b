#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tensorjit::cpu {

struct Target;

/// Names the target on every function and runs the few passes that code from the skeletons needs. The standard
/// pipelines take three times as long and buy nothing on code that is already vectorised and tiled.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target);

} // namespace tensorjit::cpu
