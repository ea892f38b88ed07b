#include "cpu/Optimize.h"

#include "cpu/Target.h"
#include "tensorjit/error.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace tensorjit::cpu {

static constexpr const char *passes =
    "always-inline,function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),"
    "early-cse<memssa>,adce,simplifycfg),globaldce";

static void describeTarget(llvm::Module &module, llvm::TargetMachine &machine, const Target &target) {
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBytes * 8));
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, const Target &target) {
  describeTarget(module, machine, target);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager pipeline;
  if (auto error = builder.parsePassPipeline(pipeline, passes))
    throw compile_error("LLVM pass list: " + llvm::toString(std::move(error)));
  pipeline.run(module, modules);
}

} // namespace tensorjit::cpu
