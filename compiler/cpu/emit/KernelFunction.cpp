#include "cpu/emit/KernelFunction.h"

#include "kernel/HalfType.h"
#include "kernel/Kernel.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace tensorjit::cpu {

// Of an element of a tensor.
static Type memoryType(Type element) {
  if (element.isInteger(1)) return IntegerType::get(element.getContext(), 8);
  if (kernel::isHalf(element)) return IntegerType::get(element.getContext(), 16);
  return kernel::scalarType(element);
}

MemRefType bufferType(Type tensor, int64_t elements) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  return MemRefType::get({elements}, memoryType(element));
}

MemRefType bufferType(Type tensor) { return bufferType(tensor, cast<RankedTensorType>(tensor).getNumElements()); }

MemRefType scratchType(MLIRContext *context) {
  return MemRefType::get({int64_t(1) << 40}, IntegerType::get(context, 8));
}

KernelFunction makeKernelFunction(ModuleOp module, Location loc, StringRef symbol, ArrayRef<Type> buffers) {
  OpBuilder b(module.getBodyRegion());
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types(buffers);
  types.append(
      {scratchType(b.getContext()), b.getIndexType(), b.getIndexType(), LLVM::LLVMPointerType::get(b.getContext())});
  auto function = func::FuncOp::create(b, loc, symbol, b.getFunctionType(types, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, loc);
  ValueRange arguments = function.getArguments();
  size_t count = buffers.size();
  return {function,
          arguments.take_front(count),
          arguments[count],
          arguments[count + 1],
          arguments[count + 2],
          arguments[count + 3]};
}

} // namespace tensorjit::cpu
