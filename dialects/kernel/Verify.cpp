// What a well-formed kernel must hold: see the descriptions in KernelOps.td.
#include "kernel/AffineRange.h"
#include "kernel/Kernel.h"
#include "kernel/Uniform.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tensorjit::kernel {

static LogicalResult verifySpace(NestOp nest) {
  if (nest.getIterators().size() != nest.getNumDims())
    return nest.emitOpError() << "has " << nest.getNumDims() << " sizes but " << nest.getIterators().size()
                              << " iterators";
  for (Attribute iterator : nest.getIterators())
    if (auto kind = cast<StringAttr>(iterator).getValue(); kind != "parallel" && kind != "reduction")
      return nest.emitOpError() << "iterator '" << kind << "' is neither parallel nor reduction";
  for (int64_t size : nest.getSizes())
    if (size < 0) return nest.emitOpError() << "has a negative size";
  size_t accesses = nest.getNumInputs() + nest.getNumOutputs();
  if (nest.getMaps().size() != accesses)
    return nest.emitOpError() << "has " << accesses << " operands and results but " << nest.getMaps().size() << " maps";
  if (nest.getPads().size() != nest.getNumInputs())
    return nest.emitOpError() << "has " << nest.getNumInputs() << " inputs but " << nest.getPads().size() << " pads";
  if (nest.getNumOutputs() == 0) return nest.emitOpError() << "needs a result";
  return success();
}

static LogicalResult verifyMapShape(NestOp nest, AffineMap map, RankedTensorType type, const Twine &what) {
  if (map.getNumDims() != nest.getNumDims())
    return nest.emitOpError() << what << ": map takes " << map.getNumDims() << " dims, the nest has "
                              << nest.getNumDims();
  if (map.getNumResults() != static_cast<unsigned>(type.getRank()))
    return nest.emitOpError() << what << ": map has " << map.getNumResults() << " results for " << type;
  return success();
}

static LogicalResult verifyInput(NestOp nest, unsigned i) {
  AffineMap map = nest.getInputMap(i);
  RankedTensorType type = nest.getInputType(i);
  if (failed(verifyMapShape(nest, map, type, "input " + Twine(i)))) return failure();
  if (TypedAttr pad = nest.getPad(i)) {
    if (pad.getType() != type.getElementType())
      return nest.emitOpError() << "input " << i << ": pad " << pad << " for elements of " << type.getElementType();
    return success();
  }
  if (!isa<UnitAttr>(nest.getPads()[i])) return nest.emitOpError() << "input " << i << ": pad is not a scalar";
  if (!isInBounds(map, nest.getSizes(), type.getShape()))
    return nest.emitOpError() << "input " << i << ": map " << AffineMapAttr::get(map) << " leaves " << type
                              << " and there is no pad";
  return success();
}

static LogicalResult verifyOutput(NestOp nest, unsigned i) {
  AffineMap map = nest.getOutputMap(i);
  RankedTensorType type = nest.getOutputType(i);
  if (map.getNumSymbols()) return nest.emitOpError() << "result " << i << ": map has symbols";
  if (failed(verifyMapShape(nest, map, type, "result " + Twine(i)))) return failure();
  llvm::SmallBitVector used(nest.getNumDims());
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (constant && constant.getValue() == 0 && size == 1) continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || used.test(dim.getPosition()))
      return nest.emitOpError() << "result " << i << ": map " << AffineMapAttr::get(map)
                                << " is not a list of distinct dims";
    if (nest.getSize(dim.getPosition()) != size)
      return nest.emitOpError() << "result " << i << ": dim " << dim.getPosition() << " has size "
                                << nest.getSize(dim.getPosition()) << ", " << type << " wants " << size;
    used.set(dim.getPosition());
  }
  bool anyReduction = false, allReductions = true;
  for (unsigned dim = 0; dim < nest.getNumDims(); ++dim) {
    if (nest.getSize(dim) == 1) continue;
    if (!nest.isReduction(dim) && !used.test(dim))
      return nest.emitOpError() << "result " << i << ": parallel dim " << dim << " is not in its map";
    if (!nest.isReduction(dim)) continue;
    anyReduction |= used.test(dim);
    allReductions &= used.test(dim);
  }
  if (anyReduction && !allReductions)
    return nest.emitOpError() << "result " << i << ": map uses some but not all reduction dims";
  return success();
}

LogicalResult NestOp::verify() {
  if (failed(verifySpace(*this))) return failure();
  for (unsigned i = 0; i < getNumInputs(); ++i)
    if (failed(verifyInput(*this, i))) return failure();
  for (unsigned i = 0; i < getNumOutputs(); ++i)
    if (failed(verifyOutput(*this, i))) return failure();
  return success();
}

