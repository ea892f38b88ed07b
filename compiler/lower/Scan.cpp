// Running sums and products along a dim.
#include "lower/Lowering.h"
#include "lower/Scalars.h"

namespace tensorjit::lower_ops {

using kernel::ReduceKind;

/// Columns side by side that fill a good part of a vector.
static constexpr int64_t fewColumns = 16;
/// Elements from which the eager kernel shares a single row between threads.
static constexpr int64_t longRow = 1 << 14;

// No code that is worth it; empty where there is.
static std::string whyNot(ReduceKind kind, ArrayRef<int64_t> sizes, unsigned dim) {
  int64_t inner = 1, all = 1;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    all *= size;
    if (d > dim) inner *= size;
  }
  if (kind == ReduceKind::Mul && inner == 1) return "products along the innermost dim follow one another";
  if (inner > 1 && inner < fewColumns) return "too few columns lie side by side";
  if (all == sizes[dim] && all > longRow) return "a single long row is shared between threads by the eager kernel";
  return "";
}

template <ReduceKind kind> static Values scan(Lowering &l) {
  ArrayRef<int64_t> sizes = l.shape(0);
  const auto dim = static_cast<unsigned>(l.integer("dim"));
  const bool reverse = l.boolean("reverse"), exclusive = l.boolean("exclusive");
  // Nothing to combine: a point is its own result.
  const bool single = sizes.empty() || sizes[dim] == 1 || l.type(0).getNumElements() == 0;
  if (!single)
    if (std::string why = whyNot(kind, sizes, dim); !why.empty()) return l.refuse(why);
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims;
  for (auto [d, size] : llvm::enumerate(sizes))
    dims.push_back(d == dim && !single ? nest.reduction(size) : nest.parallel(size));
  nest.input(l.operand(0), dims);
  nest.output(l.resultType().getElementType(), dims);
  auto body = [&](OpBuilder &b, Location loc, ValueRange in) -> Values {
    Scalars s{b, loc};
    Type type = in[0].getType();
    if (single) return {exclusive ? s.constant(type, kind == ReduceKind::Mul) : in[0]};
    return {kernel::ScanOp::create(b, loc, type, kind, in[0], reverse, exclusive)};
  };
  return Values(nest.create(body)->getResults());
}

ArrayRef<LowerEntry> scanLowerings() {
  static constexpr LowerEntry entries[] = {{"scan_sum", scan<ReduceKind::Add>}, {"scan_prod", scan<ReduceKind::Mul>}};
  return entries;
}

} // namespace tensorjit::lower_ops
