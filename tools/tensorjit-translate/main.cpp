// mlir-translate for this project: kernels as vector code for the CPU, as CUDA C++ and as PTX.
#include "cpu/PrintVector.h"
#include "cuda/Nvrtc.h"
#include "cuda/Program.h"
#include "kernel/Kernel.h"
#include "tensorjit/error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include "llvm/Support/CommandLine.h"

using namespace mlir;

static llvm::cl::opt<std::string> nvrtcLibrary("nvrtc", llvm::cl::desc("path of libnvrtc.so"),
                                               llvm::cl::init("libnvrtc.so.13"));
static llvm::cl::opt<std::string> architecture("arch", llvm::cl::desc("virtual architecture of PTX"),
                                               llvm::cl::init("compute_80"));

static void registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, tensorjit::kernel::KernelDialect>();
}

static LogicalResult toCuda(Operation *op, raw_ostream &out) {
  auto program = tensorjit::cuda::printProgram(op);
  if (failed(program)) return failure();
  out << program->sources[0];
  return success();
}

static LogicalResult toPtx(Operation *op, raw_ostream &out) {
  auto program = tensorjit::cuda::printProgram(op);
  if (failed(program)) return failure();
  try {
    out << tensorjit::cuda::compileToPtx(program->sources[0], architecture, nvrtcLibrary);
  } catch (const tensorjit::Error &error) {
    return op->emitError() << error.what();
  }
  return success();
}

static llvm::cl::opt<std::string> cpuName("cpu", llvm::cl::desc("LLVM name of the CPU to vectorise for"),
                                          llvm::cl::init(""));

static LogicalResult toVector(Operation *op, raw_ostream &out) {
  try {
    tensorjit::cpu::printVectorForm(op, out, cpuName);
  } catch (const tensorjit::compile_error &error) {
    return op->emitError() << error.what();
  }
  return success();
}

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration vector("kernel-to-vector", "kernels as loops over vectors", toVector, registerDialects);
  TranslateFromMLIRRegistration cuda("kernel-to-cuda", "kernels as one CUDA C++ program", toCuda, registerDialects);
  TranslateFromMLIRRegistration ptx("kernel-to-ptx", "kernels as PTX, by way of NVRTC", toPtx, registerDialects);
  return failed(mlirTranslateMain(argc, argv, "TensorJIT translation tool"));
}
