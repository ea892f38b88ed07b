#include "cuda/form/Contraction.h"
#include "kernel/HalfType.h"

using namespace mlir;
using tensorjit::nest::Access;
using tensorjit::nest::Body;
using tensorjit::nest::Space;

namespace tensorjit::cuda {

int64_t Contraction::points(ArrayRef<unsigned> dims) const {
  int64_t points = 1;
  for (unsigned dim : dims) points *= space.sizes[dim];
  return points;
}

bool Contraction::isHalf() const {
  Type element = space.inputs[a].element;
  return kernel::isHalf(element);
}

void Contraction::splitColumns(int64_t width) {
  unsigned column = columns.back();
  bool isWhole = space.sizes[column] % width == 0 && vectorWidth(space, column) >= width;
  lanes = Lanes::split(space, column, isWhole ? width : 1);
  if (isWhole) columns.push_back(lanes.inner);
}

// An input, or one of f16 or bf16 in f32.
static BlockArgument factorOf(Value value) {
  if (auto extended = value.getDefiningOp<arith::ExtFOp>(); extended && extended.getType().isF32())
    value = extended.getIn();
  return dyn_cast<BlockArgument>(value);
}

// sum(a * b), and what follows does not vary over the reduced dims.
static bool matchProduct(Contraction &c) {
  Body body(c.space);
  if (body.reductions().size() != 1 || !body.checks().empty()) return false;
  c.sum = dyn_cast<kernel::ReduceOp>(body.reductions().front());
  if (!c.sum || c.sum.getKind() != kernel::ReduceKind::Add) return false;
  auto product = c.sum.getValue().getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse()) return false;
  auto left = factorOf(product.getLhs()), right = factorOf(product.getRhs());
  if (!left || !right || left == right || left.getType() != right.getType()) return false;
  for (Value yielded : c.space.nest.getYield().getOperands())
    if (body.variesOverReduction(yielded)) return false;
  c.a = left.getArgNumber();
  c.b = right.getArgNumber();
  c.unit = c.isHalf() ? 8 : 4;
  return true;
}

static bool shareDims(Contraction &c) {
  const Access &a = c.space.inputs[c.a], &b = c.space.inputs[c.b];
  for (unsigned dim : c.space.dims(/*reductionDims=*/false)) {
    bool inA = a.dependsOn(dim), inB = b.dependsOn(dim);
    if (!inA && !inB) return false;
    (inA && inB ? c.batch : inA ? c.rows : c.columns).push_back(dim);
  }
  c.reduced = c.space.dims(/*reductionDims=*/true);
  return !c.rows.empty() && !c.columns.empty() && !c.reduced.empty();
}

static bool canReadUnits(const Contraction &c, unsigned input, unsigned dim) {
  const Access &access = c.space.inputs[input];
  Lanes lanes{dim, dim, c.unit};
  return c.space.sizes[dim] % c.unit == 0 && lanes.isVector(c.space, access);
}

// Moves the last dim that `wanted` accepts to the end.
static bool moveLast(SmallVector<unsigned> &dims, llvm::function_ref<bool(unsigned)> wanted) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (!wanted(dims[i])) continue;
    unsigned dim = dims[i];
    dims.erase(dims.begin() + i);
    dims.push_back(dim);
    return true;
  }
  return false;
}

static void orderBy(SmallVector<unsigned> &dims, const Space &space, const Access &access) {
  nest::LinearForm form = space.addressForm(access);
  llvm::stable_sort(
      dims, [&](unsigned x, unsigned y) { return std::abs(form.coefficients[x]) > std::abs(form.coefficients[y]); });
}

static Staging stagingOf(const Contraction &c, unsigned input, unsigned own) {
  if (canReadUnits(c, input, own)) return {false, true};
  if (canReadUnits(c, input, c.reduced.back())) return {true, true};
  nest::LinearForm form = c.space.addressForm(c.space.inputs[input]);
  return {form.coefficients[c.reduced.back()] == 1 && form.coefficients[own] != 1, false};
}

std::optional<Contraction> matchContraction(const Space &space) {
  Contraction c{space, {}, 0, 0, {}, {}, {}, {}, {}, {}, {}};
  if (!matchProduct(c) || !shareDims(c)) return std::nullopt;
  // Columns are what results are contiguous along.
  const Access &output = c.space.outputs.front();
  auto isAlongOutput = [&](unsigned dim) { return isContiguous(c.space, output, dim); };
  if (llvm::any_of(c.rows, isAlongOutput)) {
    std::swap(c.a, c.b);
    std::swap(c.rows, c.columns);
  }
  for (SmallVector<unsigned> *dims : {&c.batch, &c.rows, &c.columns}) orderBy(*dims, c.space, output);
  orderBy(c.reduced, c.space, c.space.inputs[c.a]);
  auto inUnits = [&](unsigned input) { return [&c, input](unsigned dim) { return canReadUnits(c, input, dim); }; };
  bool rowUnits = moveLast(c.rows, inUnits(c.a));
  if (rowUnits || !moveLast(c.reduced, inUnits(c.a))) moveLast(c.reduced, inUnits(c.b));
  moveLast(c.columns, isAlongOutput);

  unsigned column = c.columns.back();
  c.stageA = stagingOf(c, c.a, c.rows.back());
  c.stageB = stagingOf(c, c.b, column);
  return c;
}

} // namespace tensorjit::cuda
