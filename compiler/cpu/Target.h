#pragma once
/// The machine that kernels are compiled for.
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace tensorjit::cpu {

struct Target {
  std::string cpu;      ///< LLVM's name; used for tuning when `features` is not empty
  std::string features; ///< "+avx512f,-sse4a,..."; empty: those of `cpu`
  int vectorBytes = 16; ///< of the widest vector register that kernels use
  int registers = 16;   ///< how many of them there are
  bool fma = false;     ///< fused multiply-add is an instruction, not a call
  bool half = false;    ///< so are conversions of f16

  /// Elements of `bytes` each in a register.
  int lanes(int bytes) const { return vectorBytes / bytes; }
  /// Instructions take one element from memory and spread it over the lanes of an operand.
  bool spreadsFromMemory() const { return vectorBytes == 64; }
};

/// The named LLVM CPU, or the host's when the name is empty. Throws `compile_error` for an unknown name.
Target makeTarget(const std::string &cpu);

/// A code generator of its own for one compile thread.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Target &target);

} // namespace tensorjit::cpu
