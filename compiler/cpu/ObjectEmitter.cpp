#include "cpu/ObjectEmitter.h"

#include "tensorjit/error.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tensorjit::cpu {

static llvm::SmallVector<char, 0> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true))
    throw compile_error("the target cannot write object files");
  passes.run(module);
  return bytes;
}

llvm::SmallVector<char, 0> emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  return emit(module, machine, llvm::CodeGenFileType::ObjectFile);
}

std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine) {
  // Code generation changes the module it reads.
  auto copy = llvm::CloneModule(module);
  auto text = emit(*copy, machine, llvm::CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

} // namespace tensorjit::cpu
