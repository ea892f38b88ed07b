#include "cpu/Target.h"

#include "tensorjit/error.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

namespace tensorjit::cpu {

// LLVM's name for the host can miss what the host has (a hypervisor's model number), so features are listed.
static std::string hostFeatures() {
  std::string list;
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    if (!list.empty()) list += ',';
    list += feature.second ? '+' : '-';
    list += feature.first();
  }
  return list;
}

static const llvm::Target &lookupNative(const llvm::Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  std::string error;
  const llvm::Target *native = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!native) throw compile_error("no code generator for " + triple.str() + ": " + error);
  return *native;
}

static void readSubtarget(Target &target, const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &subtarget = *machine.getMCSubtargetInfo();
  if (!machine.getTargetTriple().isX86()) {
    target.registers = 32;
    target.fma = target.half = true;
    return;
  }
  target.fma = subtarget.checkFeatures("+fma");
  target.half = subtarget.checkFeatures("+f16c");
  if (subtarget.checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq")) {
    target.vectorBytes = 64;
    target.registers = 32;
  } else if (subtarget.checkFeatures("+avx2")) {
    target.vectorBytes = 32;
  }
}

Target makeTarget(const std::string &cpu) {
  Target target{cpu, ""};
  if (cpu.empty()) {
    target.cpu = llvm::sys::getHostCPUName().str();
    target.features = hostFeatures();
  }
  auto machine = createTargetMachine(target);
  if (!cpu.empty() && !machine->getMCSubtargetInfo()->isCPUStringValid(cpu))
    throw compile_error("unknown CPU '" + cpu + "'");
  readSubtarget(target, *machine);
  return target;
}

std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Target &target) {
  llvm::Triple triple(llvm::sys::getProcessTriple());
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      lookupNative(triple).createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                               llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/false));
}

} // namespace tensorjit::cpu