// What a position stands for has been checked where the dim is at least as long as the check's bound.
static LogicalResult verifyPosition(NestOp nest, unsigned input, unsigned symbol, Value position) {
  auto check = position.getDefiningOp<CheckIndexOp>();
  if (!check) return nest.emitOpError() << "input " << input << " is read at a position that is not checked";
  AffineMap map = nest.getInputMap(input);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), nest.getInputType(input).getShape()))
    if (expr == getAffineSymbolExpr(symbol, nest.getContext()) && static_cast<int64_t>(check.getBound()) > size)
      return nest.emitOpError() << "input " << input << ": positions below " << check.getBound() << " in a dim of size "
                                << size;
  return success();
}

static LogicalResult verifyReads(NestOp nest, unsigned input) {
  unsigned symbols = nest.getInputMap(input).getNumSymbols();
  for (OpOperand &use : nest.getBlock()->getArgument(input).getUses()) {
    auto read = dyn_cast<ReadOp>(use.getOwner());
    if (!read && symbols == 0) continue;
    if (!read) return nest.emitOpError() << "input " << input << " has positions and is not only read by kernel.read";
    if (symbols == 0 || read.getPositions().size() != symbols)
      return nest.emitOpError() << "input " << input << " is read at " << read.getPositions().size()
                                << " positions, its map has " << symbols;
    for (auto [symbol, position] : llvm::enumerate(read.getPositions()))
      if (failed(verifyPosition(nest, input, symbol, position))) return failure();
  }
  return success();
}

LogicalResult NestOp::verifyRegions() {
  Block *block = getBlock();
  if (block->getNumArguments() != getNumInputs())
    return emitOpError() << "body has " << block->getNumArguments() << " arguments for " << getNumInputs() << " inputs";
  for (unsigned i = 0; i < getNumInputs(); ++i)
    if (block->getArgument(i).getType() != getInputType(i).getElementType())
      return emitOpError() << "body argument " << i << " is " << block->getArgument(i).getType() << ", elements are "
                           << getInputType(i).getElementType();
  for (Operation &op : *block)
    if (!isa<arith::ArithDialect, math::MathDialect, KernelDialect>(op.getDialect()) || op.getNumRegions())
      return op.emitOpError() << "is not a scalar op that a nest's body may hold";
  for (unsigned i = 0; i < getNumInputs(); ++i)
    if (failed(verifyReads(*this, i))) return failure();
  auto yield = dyn_cast<YieldOp>(block->getTerminator());
  if (!yield) return emitOpError() << "body must end in kernel.yield";
  if (yield.getNumOperands() != getNumOutputs())
    return emitOpError() << "body yields " << yield.getNumOperands() << " scalars for " << getNumOutputs()
                         << " results";
  UniformValues uniform(*this);
  for (unsigned i = 0; i < getNumOutputs(); ++i) {
    if (yield.getOperand(i).getType() != getOutputType(i).getElementType())
      return emitOpError() << "result " << i << " is yielded as " << yield.getOperand(i).getType() << ", elements are "
                           << getOutputType(i).getElementType();
    if (!usesReductionDims(*this, getOutputMap(i)) && !uniform.contains(yield.getOperand(i)))
      return emitOpError() << "result " << i << ": the yielded scalar varies over reduction dims that its map ignores";
  }
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  Block *block = getBlock();
  if (block->getArgumentTypes() != TypeRange(getInputs()))
    return emitOpError() << "body arguments differ from the operands in type";
  SmallVector<Value> results;
  for (Operation &op : block->without_terminator()) {
    if (!isa<NestOp>(op)) return op.emitOpError() << "is not a kernel.nest, in a kernel.group";
    for (Value operand : op.getOperands())
      if (!isa<BlockArgument>(operand)) return op.emitOpError() << "depends on another nest of its group";
    llvm::append_range(results, op.getResults());
  }
  auto yield = dyn_cast<YieldOp>(block->getTerminator());
  if (!yield) return emitOpError() << "body must end in kernel.yield";
  if (!llvm::equal(yield.getOperands(), results))
    return emitOpError() << "must yield all results of its nests, in order";
  if (yield.getOperandTypes() != getResultTypes()) return emitOpError() << "yields other types than its results";
  return success();
}

static LogicalResult verifyInChain(NestOp nest, int64_t slices) {
  if (!isSliceable(nest, slices))
    return nest.emitOpError() << "has no outermost parallel dim, written to the outermost dim of each result, that "
                              << slices << " divides";
  for (unsigned i = 0; i < nest.getNumInputs(); ++i)
    if (!isa<BlockArgument>(nest.getInputs()[i]) && !readsOwnSlice(nest, i))
      return nest.emitOpError() << "input " << i << " is made in the chain and read from other slices";
  return success();
}

static LogicalResult verifyInChain(ViewOp view, int64_t slices) {
  if (isa<BlockArgument>(view.getSource())) return success();
  for (auto type : {view.getSource().getType(), view.getType()})
    if (type.getRank() == 0 || type.getDimSize(0) % slices)
      return view.emitOpError() << slices << " slices do not divide the outermost dim of " << type;
  return success();
}

