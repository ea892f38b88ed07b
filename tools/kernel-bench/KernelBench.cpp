// Kernels of a small CNN and of dense layers, alone: compile time, and speed as a share of the multiply-add peak or in
// bytes a second, on one thread and on two.
#include "KernelRunner.h"
#include "Nests.h"
#include "tensorjit-bench/FmaPeak.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sys/mman.h>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::cpu::test;

namespace {

struct Benchmark {
  const char *name;
  const char *nest;
  double flops; ///< 0: report bytes
  Sizes sizes = {};
};

// Of 128 images, taps outside the image counted.
constexpr double convFlops(int64_t side, int64_t from, int64_t to) { return 2.0 * 128 * side * side * from * to * 9; }

const Benchmark benchmarks[] = {
    {"gemm 1024^3, packed B, bias, relu", packedMatmul, 2.0 * 1024 * 1024 * 1024, {1024, 1024, 1024, 16}},
    {"gemm 128x128x3136, packed B, bias, relu", packedMatmul, 2.0 * 128 * 128 * 3136, {128, 128, 3136, 2}},
    {"gemm 128x3136x128, B as it is", plainMatmul, 2.0 * 128 * 3136 * 128, {128, 3136, 128}},
    {"gemm 128x3136x128, A transposed", transposedMatmul, 2.0 * 128 * 3136 * 128, {128, 3136, 128}},
    {"gemm 128x10x128, B as it is", plainMatmul, 2.0 * 128 * 10 * 128, {128, 10, 128}},
    {"gemm 128x128x10, B as it is", plainMatmul, 2.0 * 128 * 128 * 10, {128, 128, 10}},
    {"gemm 10x128x128, A transposed", transposedMatmul, 2.0 * 10 * 128 * 128, {10, 128, 128}},
    {"conv 3x3 32->64 14x14 b128, bias, relu", convolution, convFlops(14, 32, 64), {128, 32, 14, 64, 14, 2}},
    {"conv 3x3 1->32 28x28 b128, bias, relu", convolution, convFlops(28, 1, 32), {128, 1, 28, 32, 28, 1}},
    {"conv input gradient 64->32 14x14 b128", plainConvolution, convFlops(14, 32, 64), {128, 64, 14, 32, 14, 1}},
    {"conv weight gradient 32->64 14x14 b128",
     convolutionWeightGradient,
     convFlops(14, 32, 64),
     {128, 32, 14, 64, 14, 16, 8}},
    {"conv weight gradient 1->32 28x28 b128",
     convolutionWeightGradient,
     convFlops(28, 1, 32),
     {128, 1, 28, 32, 28, 16, 8}},
    {"pack 1024x1024 transposed", R"(
func.func @f(%w: tensor<1024x1024xf32>) -> tensor<16x1024x64xf32> {
  %r = kernel.nest "k" [parallel 16, parallel 1024, parallel 64]
    ins(%w at affine_map<(p, k, j) -> (p * 64 + j, k)> : tensor<1024x1024xf32>)
    outs(affine_map<(p, k, j) -> (p, k, j)> : tensor<16x1024x64xf32>) {
  ^bb0(%x: f32):
    kernel.yield %x : f32
  }
  return %r : tensor<16x1024x64xf32>
})",
     0},
    {"add 4M", R"(
func.func @f(%a: tensor<4194304xf32>, %b: tensor<4194304xf32>) -> tensor<4194304xf32> {
  %r = kernel.nest "k" [parallel 4194304]
    ins(%a at affine_map<(i) -> (i)> : tensor<4194304xf32>, %b at affine_map<(i) -> (i)> : tensor<4194304xf32>)
    outs(affine_map<(i) -> (i)> : tensor<4194304xf32>) {
  ^bb0(%x: f32, %y: f32):
    %0 = arith.addf %x, %y : f32
    kernel.yield %0 : f32
  }
  return %r : tensor<4194304xf32>
})",
     0},
    {"max pool 2x2, 128x28x28x32, with indices", R"(
func.func @f(%a: tensor<128x28x28x32xf32>) -> (tensor<128x14x14x32xf32>, tensor<128x14x14x32xi64>) {
  %r:2 = kernel.nest "k" [parallel 128, parallel 14, parallel 14, parallel 32, reduction 2, reduction 2]
    ins(%a at affine_map<(n, h, w, c, p, q) -> (n, h * 2 + p, w * 2 + q, c)> : tensor<128x28x28x32xf32>)
    outs(affine_map<(n, h, w, c, p, q) -> (n, h, w, c)> : tensor<128x14x14x32xf32>,
         affine_map<(n, h, w, c, p, q) -> (n, h, w, c)> : tensor<128x14x14x32xi64>) {
  ^bb0(%x: f32):
    %h = kernel.index 1 : i64
    %w = kernel.index 2 : i64
    %p = kernel.index 4 : i64
    %q = kernel.index 5 : i64
    %two = arith.constant 2 : i64
    %row = arith.constant 28 : i64
    %h2 = arith.muli %h, %two : i64
    %w2 = arith.muli %w, %two : i64
    %y = arith.addi %h2, %p : i64
    %z = arith.addi %w2, %q : i64
    %yr = arith.muli %y, %row : i64
    %at = arith.addi %yr, %z : i64
    %v, %i = kernel.arg_reduce max %x, %at : f32
    kernel.yield %v, %i : f32, i64
  }
  return %r#0, %r#1 : tensor<128x14x14x32xf32>, tensor<128x14x14x32xi64>
})",
     0},
    {"softmax 4096x1000", R"(
func.func @f(%a: tensor<4096x1000xf32>) -> tensor<4096x1000xf32> {
  %r = kernel.nest "k" [parallel 4096, reduction 1000]
    ins(%a at affine_map<(i, j) -> (i, j)> : tensor<4096x1000xf32>)
    outs(affine_map<(i, j) -> (i, j)> : tensor<4096x1000xf32>) {
  ^bb0(%x: f32):
    %m = kernel.reduce max %x : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %s = kernel.reduce add %e : f32
    %y = arith.divf %e, %s : f32
    kernel.yield %y : f32
  }
  return %r : tensor<4096x1000xf32>
})",
     0},
    {"bias gradient 16x1568x64", R"(
func.func @f(%a: tensor<16x1568x64xf32>) -> tensor<16x64xf32> {
  %r = kernel.nest "k" [parallel 16, reduction 1568, parallel 64]
    ins(%a at affine_map<(c, i, j) -> (c, i, j)> : tensor<16x1568x64xf32>)
    outs(affine_map<(c, i, j) -> (c, j)> : tensor<16x64xf32>) {
  ^bb0(%x: f32):
    %s = kernel.reduce add %x : f32
    kernel.yield %s : f32
  }
  return %r : tensor<16x64xf32>
})",
     0},
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

