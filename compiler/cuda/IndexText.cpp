#include "cuda/IndexText.h"

#include "kernel/AffineRange.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tensorjit::cuda {

static constexpr int64_t narrowLimit = int64_t{1} << 31;

static bool needsWideIndex(kernel::NestOp nest) {
  // Threads beyond the last point of the last block are numbered too.
  if (nest.getNumPoints() + 1024 >= narrowLimit) return true;
  for (unsigned i = 0; i < nest.getMaps().size(); ++i) {
    auto type = i < nest.getNumInputs() ? nest.getInputType(i) : nest.getOutputType(i - nest.getNumInputs());
    if (type.getNumElements() >= narrowLimit) return true;
    for (AffineExpr expr : nest.getInputMap(i).getResults()) {
      auto range = kernel::rangeOf(expr, nest.getSizes());
      if (range && (range->lo <= -narrowLimit || range->hi >= narrowLimit)) return true;
    }
  }
  return false;
}

IndexText::IndexText(kernel::NestOp nest) : nest_(nest), wide_(needsWideIndex(nest)) {}

std::string IndexText::number(int64_t value) const { return std::to_string(value) + (wide_ ? "LL" : ""); }

bool IndexText::isNonNegative(AffineExpr expr) const {
  auto range = kernel::rangeOf(expr, nest_.getSizes());
  return !range || range->lo >= 0;
}

std::string IndexText::text(AffineExpr expr) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) return "d" + std::to_string(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() < 0 ? "(" + number(constant.getValue()) + ")" : number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string a = text(binary.getLHS()), b = text(binary.getRHS());
  // C++ rounds quotients toward zero, affine maps round down.
  bool plain = isNonNegative(binary.getLHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add: return "(" + a + " + " + b + ")";
  case AffineExprKind::Mul: return a + " * " + b;
  case AffineExprKind::FloorDiv: return plain ? "(" + a + " / " + b + ")" : "floorDiv(" + a + ", " + b + ")";
  case AffineExprKind::Mod: return plain ? "(" + a + " % " + b + ")" : "floorMod(" + a + ", " + b + ")";
  default: return "-floorDiv(-" + a + ", " + b + ")"; // ceildiv
  }
}

std::string IndexText::position(AffineMap map, ArrayRef<int64_t> sizes) const {
  std::string out;
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) {
    auto constant = dyn_cast<AffineConstantExpr>(map.getResult(i));
    if (constant && constant.getValue() == 0) continue;
    std::string term = text(map.getResult(i));
    if (stride != 1) term += " * " + number(stride);
    out = out.empty() ? term : term + " + " + out;
  }
  return out.empty() ? "0" : out;
}

std::string IndexText::inside(AffineMap map, ArrayRef<int64_t> sizes) const {
  std::string out;
  auto require = [&](const std::string &condition) { out += (out.empty() ? "" : " && ") + condition; };
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), sizes)) {
    auto range = kernel::rangeOf(expr, nest_.getSizes());
    if (!range || range->lo < 0) require(text(expr) + " >= 0");
    if (!range || range->hi >= size) require(text(expr) + " < " + number(size));
  }
  return out;
}

std::string IndexText::defineDims(ArrayRef<unsigned> dims, const std::string &linear, const std::string &indent) const {
  std::string out;
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t size = std::max<int64_t>(nest_.getSize(dims[i]), 1);
    std::string value = stride == 1 ? linear : linear + " / " + number(stride);
    if (i != 0) value = (stride == 1 ? value : "(" + value + ")") + " % " + number(size);
    out += indent + "const " + type() + " d" + std::to_string(dims[i]) + " = " + value + ";\n";
    stride *= size;
  }
  return out;
}

} // namespace tensorjit::cuda
