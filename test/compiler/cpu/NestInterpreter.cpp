#include "NestInterpreter.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tensorjit::cpu::test {

static int64_t wrap(Type type, int64_t value) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1) return value & 1;
  return width == 64 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - width)) >> (64 - width);
}
static uint64_t asUnsigned(Type type, int64_t value) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 64 ? value : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}
static Number real(Type type, double value) { return {type.isF32() ? static_cast<float>(value) : value, 0}; }
static Number integer(Type type, int64_t value) { return {0, wrap(type, value)}; }

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

static bool compareFloat(arith::CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::OEQ: return a == b;
  case arith::CmpFPredicate::OGT: return a > b;
  case arith::CmpFPredicate::OGE: return a >= b;
  case arith::CmpFPredicate::OLT: return a < b;
  case arith::CmpFPredicate::OLE: return a <= b;
  case arith::CmpFPredicate::UNE: return unordered || a != b;
  default: llvm_unreachable("add the predicate");
  }
}
static bool compareInteger(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq: return a == b;
  case arith::CmpIPredicate::ne: return a != b;
  case arith::CmpIPredicate::slt: return a < b;
  case arith::CmpIPredicate::sle: return a <= b;
  case arith::CmpIPredicate::sgt: return a > b;
  case arith::CmpIPredicate::sge: return a >= b;
  default: llvm_unreachable("add the predicate");
  }
}

static Number constantOf(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute)) {
    APFloat number = value.getValue();
    bool lost;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
    return {number.convertToDouble(), 0};
  }
  auto value = cast<IntegerAttr>(attribute);
  return integer(value.getType(), value.getType().isInteger(1) ? !value.getValue().isZero() : value.getInt());
}

static Number evaluateOp(Operation &op, ArrayRef<Number> in) {
  Type type = op.getResult(0).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) return constantOf(constant.getValue());
  if (isa<arith::AddFOp>(op)) return real(type, in[0].real + in[1].real);
  if (isa<arith::SubFOp>(op)) return real(type, in[0].real - in[1].real);
  if (isa<arith::MulFOp>(op)) return real(type, in[0].real * in[1].real);
  if (isa<arith::DivFOp>(op)) return real(type, in[0].real / in[1].real);
  if (isa<arith::NegFOp>(op)) return real(type, -in[0].real);
  if (isa<arith::MaximumFOp>(op)) return real(type, maximum(in[0].real, in[1].real));
  if (isa<arith::MinimumFOp>(op)) return real(type, minimum(in[0].real, in[1].real));
  if (isa<math::ExpOp>(op)) return real(type, std::exp(in[0].real));
  if (isa<math::LogOp>(op)) return real(type, std::log(in[0].real));
  if (isa<math::TanhOp>(op)) return real(type, std::tanh(in[0].real));
  if (isa<math::ErfOp>(op)) return real(type, std::erf(in[0].real));
  if (isa<math::SqrtOp>(op)) return real(type, std::sqrt(in[0].real));
  if (isa<math::AbsFOp>(op)) return real(type, std::fabs(in[0].real));
  if (isa<arith::AddIOp>(op)) return integer(type, uint64_t(in[0].integer) + uint64_t(in[1].integer));
  if (isa<arith::SubIOp>(op)) return integer(type, uint64_t(in[0].integer) - uint64_t(in[1].integer));
  if (isa<arith::MulIOp>(op)) return integer(type, uint64_t(in[0].integer) * uint64_t(in[1].integer));
  if (isa<arith::FloorDivSIOp>(op))
    return integer(type, static_cast<int64_t>(std::floor(double(in[0].integer) / double(in[1].integer))));
  if (isa<arith::CeilDivSIOp>(op))
    return integer(type, static_cast<int64_t>(std::ceil(double(in[0].integer) / double(in[1].integer))));
  if (isa<arith::AndIOp>(op)) return integer(type, in[0].integer & in[1].integer);
  if (isa<arith::OrIOp>(op)) return integer(type, in[0].integer | in[1].integer);
  if (isa<arith::XOrIOp>(op)) return integer(type, in[0].integer ^ in[1].integer);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) return real(type, in[0].real);
  if (isa<arith::ExtSIOp, arith::TruncIOp>(op)) return integer(type, in[0].integer);
  if (isa<arith::ExtUIOp>(op)) return integer(type, asUnsigned(op.getOperand(0).getType(), in[0].integer));
  if (isa<arith::SIToFPOp>(op)) return real(type, static_cast<double>(in[0].integer));
  if (isa<arith::SelectOp>(op)) return in[0].integer ? in[1] : in[2];
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return {0, compareFloat(compare.getPredicate(), in[0].real, in[1].real)};
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return {0, compareInteger(compare.getPredicate(), in[0].integer, in[1].integer)};
  op.dump();
  llvm_unreachable("add the op");
}

