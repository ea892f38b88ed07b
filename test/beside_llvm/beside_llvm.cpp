// A program that uses an LLVM and MLIR of its own, before, after and while TensorJIT compiles.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"

#include <tensorjit/tensorjit.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace tj = tensorjit;

// An option of the program's, and one that LLVM does not let be registered twice.
static llvm::cl::opt<int> level("program-level", llvm::cl::init(1));

#define REQUIRE(condition)                                                                                             \
  if (!(condition)) return std::fprintf(stderr, "not true: %s\n", #condition), false

static bool useOwnLlvm() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f() -> i32 { %a = arith.constant 20 : i32 %b = arith.constant 22 : i32 "
      "%c = arith.addi %a, %b : i32 return %c : i32 }",
      &context);
  REQUIRE(module);
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCanonicalizerPass());
  REQUIRE(mlir::succeeded(passes.run(*module)));
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  REQUIRE(text.find("arith.constant 42") != text.npos);

  llvm::InitializeNativeTarget();
  llvm::LLVMContext llvmContext;
  llvm::Module llvmModule("own", llvmContext);
  llvm::IRBuilder<> builder(llvmContext);
  REQUIRE(builder.getInt32(7) == llvm::ConstantInt::get(llvm::Type::getInt32Ty(llvmContext), 7));
  return true;
}

static bool compileAndRun(float factor) {
  tj::Options options;
  options.strict = true;
  auto f = tj::compile([=](const tj::Tensor &x) { return (x * factor + 1.f).sum(); }, options);
  REQUIRE(f(tj::ones({100})).item() == 100 * factor + 100);
  REQUIRE(f.stats().compiles == 1);
  return true;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  bool ok = level == 3 && useOwnLlvm() && compileAndRun(2) && useOwnLlvm();
  std::atomic<bool> other{true};
  std::thread thread([&] {
    for (int i = 0; i < 10; ++i) other = other && useOwnLlvm();
  });
  for (int i = 0; i < 5; ++i) ok = ok && compileAndRun(static_cast<float>(3 + i));
  thread.join();
  return ok && other ? 0 : 1;
}