class Memory {
public:
  explicit Memory(size_t bytes) : bytes_((bytes + (2 << 20)) & ~size_t((2 << 20) - 1)) {
    data_ = std::aligned_alloc(2 << 20, bytes_);
    madvise(data_, bytes_, MADV_HUGEPAGE);
    unsigned state = 12345;
    for (size_t i = 0; i < bytes_ / 4; ++i) {
      state = state * 1664525 + 1013904223;
      static_cast<float *>(data_)[i] = (state >> 8) / 16777216.0f - 0.5f;
    }
  }
  Memory(Memory &&other) : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
  ~Memory() { std::free(data_); }
  void *get() const { return data_; }

private:
  void *data_;
  size_t bytes_;
};

template <class Function> double best(Function function) {
  double fastest = 1e30, deadline = now() + 0.4;
  for (int i = 0; i < 3 || now() < deadline; ++i) {
    double start = now();
    function();
    fastest = std::min(fastest, now() - start);
  }
  return fastest;
}

// One thread over all units: the sum of each piece's fastest run. A piece is short enough to fit between two
// interruptions on a busy machine.
template <class Function> double bestOfPieces(int64_t extent, Function function) {
  constexpr int64_t maxPieces = 32;
  int64_t pieces = std::min(extent, maxPieces);
  std::vector<double> fastest(pieces, 1e30);
  double deadline = now() + 0.6;
  for (int i = 0; i < 3 || now() < deadline; ++i)
    for (int64_t piece = 0; piece < pieces; ++piece) {
      double start = now();
      function(extent * piece / pieces, extent * (piece + 1) / pieces);
      fastest[piece] = std::min(fastest[piece], now() - start);
    }
  double sum = 0;
  for (double seconds : fastest) sum += seconds;
  return sum;
}

struct Compiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Operation *> kernels;
  std::unique_ptr<KernelLibrary> library;
};

Compiled compile(mlir::MLIRContext &context, const std::string &text) {
  Compiled result;
  result.module = parse(context, text);
  result.module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (!kernel::isKernel(op)) return mlir::WalkResult::advance();
    result.kernels.push_back(op);
    return mlir::WalkResult::skip();
  });
  CompileOptions options;
  if (const char *folder = std::getenv("TENSORJIT_BENCH_DUMP")) options.dumpDir = folder;
  double start = now(), startCpu = std::clock();
  CompileReport report;
  result.library = std::make_unique<KernelLibrary>(*result.module, options, &report);
  std::printf("compiled %zu kernels in %.1f ms, %.1f ms of CPU\n", result.kernels.size(), (now() - start) * 1e3,
              (std::clock() - startCpu) * 1e3 / CLOCKS_PER_SEC);
  for (auto &[stage, seconds] : report.stageSeconds) std::printf("  %-28s %7.1f ms\n", stage.c_str(), seconds * 1e3);
  return result;
}

