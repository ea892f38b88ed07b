// What the stand-in driver counts of generated kernels, as ratios: memory traffic to what a kernel must read and write,
// sectors to requests, bank conflicts; registers and spills by ptxas; the time that NVRTC takes.
#include "CudaRunner.h"
#include "Drawing.h"
#include "HalfProducts.h"
#include "KernelRunner.h"
#include "NestCases.h"
#include "TrainStep.h"
#include "cuda/Nvrtc.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace mlir;
using namespace tensorjit;
using namespace tensorjit::cpu::test;
using namespace tensorjit::cuda::test;

namespace {

struct BenchCase {
  const char *nest; ///< a name in nestCases
  Sizes sizes;
};

const BenchCase shapes[] = {
    {"flat", {64, 128, 64}},
    {"add_broadcast", {1024, 512}},
    {"softmax", {512, 1000}},
    {"variance", {512, 1024}},
    {"argmax", {1024, 512}},
    {"column_sum", {512, 1024, 4}},
    {"transpose", {512, 512}},
    {"transpose_blocks", {64, 96, 49, 49}},
    {"channels_last", {32, 64, 28, 28}},
    {"max_pool", {64, 64, 32, 64}},
    {"plain_matmul", {256, 256, 256}},
    {"matmul", {256, 256, 256}},
    {"transposed_matmul", {256, 256, 256}},
    {"plain_conv", {8, 32, 14, 64, 14, 2}},
    {"conv_weight_gradient", {8, 32, 14, 64, 14, 2, 4}},
};

const HalfProduct halfProducts[] = {
    {"f16", 1, 256, 256, 256, true, true},
    {"bf16", 1, 256, 256, 256, true, false},
    {"f16", 1, 256, 256, 256, false, false},
    {"bf16", 1, 2048, 2048, 64, true, true},
};

nlohmann::json counters() {
  auto read = reinterpret_cast<size_t (*)(char *, size_t)>(dlsym(RTLD_DEFAULT, "cudasimCounters"));
  std::string text(read(nullptr, 0), '\0');
  read(text.data(), text.size());
  text.pop_back();
  return nlohmann::json::parse(text);
}
void resetCounters() { reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "cudasimResetCounters"))(); }

size_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * std::max(1u, tensor.getElementTypeBitWidth() / 8);
}

int64_t sectorsOf(TypeRange types) {
  int64_t sectors = 0;
  for (Type type : types) sectors += (bytesOf(type) + 31) / 32;
  return sectors;
}

double ratio(double a, double b) { return b ? a / b : 0; }

void report(Operation *op, const cuda::KernelLaunch &launch, const nlohmann::json &k) {
  const auto &load = k["global_load"], &store = k["global_store"], &shared = k["shared"];
  double points = 0;
  op->walk([&](kernel::NestOp nest) { points += nest.getNumPoints(); });
  std::printf("%-44s %6lld  load %5.2f %5.2f  store %5.2f %5.2f  shared %7.0f conflicts %6.0f  instructions %6.2f\n",
              launch.name.c_str(), static_cast<long long>(launch.grid[0]),
              ratio(load["unique_sectors"], sectorsOf(op->getOperandTypes())),
              ratio(load["bytes"], 32.0 * load["sectors"].get<double>()),
              ratio(store["unique_sectors"], sectorsOf(op->getResultTypes())),
              ratio(store["bytes"], 32.0 * store["sectors"].get<double>()), shared["requests"].get<double>(),
              shared["bank_conflicts"].get<double>(), ratio(k["lane_instructions"], points));
}

void run(ArrayRef<Operation *> kernels) {
  CudaLibrary library(kernels);
  resetCounters();
  for (auto [number, op] : llvm::enumerate(kernels)) {
    std::vector<Bytes> inputs;
    std::vector<size_t> sizes;
    for (Type type : op->getOperandTypes()) inputs.emplace_back(bytesOf(type));
    for (Type type : op->getResultTypes()) sizes.push_back(bytesOf(type));
    library.run(number, inputs, sizes);
  }
  nlohmann::json all = counters()["kernels"];
  for (auto [number, op] : llvm::enumerate(kernels)) {
    const cuda::KernelLaunch &launch = library.program().kernels[number];
    report(op, launch, all[launch.name]);
  }
}