/// As `AffineMap::compose`, which makes new expressions.
static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols = {}) {
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) return symbols[symbol.getPosition()];
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const int64_t a = evaluate(binary.getLHS(), dims, symbols), b = evaluate(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add: return a + b;
  case AffineExprKind::Mul: return a * b;
  case AffineExprKind::Mod: return llvm::mod(a, b);
  case AffineExprKind::FloorDiv: return llvm::divideFloorSigned(a, b);
  case AffineExprKind::CeilDiv: return llvm::divideCeilSigned(a, b);
  default: llvm_unreachable("not a binary operation");
  }
}

namespace {
/// How a tensor is addressed.
struct Access {
  AffineMap map;
  ArrayRef<int64_t> shape;
};

class Interpreter {
public:
  Interpreter(kernel::NestOp nest, const std::vector<TensorData> &inputs, ReportedIndex *reported)
      : nest_(nest), inputs_(inputs), reported_(reported), reductionDims_(nest.getReductionDims()) {
    for (unsigned dim = 0; dim < nest.getNumDims(); ++dim) sizes_.push_back(nest.getSize(dim));
    for (unsigned i = 0; i < inputs.size(); ++i)
      inputAccess_.push_back({nest.getInputMap(i), nest.getInputType(i).getShape()});
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) {
      results_.emplace_back(nest.getOutputType(i));
      outputAccess_.push_back({nest.getOutputMap(i), nest.getOutputType(i).getShape()});
    }
  }

  std::vector<TensorData> run() {
    std::vector<int64_t> index(nest_.getNumDims(), 0);
    forEach(nest_.getParallelDims(), index, 0, [&] { parallelPoint(index); });
    return std::move(results_);
  }

private:
  using Index = std::vector<int64_t>;

  void forEach(ArrayRef<unsigned> dims, Index &index, unsigned depth, llvm::function_ref<void()> body) {
    if (depth == dims.size()) return body();
    for (int64_t i = 0; i < sizes_[dims[depth]]; ++i) {
      index[dims[depth]] = i;
      forEach(dims, index, depth + 1, body);
    }
    index[dims[depth]] = 0;
  }

  // Repeats the whole body at every reduction point once for each reduction, innermost first: slow and simple.
  void parallelPoint(Index &index) {
    DenseMap<Value, Number> reduced;
    for (Operation &op : nest_.getBlock()->without_terminator()) {
      if (auto reduce = dyn_cast<kernel::ReduceOp>(op)) {
        bool first = true;
        Number total = identity(reduce);
        forEach(reductionDims_, index, 0, [&] {
          Number next = valueAt(reduce.getValue(), index, reduced);
          total = first && !isSum(reduce) ? next : combine(reduce, total, next);
          first = false;
        });
        reduced[reduce.getResult()] = isa<FloatType>(reduce.getType()) ? real(reduce.getType(), total.real) : total;
      } else if (auto arg = dyn_cast<kernel::ArgReduceOp>(op)) {
        Number best, at{0, INT64_MAX};
        bool first = true;
        forEach(reductionDims_, index, 0, [&] {
          Number value = valueAt(arg.getValue(), index, reduced), i = valueAt(arg.getIndex(), index, reduced);
          if (first || beats(arg, value, i, best, at)) {
            best = value;
            at = i;
          }
          first = false;
        });
        reduced[arg.getExtreme()] = best;
        reduced[arg.getAt()] = at;
      }
    }
    forEach(reductionDims_, index, 0, [&] { storeAll(index, reduced, /*uniformOnly=*/false); });
    if (nest_.hasReductionDims()) storeAll(index, reduced, /*uniformOnly=*/true);
  }

  static bool isSum(kernel::ReduceOp reduce) {
    return reduce.getKind() == kernel::ReduceKind::Add || reduce.getKind() == kernel::ReduceKind::Mul;
  }
  static Number identity(kernel::ReduceOp reduce) {
    double one = reduce.getKind() == kernel::ReduceKind::Mul;
    return {one, static_cast<int64_t>(one)};
  }