void measure(const Compiled &compiled, size_t kernel, const std::string &name, double flops) {
  mlir::Operation *op = compiled.kernels[kernel];
  std::vector<Memory> memory;
  double bytes = 0;
  auto types = llvm::to_vector(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (mlir::Type type : types) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    int64_t size = tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
    bytes += size;
    memory.emplace_back(size);
  }
  std::vector<void *> buffers;
  for (Memory &block : memory) buffers.push_back(block.get());
  const cpu::KernelInfo &info = compiled.library->info(kernel);
  std::vector<Memory> scratch;
  for (int i = 0; i < 2; ++i) scratch.emplace_back(info.scratchBytes + 64);
  ErrorSlot error;
  KernelFn function = compiled.library->function(kernel);
  auto run = [&](int64_t lo, int64_t hi, int thread) {
    KernelContext local{&error, scratch[thread].get()};
    function(buffers.data(), lo, hi, &local);
  };
  double one = bestOfPieces(info.extent, [&](int64_t lo, int64_t hi) { run(lo, hi, 0); });
  double two = best([&] {
    std::thread other([&] { run(info.extent / 2, info.extent, 1); });
    run(0, info.extent / 2, 0);
    other.join();
  });
  std::printf("%-40s %8.3f ms, extent %6lld grain %5lld", name.c_str(), one * 1e3, (long long)info.extent,
              (long long)info.grain);
  if (flops) {
    double peak = bench::fmaPeak(1);
    std::printf(", %6.1f GFLOP/s = %3.0f %% of %5.1f; 2 threads %6.1f\n", flops / one * 1e-9, flops / one / peak * 100,
                peak * 1e-9, flops / two * 1e-9);
  } else {
    std::printf(", %6.1f GB/s; 2 threads %6.1f\n", bytes / one * 1e-9, bytes / two * 1e-9);
  }
  std::fflush(stdout);
}

// 2 * points of a product that is summed.
double flopsOf(mlir::Operation *op) {
  auto nest = mlir::dyn_cast<kernel::NestOp>(op);
  if (!nest || nest.getSchedule() != "contraction") return 0;
  return 2.0 * nest.getNumPoints();
}

std::string nameOf(mlir::Operation *op) { return op->getAttrOfType<mlir::StringAttr>("sym_name").getValue().str(); }

// Every kernel of a dumped module, alone.
void measureFile(mlir::MLIRContext &context, const char *path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Compiled compiled = compile(context, text);
  for (size_t i = 0; i < compiled.kernels.size(); ++i)
    measure(compiled, i, nameOf(compiled.kernels[i]), flopsOf(compiled.kernels[i]));
}

// Every stage's fastest of ten compilations.
void measureCompilation(mlir::MLIRContext &context, const char *path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  auto module = parse(context, text);
  std::vector<std::pair<std::string, double>> fastest;
  for (int i = 0; i < 10; ++i) {
    CompileReport report;
    const KernelLibrary library(*module, {}, &report);
    if (fastest.empty()) fastest = report.stageSeconds;
    for (size_t stage = 0; stage < fastest.size(); ++stage)
      fastest[stage].second = std::min(fastest[stage].second, report.stageSeconds[stage].second);
  }
  for (auto &[stage, seconds] : fastest) std::printf("%-28s %7.1f ms\n", stage.c_str(), seconds * 1e3);
}

} // namespace

// kernel-bench [FILTER | FILE.mlir]: built-in kernels whose name holds FILTER, or every kernel of a file.
// kernel-bench --compile FILE.mlir: the stages of compiling a file's kernels.
int main(int argc, char **argv) {
  auto context = makeTestContext();
  if (argc > 2 && argv[1] == std::string("--compile")) {
    measureCompilation(*context, argv[2]);
    return 0;
  }
  if (argc > 1 && llvm::StringRef(argv[1]).ends_with(".mlir")) {
    measureFile(*context, argv[1]);
    return 0;
  }
  for (const Benchmark &benchmark : benchmarks)
    if (argc < 2 || std::strstr(benchmark.name, argv[1]))
      measure(compile(*context, fill(benchmark.nest, benchmark.sizes)), 0, benchmark.name, benchmark.flops);
}