/// From begin to end, as the product compiles kernels.
double productSeconds(ArrayRef<Operation *> kernels) {
  auto program = cuda::printProgram(kernels, /*mostSources=*/2);
  auto start = std::chrono::steady_clock::now();
  cuda::compileToPtx(program->sources, "compute_80", TENSORJIT_TEST_NVRTC);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Of the processor, which others may be using too.
double compileSeconds(const std::string &source) {
  auto start = std::clock();
  cuda::compileToPtx(source, "compute_80", TENSORJIT_TEST_NVRTC);
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

void printAssembly(const std::string &source, const char *virtualArchitecture, const char *architecture) {
  PtxasReport report = assemble(source, virtualArchitecture, architecture);
  if (report.status || report.spilledBytes || getenv("TENSORJIT_BENCH_KERNELS"))
    std::printf("%s", report.output.c_str());
  std::printf("ptxas for %s: status %d, %d kernels, at most %d registers, %lld bytes spilled\n", architecture,
              report.status, report.kernels, report.mostRegisters, static_cast<long long>(report.spilledBytes));
}

void printProgramFacts(ArrayRef<Operation *> kernels) {
  auto program = cuda::printProgram(kernels);
  std::printf("%zu kernels, %zu bytes of source\n", kernels.size(), program->sources[0].size());
  if (const char *file = getenv("TENSORJIT_TEST_DUMP")) std::ofstream(file) << program->sources[0];
  double first = productSeconds(kernels), second = productSeconds(kernels);
  std::printf("NVRTC: %.0f ms at first and %.0f ms again by two threads, %.0f ms of CPU time; %.0f ms for %s alone\n",
              1e3 * first, 1e3 * second, 1e3 * compileSeconds(program->sources[0]),
              1e3 * compileSeconds(cuda::printProgram(kernels.take_front())->sources[0]),
              program->kernels[0].name.c_str());
  if (getenv("TENSORJIT_BENCH_KERNELS"))
    for (Operation *op : kernels) {
      auto alone = cuda::printProgram(ArrayRef<Operation *>(op));
      std::printf("  %4.0f ms  %s\n", 1e3 * compileSeconds(alone->sources[0]), alone->kernels[0].name.c_str());
    }
  printAssembly(program->sources[0], "compute_80", "sm_80");
  printAssembly(program->sources[0], "compute_90a", "sm_90a");
  printAssembly(program->sources[0], "compute_100", "sm_100");
}

} // namespace

int main(int argc, char **argv) {
  StringRef only = argc > 1 ? argv[1] : "";
  std::printf("kernel, blocks; unique sectors to compulsory ones, used share of the sectors of a request\n");
  CompilerContext context;
  std::vector<OwningOpRef<ModuleOp>> modules;
  SmallVector<Operation *> kernels;
  for (const BenchCase &shape : shapes)
    for (const NestCase &test : nestCases()) {
      if (shape.nest != StringRef(test.name) || (!only.empty() && only != shape.nest)) continue;
      modules.push_back(parse(context.mlir, fill(test.nest, shape.sizes)));
      for (Operation *op : kernelsOf(*modules.back())) {
        op->setAttr("sym_name", StringAttr::get(&context.mlir, shape.nest));
        kernels.push_back(op);
      }
    }
  for (const char *op : {"random_bits", "random_normal"}) {
    if (!only.empty() && only != op) continue;
    modules.push_back(drawing(context.mlir, op, op == StringRef("random_bits") ? "i32" : "f32", 1 << 20));
    llvm::append_range(kernels, kernelsOf(*modules.back()));
  }
  for (const HalfProduct &product : halfProducts) {
    if (!only.empty() && only != "half") continue;
    modules.push_back(parse(context.mlir, product.nest()));
    llvm::append_range(kernels, kernelsOf(*modules.back()));
  }
  if (!kernels.empty()) run(kernels);
  if (!kernels.empty()) printProgramFacts(kernels);
  if (!only.empty() && !only.starts_with("train-step")) return 0;
  auto step = lowerTrainStep(context.mlir, 128);
  auto stepKernels = kernelsOf(*step);
  if (only != "train-step-compile") run(stepKernels);
  printProgramFacts(stepKernels);
}
