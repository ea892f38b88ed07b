// Every stage of the compiler, in order.
#include "Pipeline.h"

#include "Dump.h"
#include "Stage.h"
#include "cpu/CpuCodegen.h"
#include "cpu/Target.h"
#include "cuda/CudaCodegen.h"
#include "cuda/Nvrtc.h"
#include "cuda/Program.h"
#include "execute/CallPlan.h"
#include "fuse/Fuse.h"
#include "fuse/FusionSteps.h"
#include "import/Import.h"
#include "layout/Layout.h"
#include "lower/Lower.h"
#include "plan/Plan.h"
#include "schedule/Schedule.h"
#include "schedule/ScheduleSteps.h"
#include "simplify/Simplify.h"
#include "tensorjit/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include "llvm/TargetParser/Host.h"

#include <dlfcn.h>
#include <filesystem>

using namespace mlir;

namespace tensorjit {

// Of the CPU; CUDA has none.
static std::optional<layout::VectorUnit> vectorUnit(const Graph &graph, const CompileOptions &options) {
  if (graph.device != DeviceType::CPU) return std::nullopt;
  cpu::Target target = cpu::makeTarget(options.cpu);
  return layout::VectorUnit{target.vectorBytes, target.registers};
}

// What contractions of a few blocks are split for.
static int64_t multiprocessors(const Graph &graph) {
  return graph.device == DeviceType::CUDA ? cuda::multiprocessors : 0;
}

static void compileForCpu(Plan &plan, const CompileOptions &options, CompileReport *report) {
  std::vector<cpu::KernelInfo> kernels(plan.kernels.size());
  plan.executable.code = cpu::compileKernels(plan.kernels, kernels, options, report);
  enterKernelInfo(plan, kernels);
}

static void compileForCuda(Plan &plan, const CompileOptions &options, CompileReport *report) {
  SmallVector<Operation *> kernels;
  SmallVector<Step *> steps;
  for (const cpu::KernelRequest &request : plan.kernels) kernels.push_back(request.kernelOp);
  for (unsigned launch : plan.launches) steps.push_back(&plan.executable.steps[launch]);
  plan.executable.code = cuda::compileKernels(kernels, steps, options, report, plan.executable.name);
}

// What the compiler's code comes from besides its own library.
static std::vector<std::string> libraries(const Graph &graph, const CompileOptions &options) {
  std::vector<const void *> addresses = {reinterpret_cast<const void *>(&llvm::sys::getDefaultTargetTriple),
                                         reinterpret_cast<const void *>(&verify)};
  if (graph.device == DeviceType::CUDA) addresses.push_back(cuda::addressIn(options.nvrtc));
  std::vector<std::string> files;
  for (const void *address : addresses) {
    Dl_info library;
    if (dladdr(address, &library) && library.dli_fname) files.push_back(std::filesystem::absolute(library.dli_fname));
  }
  return files;
}

static KernelRefusal refusalFor(DeviceType device) {
  return device == DeviceType::CUDA ? cuda::refusalOf : cpu::refusalOf;
}

Executable compileGraph(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  if (options.failForTest == CompileOptions::Failure::Refusal) throw compile_error("compilation was told to fail");
  if (options.mode == CompileOptions::Mode::NoCodegen) return planCalls(graph);

  CompilerContext context;
  StageLog log(graph, options, report);
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  log.run("import", function, [&] {
    module = importGraph(&context.mlir, graph);
    function = *module->getOps<func::FuncOp>().begin();
  });
  dumpReproducer(options, graph, function);
  context.check(function);
  bool full = options.mode == CompileOptions::Mode::Full;

  log.run("compute-types", function, [&] { computeInWideTypes(function); });
  log.run("simplify", function, [&] { simplify(function); });
  log.run("lower", function, [&] { lower(function, report, refusalFor(graph.device)); });
  if (full) log.run("fuse", function, [&] { fuse(function, report); });
  if (full) log.run("layout", function, [&] { chooseLayouts(function, vectorUnit(graph, options)); });
  log.run("schedule", function, [&] { schedule(function, multiprocessors(graph)); });
  if (full && graph.device == DeviceType::CUDA)
    log.run("store halves", function, [&] { layout::storeHalves(function); });
  if (full && graph.device == DeviceType::CPU)
    log.run("store indices", function, [&] { layout::storeIndices(function); });
  if (full && graph.device == DeviceType::CPU)
    log.run("chain", function, [&] { schedule_steps::chainNests(function); });
  if (full) log.run("group", function, [&] { fuse_nests::groupNests(function); });
  // LLVM would end the process over what this finds; here it is a compile that failed.
  log.run("verify", [&] { context.check(function); });
  Plan plan = log.run("plan", [&] { return planFunction(function, graph); });

  switch (graph.device) {
  case DeviceType::CPU: log.run("cpu", [&] { compileForCpu(plan, options, report); }); break;
  case DeviceType::CUDA: log.run("cuda", [&] { compileForCuda(plan, options, report); }); break;
  case DeviceType::Null: throw compile_error("there is no code generator for the device");
  }
  if (report) report->libraries = libraries(graph, options);
  return std::move(plan.executable);
}

} // namespace tensorjit