LogicalResult ChainOp::verifyRegions() {
  Block *block = getBlock();
  int64_t slices = getSlices();
  if (slices < 2) return emitOpError() << "has " << slices << " slices, and needs two";
  if (block->getArgumentTypes() != TypeRange(getInputs()))
    return emitOpError() << "body arguments differ from the operands in type";
  for (Operation &op : block->without_terminator()) {
    auto nest = dyn_cast<NestOp>(op);
    auto view = dyn_cast<ViewOp>(op);
    if (!nest && !view) return op.emitOpError() << "is neither a kernel.nest nor a kernel.view, in a kernel.chain";
    if (failed(nest ? verifyInChain(nest, slices) : verifyInChain(view, slices))) return failure();
  }
  auto yield = dyn_cast<YieldOp>(block->getTerminator());
  if (!yield) return emitOpError() << "body must end in kernel.yield";
  if (yield.getOperandTypes() != getResultTypes()) return emitOpError() << "yields other types than its results";
  llvm::SmallPtrSet<Value, 8> yielded;
  for (Value value : yield.getOperands())
    if (!value.getDefiningOp<NestOp>() || !yielded.insert(value).second)
      return emitOpError() << "must yield results of its nests, each once";
  return success();
}

LogicalResult ScatterOp::verify() {
  RankedTensorType result = getResult().getType(), source = getSource().getType(), index = getIndex().getType();
  auto dim = static_cast<int64_t>(getDim());
  if (dim >= result.getRank()) return emitOpError() << "dim " << dim << " of " << result;
  if (getBase() && getBase().getType() != result) return emitOpError() << "has a base of another type than its result";
  SmallVector<int64_t> sizes(result.getShape());
  if (source.getRank() == result.getRank()) sizes[dim] = source.getDimSize(dim);
  if (source.getShape() != ArrayRef(sizes) || source.getElementType() != result.getElementType())
    return emitOpError() << "source " << source << " does not go into dim " << dim << " of " << result;
  bool list = index.getRank() == 1 && index.getDimSize(0) == sizes[dim];
  if (!list && index.getShape() != source.getShape())
    return emitOpError() << "index " << index << " is neither a list nor has the sizes of the source";
  if (!index.getElementType().isInteger(64) && !index.getElementType().isInteger(32))
    return emitOpError() << "index of " << index.getElementType();
  Type element = scalarType(result.getElementType());
  if (getKind() == ScatterKind::Add && (element.isInteger(1) || element.isF16() || element.isBF16()))
    return emitOpError() << "adds " << element;
  return success();
}

LogicalResult ViewOp::verify() {
  if (getSource().getType().getElementType() != getType().getElementType())
    return emitOpError() << "changes the element type";
  if (getSource().getType().getNumElements() != getType().getNumElements())
    return emitOpError() << "turns " << getSource().getType().getNumElements() << " elements into "
                         << getType().getNumElements();
  return success();
}

static LogicalResult verifyReduces(Operation *op) {
  auto nest = cast<NestOp>(op->getParentOp());
  return nest.hasReductionDims() ? success() : op->emitOpError() << "is in a nest without reduction dims";
}

LogicalResult ReduceOp::verify() {
  bool boolean = getValue().getType().isInteger(1);
  bool logical = getKind() == ReduceKind::And || getKind() == ReduceKind::Or;
  if (logical && !isa<IntegerType>(getValue().getType())) return emitOpError() << "of floats has no and, or";
  if (boolean && (getKind() == ReduceKind::Add || getKind() == ReduceKind::Mul))
    return emitOpError() << "of i1 is and, or, max or min; a sum of booleans is a sum of i64";
  return verifyReduces(*this);
}

LogicalResult ArgReduceOp::verify() { return verifyReduces(*this); }

LogicalResult ScanOp::verify() {
  if (getKind() != ReduceKind::Add && getKind() != ReduceKind::Mul) return emitOpError() << "adds or multiplies";
  if (getValue().getType().isInteger(1)) return emitOpError() << "of i1 is a scan of i64";
  auto nest = cast<NestOp>((*this)->getParentOp());
  if (nest.getReductionDims().size() != 1)
    return emitOpError() << "is in a nest with " << nest.getReductionDims().size() << " reduction dims, not one";
  for (Operation &op : *nest.getBlock()) {
    if (isa<ReduceOp, ArgReduceOp>(op)) return emitOpError() << "is in a nest that reduces";
    if (auto other = dyn_cast<ScanOp>(op); other && other.getReverse() != getReverse())
      return emitOpError() << "runs the other way than another scan of its nest";
  }
  return success();
}

LogicalResult ReadOp::verify() {
  if (!isa<BlockArgument>(getInput())) return emitOpError() << "reads what is not an input of its nest";
  return success();
}

LogicalResult IndexOp::verify() {
  auto nest = cast<NestOp>((*this)->getParentOp());
  if (getDim() >= nest.getNumDims())
    return emitOpError() << "dim " << getDim() << " of a nest with " << nest.getNumDims() << " dims";
  return success();
}

} // namespace tensorjit::kernel
