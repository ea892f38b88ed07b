#include "cpu/emit/Emission.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cpu {

Value Emission::allocateScratch(Type element, int64_t elements) {
  Value offset = b.index(scratchBytes);
  scratchBytes += llvm::alignTo(elements * element.getIntOrFloatBitWidth() / 8, 64);
  return memref::ViewOp::create(b.b, b.loc, MemRefType::get({elements}, element), scratch, offset, ValueRange{});
}

} // namespace tensorjit::cpu
