#include "cuda/IndexText.h"

#include "kernel/AffineRange.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using tensorjit::nest::Access;
using tensorjit::nest::Guard;
using tensorjit::nest::Space;

namespace tensorjit::cuda {

static constexpr int64_t narrowLimit = int64_t{1} << 31;

static bool isWide(const Space &space, AffineExpr expr) {
  auto range = kernel::rangeOf(expr, space.sizes);
  return range && (range->lo <= -narrowLimit || range->hi >= narrowLimit);
}

static bool needsWideIndex(const Space &space) {
  // Threads beyond the last point of the last block are numbered too.
  if (space.points(true) * space.points(false) + 4096 >= narrowLimit) return true;
  for (const auto *accesses : {&space.inputs, &space.outputs})
    for (const Access &access : *accesses) {
      if (access.elements >= narrowLimit || isWide(space, access.address)) return true;
      if (llvm::any_of(access.guards, [&](const Guard &guard) { return isWide(space, guard.index); })) return true;
    }
  return false;
}

std::string inParentheses(const std::string &text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }) ? text : "(" + text + ")";
}

IndexText::IndexText(const Space &space) : space_(space), wide_(needsWideIndex(space)) {}

std::string IndexText::number(int64_t value) const { return std::to_string(value) + (wide_ ? "LL" : ""); }

std::string IndexText::text(AffineExpr expr, ArrayRef<std::string> positions) const {
  if (auto position = nest::positionOf(expr)) return std::string("(") + type() + ")" + positions[*position];
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) return "d" + std::to_string(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) return number(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string a = text(binary.getLHS(), positions);
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expr.getKind() == AffineExprKind::Add && constant && constant.getValue() < 0)
    return a + " - " + number(-constant.getValue());
  std::string b = text(binary.getRHS(), positions);
  if (expr.getKind() == AffineExprKind::Add) return a + " + " + b;
  if (constant && constant.getValue() < 0) b = "(" + b + ")";
  a = inParentheses(a);
  // C++ rounds quotients toward zero, affine maps round down.
  auto range = kernel::rangeOf(binary.getLHS(), space_.sizes);
  bool plain = !range || range->lo >= 0;
  switch (expr.getKind()) {
  case AffineExprKind::Mul: return a + " * " + b;
  case AffineExprKind::FloorDiv: return plain ? "(" + a + " / " + b + ")" : "floorDiv(" + a + ", " + b + ")";
  case AffineExprKind::Mod: return plain ? "(" + a + " % " + b + ")" : "floorMod(" + a + ", " + b + ")";
  default: return "-floorDiv(-" + a + ", " + b + ")"; // ceildiv
  }
}

std::string IndexText::inside(const Access &access) const {
  std::string out;
  auto require = [&](const std::string &condition) { out += (out.empty() ? "" : " && ") + condition; };
  for (const Guard &guard : access.guards) {
    auto range = kernel::rangeOf(guard.index, space_.sizes);
    bool below = !range || range->lo < 0, beyond = !range || range->hi >= guard.size;
    std::string index = text(guard.index);
    // One comparison for both ends: what is negative is a large unsigned number.
    std::string cast = wide_ ? "(unsigned long long)" : "(unsigned)";
    if (below && beyond) require(cast + inParentheses(index) + " < " + number(guard.size));
    else if (below) require(index + " >= 0");
    else if (beyond) require(index + " < " + number(guard.size));
  }
  return out;
}

std::string IndexText::defineDims(ArrayRef<unsigned> dims, const std::string &linear, const std::string &indent) const {
  std::string out;
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    int64_t size = std::max<int64_t>(space_.sizes[dims[i]], 1);
    std::string value = stride == 1 ? linear : inParentheses(linear) + " / " + number(stride);
    if (i != 0) value = inParentheses(value) + " % " + number(size);
    out += indent + "const " + type() + " d" + std::to_string(dims[i]) + " = " + value + ";\n";
    stride *= size;
  }
  return out;
}

} // namespace tensorjit::cuda
