#include "cpu/CodegenThread.h"

#include "Dump.h"

#include "cpu/Lowering.h"
#include "cpu/ObjectEmitter.h"
#include "cpu/Optimize.h"
#include "tensorjit/error.h"

#include "kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Target/TargetMachine.h"

#include <ctime>
#include <utility>

using namespace mlir;

namespace tensorjit::cpu {

static void dump(const CompileOptions &options, const std::string &name, llvm::StringRef extension,
                 llvm::function_ref<void(llvm::raw_ostream &)> print) {
  if (options.dumpDir.empty()) return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  dump(options, name + "." + extension.str(), text);
}

static std::unique_ptr<MLIRContext> makeContext() {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  registry.insert<kernel::KernelDialect>();
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

// Errors that LLVM reports before it gives up, or instead; without a handler they end the process.
static void collectErrors(const llvm::DiagnosticInfo *info, void *errors) {
  if (info->getSeverity() != llvm::DS_Error) return;
  llvm::raw_string_ostream stream(*static_cast<std::string *>(errors));
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info->print(printer);
  stream << '\n';
}

static void failForTest(llvm::LLVMContext &context, const CompileOptions &options) {
  if (options.failForTest == CompileOptions::Failure::LlvmError) context.emitError("an injected error");
  if (options.failForTest == CompileOptions::Failure::LlvmFatalError)
    llvm::report_fatal_error("an injected fatal error");
  if (options.failForTest == CompileOptions::Failure::OutOfMemory)
    llvm::report_bad_alloc_error("an injected failure to allocate");
}

static Operation *onlyKernel(ModuleOp module) {
  return &(*module.getOps<func::FuncOp>().begin()).getBody().front().front();
}

static double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

CompiledObject compileObject(const std::vector<KernelSource> &kernels, const Target &target,
                             const CompileOptions &options) {
  CompiledObject result;
  double last = threadSeconds();
  auto finish = [&](double &stage) {
    double now = threadSeconds();
    stage = now - std::exchange(last, now);
  };
  auto context = makeContext();
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(context.get()));
  for (const KernelSource &source : kernels) {
    auto parsed = parseSourceString<ModuleOp>(source.text, ParserConfig(context.get(), /*verifyAfterParse=*/false));
    if (!parsed) throw compile_error("kernel '" + source.symbol + "' does not parse:\n" + source.text);
    result.kernels.push_back({source.symbol, emitKernel(*module, onlyKernel(*parsed), source.symbol, target)});
  }
  const std::string &name = kernels.front().symbol;
  dump(options, name, "vector.mlir", [&](llvm::raw_ostream &stream) { module->print(stream); });
  finish(result.seconds.emit);
  lowerToLlvm(*module);
  finish(result.seconds.lower);
  llvm::LLVMContext llvmContext;
  std::string errors;
  llvmContext.setDiagnosticHandlerCallBack(collectErrors, &errors);
  auto llvmModule = translateToLlvm(*module, llvmContext);
  finish(result.seconds.translate);
  auto machine = createTargetMachine(target);
  optimize(*llvmModule, *machine, target);
  finish(result.seconds.optimize);
  dump(options, name, "ll", [&](llvm::raw_ostream &stream) { llvmModule->print(stream, nullptr); });
  dump(options, name, "s", [&](llvm::raw_ostream &stream) { stream << emitAssembly(*llvmModule, *machine); });
  result.bytes = emitObject(*llvmModule, *machine);
  failForTest(llvmContext, options);
  if (!errors.empty()) throw compile_error("LLVM: " + errors);
  finish(result.seconds.assemble);
  return result;
}

} // namespace tensorjit::cpu
