#include "OwnLlvm.h"

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

#include <cstdio>

static llvm::cl::opt<int> level("program-level", llvm::cl::init(1));

bool readOwnOptions(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  return level == 3;
}

bool useOwnLlvm() {
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
