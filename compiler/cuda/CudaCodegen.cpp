#include "cuda/CudaCodegen.h"

#include "Dump.h"
#include "cuda/Nvrtc.h"
#include "cuda/Program.h"
#include "tensorjit/error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <limits>

using namespace mlir;

namespace tensorjit::cuda {

static CudaProgram print(ArrayRef<Operation *> kernels) {
  std::string why;
  ScopedDiagnosticHandler handler(kernels.front()->getContext(), [&](Diagnostic &diagnostic) {
    why += (why.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  FailureOr<CudaProgram> program = printProgram(kernels, /*mostSources=*/2);
  if (failed(program)) throw compile_error("there is no CUDA code: " + why);
  return std::move(*program);
}

static uint32_t narrowed(int64_t number, const std::string &kernel) {
  if (number < 0 || number > std::numeric_limits<int32_t>::max())
    throw compile_error("kernel '" + kernel + "' needs a grid of " + std::to_string(number) + " blocks");
  return static_cast<uint32_t>(number);
}

static std::string fileName(const std::string &name, size_t number, const char *suffix) {
  return name + (number ? "-" + std::to_string(number + 1) : "") + suffix;
}

std::vector<std::byte> compileKernels(ArrayRef<Operation *> kernels, ArrayRef<Step *> steps,
                                      const CompileOptions &options, CompileReport *report, const std::string &name) {
  if (kernels.empty()) return {};
  CudaProgram program = print(kernels);
  for (auto [i, source] : llvm::enumerate(program.sources)) dump(options, fileName(name, i, ".cu"), source);
  for (auto [step, launch] : llvm::zip_equal(steps, program.kernels)) {
    step->kernel = launch.name;
    for (size_t i = 0; i < 3; ++i) {
      step->grid[i] = narrowed(launch.grid[i], launch.name);
      step->block[i] = narrowed(launch.block[i], launch.name);
    }
    step->sharedBytes = narrowed(launch.sharedBytes, launch.name);
    step->checks = launch.checksIndex;
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<std::string> ptx =
      compileToPtx(program.sources, architectureFor(options.cudaArch, options.nvrtc), options.nvrtc);
  if (report)
    report->stageSeconds.push_back(
        {"cuda: nvrtc", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  std::vector<std::byte> code;
  for (auto [i, text] : llvm::enumerate(ptx)) {
    dump(options, fileName(name, i, ".ptx"), text);
    auto bytes = reinterpret_cast<const std::byte *>(text.c_str());
    code.insert(code.end(), bytes, bytes + text.size() + 1);
  }
  return code;
}

} // namespace tensorjit::cuda
