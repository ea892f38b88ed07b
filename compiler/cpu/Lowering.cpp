#include "cpu/Lowering.h"

#include "tensorjit/error.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tensorjit::cpu {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void convert(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  LLVMTypeConverter types(context, options);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  populateVectorToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyFullConversion(module, target, std::move(patterns))))
    throw compile_error("a kernel's code cannot be converted to LLVM");
}

// Buffers and scratch come first, then lo, hi and the context.
static SmallVector<Value> loadArguments(OpBuilder &b, LLVM::LLVMFuncOp body, Block *entry) {
  Location loc = body.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto load = [&](Value base, int64_t slot) -> Value {
    Value address = LLVM::GEPOp::create(b, loc, pointer, pointer, base, ArrayRef<LLVM::GEPArg>{int32_t(slot)});
    return LLVM::LoadOp::create(b, loc, pointer, address);
  };
  Value buffers = entry->getArgument(0), context = entry->getArgument(3);
  unsigned bufferCount = body.getNumArguments() - 4;
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < bufferCount; ++i) arguments.push_back(load(buffers, i));
  arguments.push_back(load(context, 1)); // KernelContext::scratch
  arguments.append({entry->getArgument(1), entry->getArgument(2), context});
  return arguments;
}

static void addEntryPoint(LLVM::LLVMFuncOp body) {
  OpBuilder b(body);
  Location loc = body.getLoc();
  std::string name = body.getSymName().str();
  body.setSymName(name + ".body");
  body.setLinkage(LLVM::Linkage::Internal);
  body.setAlwaysInline(true);
  body->removeAttr("kernel.entry");
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);
  LLVM::CallOp::create(b, loc, body, loadArguments(b, body, block));
  LLVM::ReturnOp::create(b, loc, ValueRange{});
}

void lowerToLlvm(ModuleOp module) {
  convert(module);
  for (auto function : llvm::to_vector(module.getOps<LLVM::LLVMFuncOp>()))
    if (function->hasAttr("kernel.entry")) addEntryPoint(function);
}

std::unique_ptr<llvm::Module> translateToLlvm(ModuleOp module, llvm::LLVMContext &context) {
  auto translated = translateModuleToLLVMIR(module, context);
  if (!translated) throw compile_error("a kernel's code cannot be translated to LLVM IR");
  return translated;
}

} // namespace tensorjit::cpu