  static Number combine(kernel::ReduceOp reduce, Number a, Number b) {
    Type type = reduce.getType();
    bool isReal = isa<FloatType>(type);
    switch (reduce.getKind()) {
    case kernel::ReduceKind::Add:
      return isReal ? Number{a.real + b.real, 0} : integer(type, uint64_t(a.integer) + uint64_t(b.integer));
    case kernel::ReduceKind::Mul:
      return isReal ? Number{a.real * b.real, 0} : integer(type, uint64_t(a.integer) * uint64_t(b.integer));
    case kernel::ReduceKind::Max:
      return isReal ? Number{maximum(a.real, b.real), 0} : Number{0, std::max(a.integer, b.integer)};
    case kernel::ReduceKind::Min:
      return isReal ? Number{minimum(a.real, b.real), 0} : Number{0, std::min(a.integer, b.integer)};
    case kernel::ReduceKind::And: return {0, a.integer & b.integer};
    case kernel::ReduceKind::Or: return {0, a.integer | b.integer};
    }
    llvm_unreachable("unknown reduction");
  }

  static bool beats(kernel::ArgReduceOp arg, Number value, Number at, Number best, Number bestAt) {
    bool max = arg.getKind() == kernel::ArgReduceKind::Max;
    if (isa<FloatType>(arg.getValue().getType())) {
      bool nan = std::isnan(value.real), bestNan = std::isnan(best.real);
      if (nan != bestNan) return nan;
      if (!nan && value.real != best.real) return max ? value.real > best.real : value.real < best.real;
    } else if (value.integer != best.integer) {
      return max ? value.integer > best.integer : value.integer < best.integer;
    }
    return at.integer < bestAt.integer;
  }

  Number load(unsigned input, const Index &index, ArrayRef<int64_t> symbols = {}) {
    const Access &access = inputAccess_[input];
    int64_t position = 0;
    for (auto [expr, size] : llvm::zip_equal(access.map.getResults(), access.shape)) {
      const int64_t i = evaluate(expr, index, symbols);
      if (i < 0 || i >= size) return constantOf(nest_.getPad(input));
      position = position * size + i;
    }
    return inputs_[input].elements[position];
  }

  Number valueAt(Value value, const Index &index, DenseMap<Value, Number> &reduced) {
    if (auto known = reduced.find(value); known != reduced.end()) return known->second;
    if (auto argument = dyn_cast<BlockArgument>(value)) return load(argument.getArgNumber(), index);
    Operation &op = *value.getDefiningOp();
    if (auto position = dyn_cast<kernel::IndexOp>(op)) return {0, index[position.getDim()]};
    if (auto read = dyn_cast<kernel::ReadOp>(op)) {
      SmallVector<int64_t> symbols;
      for (Value symbol : read.getPositions()) symbols.push_back(valueAt(symbol, index, reduced).integer);
      return load(cast<BlockArgument>(read.getInput()).getArgNumber(), index, symbols);
    }
    SmallVector<Number> operands;
    for (Value operand : op.getOperands()) operands.push_back(valueAt(operand, index, reduced));
    if (auto check = dyn_cast<kernel::CheckIndexOp>(op)) return checked(check, operands[0], operands[1]);
    return evaluateOp(op, operands);
  }

  Number checked(kernel::CheckIndexOp op, Number value, Number position) {
    if (value.integer >= 0 && value.integer < static_cast<int64_t>(op.getBound())) return value;
    ReportedIndex now{true, static_cast<int64_t>(op.getCheck()), position.integer, value.integer};
    if (reported_ &&
        (!reported_->set || std::tie(now.check, now.position) < std::tie(reported_->check, reported_->position)))
      *reported_ = now;
    return {0, 0};
  }

  void storeAll(const Index &index, DenseMap<Value, Number> &reduced, bool uniformOnly) {
    for (unsigned i = 0; i < nest_.getNumOutputs(); ++i) {
      const Access &access = outputAccess_[i];
      bool uniform = llvm::none_of(reductionDims_, [&](unsigned dim) { return access.map.isFunctionOfDim(dim); });
      if (!reductionDims_.empty() && uniform != uniformOnly) continue;
      int64_t position = 0;
      for (auto [expr, size] : llvm::zip_equal(access.map.getResults(), access.shape))
        position = position * size + evaluate(expr, index);
      results_[i].elements[position] = valueAt(nest_.getYield().getOperand(i), index, reduced);
    }
    for (auto check : nest_.getBlock()->getOps<kernel::CheckIndexOp>()) valueAt(check.getResult(), index, reduced);
  }

  kernel::NestOp nest_;
  const std::vector<TensorData> &inputs_;
  ReportedIndex *reported_;
  std::vector<TensorData> results_;
  SmallVector<unsigned> reductionDims_;
  SmallVector<int64_t> sizes_;
  std::vector<Access> inputAccess_, outputAccess_;
};
} // namespace

std::vector<TensorData> interpret(kernel::NestOp nest, const std::vector<TensorData> &inputs, ReportedIndex *reported) {
  return Interpreter(nest, inputs, reported).run();
}

} // namespace tensorjit::cpu::test
