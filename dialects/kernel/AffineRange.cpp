#include "kernel/AffineRange.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace tensorjit::kernel {

static std::optional<AffineRange> rangeOfBinary(AffineBinaryOpExpr expr, ArrayRef<int64_t> dimSizes) {
  auto left = rangeOf(expr.getLHS(), dimSizes), right = rangeOf(expr.getRHS(), dimSizes);
  if (!left || !right) return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) return AffineRange{left->lo + right->lo, left->hi + right->hi};
  // Affine products and quotients have a constant on the right.
  if (right->lo != right->hi) return std::nullopt;
  int64_t c = right->lo;
  if (expr.getKind() == AffineExprKind::Mul) {
    auto [lo, hi] = std::minmax({left->lo * c, left->hi * c});
    return AffineRange{lo, hi};
  }
  if (c <= 0) return std::nullopt;
  AffineRange quotient{llvm::divideFloorSigned(left->lo, c), llvm::divideFloorSigned(left->hi, c)};
  switch (expr.getKind()) {
  case AffineExprKind::FloorDiv: return quotient;
  case AffineExprKind::CeilDiv:
    return AffineRange{llvm::divideCeilSigned(left->lo, c), llvm::divideCeilSigned(left->hi, c)};
  case AffineExprKind::Mod:
    if (quotient.lo == quotient.hi) return AffineRange{left->lo - quotient.lo * c, left->hi - quotient.lo * c};
    return AffineRange{0, c - 1};
  default: return std::nullopt;
  }
}

std::optional<AffineRange> rangeOf(AffineExpr expr, ArrayRef<int64_t> dimSizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) return AffineRange{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= dimSizes.size() || dimSizes[dim.getPosition()] <= 0) return std::nullopt;
    return AffineRange{0, dimSizes[dim.getPosition()] - 1};
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) return rangeOfBinary(binary, dimSizes);
  return std::nullopt;
}

bool isInBounds(AffineMap map, ArrayRef<int64_t> dimSizes, ArrayRef<int64_t> tensorSizes) {
  if (llvm::is_contained(dimSizes, 0)) return true;
  return llvm::all_of(llvm::zip_equal(map.getResults(), tensorSizes), [&](auto pair) {
    if (isa<AffineSymbolExpr>(std::get<0>(pair))) return true;
    auto range = rangeOf(std::get<0>(pair), dimSizes);
    return range && range->lo >= 0 && range->hi < std::get<1>(pair);
  });
}

} // namespace tensorjit::kernel
