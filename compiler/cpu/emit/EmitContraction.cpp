// Loops around tiles, and the code of a tile:
//
//   acc[rows][vectors] = 0
//   for k: for r: a = broadcast A[r, k]; for v: acc[r][v] = fma(a, B[k, v], acc[r][v])
//   results = epilogue(acc)
#include "cpu/emit/Contraction.h"
#include "cpu/emit/Units.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tensorjit::cpu {

namespace {

// How much of a tile is inside the result.
struct TileShape {
  SmallVector<int64_t> rows; ///< of each row dim
  int64_t vectors;
  int64_t lastLanes; ///< of the last vector
};

class ContractionEmitter {
public:
  ContractionEmitter(Emission &emission, Contraction &contraction)
      : emission_(emission), b_(emission.b), c_(contraction), body_(contraction.space),
        aForm_(c_.space.addressForm(c_.space.inputs[c_.a])), bForm_(c_.space.addressForm(c_.space.inputs[c_.b])),
        element_(c_.reduce->getResult(0).getType()), vector_(VectorType::get({c_.lanes}, element_)) {
    if (c_.copy) zeros_ = c_.copy->zeros();
    if (!zeros_.empty()) {
      int64_t rows = 1;
      for (const RowDim &row : c_.rows) rows *= row.factor;
      repaired_ = emission.allocateScratch(element_, rows * c_.panel());
    }
    heavyEpilogue_ = c_.rows.size() == 1 && isHeavy();
    if (heavyEpilogue_) tileMemory_ = emission.allocateScratch(element_, c_.rows[0].factor * c_.panel());
  }

  void unit(ValueRange indices) {
    Point point(emission_, c_.space, body_);
    for (auto [dim, index] : llvm::zip_equal(c_.unitDims, indices)) bind(point, dim, index);
    if (c_.blockedDim < 0) {
      unitTiles(point, {});
      return;
    }
    b_.loop(b_.index(0), rangeOf(point, c_.blockedDim).to, 1, [&](Value i) {
      Point here = point;
      here.bind(c_.blockedDim, i);
      unitTiles(here, b_.compare(arith::CmpIPredicate::eq, i, b_.index(0)));
    });
  }

private:
  struct Range {
    Value from, to;
  };

  // A bounded dim may stop early, and a padded one start late as well.
  Range rangeOf(const Point &point, unsigned dim) {
    Range range{b_.index(0), b_.index(c_.space.sizes[dim])};
    auto first = [&](AffineExpr index) {
      Point start = point;
      start.bind(dim, b_.index(0));
      return start.index(index);
    };
    if (c_.isBounded(dim))
      range.to = b_.min(range.to, b_.sub(b_.index(c_.bound->size), first(c_.space.pinned[c_.bound->place])));
    for (const PaddedDim &padded : c_.paddedDims) {
      if (padded.dim != dim) continue;
      Value index = first(padded.index);
      range.from = b_.max(range.from, b_.sub(b_.index(0), index));
      range.to = b_.min(range.to, b_.sub(b_.index(padded.size), index));
    }
    return range;
  }

  void bind(Point &point, unsigned dim, Value index) {
    point.bind(dim, index);
    indices_[dim] = index;
  }

  void unitTiles(Point &point, Value isFirst) {
    isFirst_ = isFirst;
    if (c_.copy) c_.copy->emit(emission_, point);
    tileLoops(point, 0);
  }

  void tileLoops(const Point &point, unsigned depth) {
    if (depth == c_.tileDims.size()) {
      tileVariants(point, 0, {});
      return;
    }
    unsigned dim = c_.tileDims[depth];
    b_.loop(b_.index(0), b_.index(c_.space.sizes[dim]), 1, [&](Value i) {
      Point here = point;
      bind(here, dim, i);
      tileLoops(here, depth + 1);
    });
  }

  // A narrower tile at the end of a dim is code of its own, chosen by the tile's number.
  void choose(unsigned dim, bool hasWhole, bool hasRest, llvm::function_ref<void(bool rest)> emit) {
    if (!hasRest || !hasWhole) return emit(hasRest);
    Value isLast = b_.compare(arith::CmpIPredicate::eq, indices_[dim], b_.index(c_.space.sizes[dim] - 1));
    b_.ifThenElse(
        isLast, [&] { emit(true); }, [&] { emit(false); });
  }

  void tileVariants(const Point &point, unsigned depth, SmallVector<int64_t> rows) {
    if (depth < c_.rows.size()) {
      const RowDim &row = c_.rows[depth];
      choose(row.outer, row.size >= row.factor, row.hasRemainder(), [&](bool rest) {
        SmallVector<int64_t> here(rows);
        here.push_back(rest ? row.size % row.factor : row.factor);
        tileVariants(point, depth + 1, here);
      });
      return;
    }
    int64_t tail = c_.columns % c_.panel();
    choose(c_.panelDim, c_.columns >= c_.panel(), tail != 0, [&](bool rest) {
      int64_t columns = rest ? tail : c_.panel();
      int64_t vectors = llvm::divideCeil(columns, c_.lanes);
      tile(point, {rows, vectors, columns - (vectors - 1) * c_.lanes});
    });
  }

  void tile(Point point, const TileShape &shape) {
    point.prepareAddresses();
    forEachRow(shape, [&](size_t, ArrayRef<int64_t> at) { rowOffsets_.push_back(offsetOf(at)); });
    for (unsigned dim : c_.reductionDims) ranges_[dim] = rangeOf(point, dim);
    Value aBase = point.index(c_.space.inputs[c_.a].address), bBase = point.index(c_.space.inputs[c_.b].address);
    Values sums = reduce(0, shape, aBase, bBase, startOf(point, shape));
    if (!zeros_.empty()) sums = withoutPadding(point, shape, sums, aBase, bBase);
    rowOffsets_.clear();
    heavyEpilogue_ ? storeThenFinish(point, shape, sums) : finish(point, shape, sums);
  }

  // Zeros of the padding are multiplied along, which shows where the other factor is no number: 0 * inf is NaN. The
  // sums of a tile with a NaN are made again, of the products that there are.
  Values withoutPadding(const Point &point, const TileShape &shape, Values sums, Value aBase, Value bBase) {
    Values all(sums); // one NaN makes the sum of all of them NaN
    for (size_t n = all.size(); n > 1; n = llvm::divideCeil(n, 2))
      for (size_t i = 0; i < n / 2; ++i) all[i] = arith::AddFOp::create(b_.b, b_.loc, all[i], all[n - 1 - i]);
    Value isNaN = arith::CmpFOp::create(b_.b, b_.loc, arith::CmpFPredicate::UNO, all[0], all[0]);
    Value any = vector::ReductionOp::create(b_.b, b_.loc, vector::CombiningKind::OR, isNaN);
    auto repair = scf::IfOp::create(b_.b, b_.loc, ValueRange(sums).getTypes(), any, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b_.b);
    b_.b.setInsertionPointToStart(repair.thenBlock());
    Values exact = exactSums(point, shape, aBase, bBase);
    scf::YieldOp::create(b_.b, b_.loc, exact);
    b_.b.setInsertionPointToStart(repair.elseBlock());
    scf::YieldOp::create(b_.b, b_.loc, sums);
    return Values(repair.getResults());
  }

  Values exactSums(Point point, const TileShape &shape, Value aBase, Value bBase) {
    Values sums = startOf(point, shape);
    for (auto [i, sum] : llvm::enumerate(sums))
      vector::StoreOp::create(b_.b, b_.loc, sum, repaired_, b_.index(i * c_.lanes));
    b_.loop(b_.index(0), b_.index(sums.size() / shape.vectors), 1, [&](Value row) {
      Value a = aBase, rest = row, first = b_.mul(row, shape.vectors * c_.lanes);
      for (size_t i = shape.rows.size(); i-- > 0; rest = b_.div(rest, shape.rows[i]))
        a = b_.add(a, b_.mul(b_.rem(rest, shape.rows[i]), aForm_.coefficients[c_.rows[i].inner]));
      auto place = [&](int64_t v) { return b_.add(first, v * c_.lanes); };
      Values start;
      for (int64_t v = 0; v < shape.vectors; ++v)
        start.push_back(vector::LoadOp::create(b_.b, b_.loc, vector_, repaired_, place(v)));
      for (auto [v, sum] : llvm::enumerate(exactRow(0, shape, a, bBase, start)))
        vector::StoreOp::create(b_.b, b_.loc, sum, repaired_, place(v));
    });
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = vector::LoadOp::create(b_.b, b_.loc, vector_, repaired_, b_.index(i * c_.lanes));
    return sums;
  }

  Values exactRow(unsigned depth, const TileShape &shape, Value aIndex, Value bIndex, ValueRange sums) {
    if (depth < c_.reductionDims.size()) {
      unsigned dim = c_.reductionDims[depth];
      return b_.loop(ranges_[dim].from, ranges_[dim].to, 1, sums, [&](Value k, ValueRange in) {
        return exactRow(depth + 1, shape, b_.add(aIndex, b_.mul(k, aForm_.coefficients[dim])),
                        b_.add(bIndex, b_.mul(k, bForm_.coefficients[dim])), in);
      });
    }
    Value scalar = memref::LoadOp::create(b_.b, b_.loc, c_.space.inputs[c_.a].memory, aIndex);
    Value left = b_.broadcast(scalar, c_.lanes);
    Values next;
    for (auto [v, sum] : llvm::enumerate(sums)) {
      Value place = b_.add(bIndex, v * c_.lanes), product = multiplyAdd(left, loadB(shape, place, v), sum);
      next.push_back(b_.select(c_.copy->input() == c_.a ? isReal(aIndex, 1) : isReal(place, c_.lanes), product, sum));
    }
    return next;
  }

  // Whether what lies at `index` of the padded copy, or in the lanes from there on, is no padding.
  Value isReal(Value index, int64_t lanes) {
    Type type = withLanes(b_.b.getI64Type(), lanes);
    Value at = lanes == 1 ? Value(arith::IndexCastOp::create(b_.b, b_.loc, type, index))
                          : Value(arith::AddIOp::create(b_.b, b_.loc, b_.splatIndex(index, b_.b.getI64Type(), lanes),
                                                        b_.iota(b_.b.getI64Type(), lanes)));
    Value real;
    for (const ZeroPadding &zero : zeros_) {
      Value slot = arith::DivUIOp::create(b_.b, b_.loc, at, b_.integer(type, zero.stride));
      slot = arith::RemUIOp::create(b_.b, b_.loc, slot, b_.integer(type, zero.extent));
      real = b_.andBits(real, b_.compare(arith::CmpIPredicate::uge, slot, b_.integer(type, zero.from)));
      real = b_.andBits(real, b_.compare(arith::CmpIPredicate::ult, slot, b_.integer(type, zero.to)));
    }
    return real;
  }

  void forEachRow(const TileShape &shape, llvm::function_ref<void(size_t, ArrayRef<int64_t>)> function) {
    int64_t count = 1;
    for (int64_t rows : shape.rows) count *= rows;
    for (int64_t r = 0; r < count; ++r) {
      SmallVector<int64_t> at(shape.rows.size());
      for (int64_t rest = r, i = shape.rows.size(); i-- > 0; rest /= shape.rows[i]) at[i] = rest % shape.rows[i];
      function(r, at);
    }
  }

  int64_t offsetOf(ArrayRef<int64_t> at) {
    int64_t offset = 0;
    for (auto [row, i] : llvm::zip_equal(c_.rows, at)) offset += aForm_.coefficients[row.inner] * i;
    return offset;
  }

  Values startOf(Point &point, const TileShape &shape) {
    int64_t count = shape.vectors;
    for (int64_t rows : shape.rows) count *= rows;
    Value zero = b_.number(vector_, 0);
    Values sums(count, zero);
    if (!isFirst_) return sums;
    // Sums go on from the result's memory; what lies there before the first slice is not used.
    forEachResult(point, shape, [&](Point &here, size_t sum) {
      Value before = here.load(c_.space.outputs[0]);
      sums[sum] = b_.select(isFirst_, zero, before);
    });
    return sums;
  }

  Values reduce(unsigned depth, const TileShape &shape, Value aIndex, Value bIndex, ValueRange sums) {
    unsigned dim = c_.reductionDims[depth];
    int64_t size = c_.space.sizes[dim], aStep = aForm_.coefficients[dim], bStep = bForm_.coefficients[dim];
    auto [start, end] = ranges_[dim];
    if (depth + 1 < c_.reductionDims.size())
      return b_.loop(start, end, 1, sums, [&](Value k, ValueRange in) {
        return reduce(depth + 1, shape, b_.add(aIndex, b_.mul(k, aStep)), b_.add(bIndex, b_.mul(k, bStep)), in);
      });
    int64_t unroll = unrollOf(size, aStep, shape);
    auto run = [&](Value from, Value to, int64_t steps, ValueRange init) {
      Values start(init), pointers;
      if (spreadsFromMemory(steps, aStep)) pointers = pointersToA(b_.add(aIndex, b_.mul(from, aStep)));
      start.append(pointers);
      Values results = b_.loop(from, to, steps, start, [&](Value k, ValueRange in) {
        Values next(in.take_front(init.size()));
        PlaceInA a{b_.add(aIndex, b_.mul(k, aStep)), in.drop_front(init.size())};
        Value b = b_.add(bIndex, b_.mul(k, bStep));
        for (int64_t step = 0; step < steps; ++step) next = multiply(shape, a, step * aStep, b, step * bStep, next);
        for (Value pointer : a.pointers) next.push_back(advance(pointer, steps * aStep));
        return next;
      });
      results.truncate(init.size());
      return results;
    };
    Value whole = b_.sub(end, b_.rem(end, unroll));
    return run(whole, end, 1, run(b_.index(0), whole, unroll, sums));
  }

  // About fifty multiply-adds an iteration hide its overhead.
  int64_t unrollOf(int64_t size, int64_t aStep, const TileShape &shape) {
    int64_t products = shape.vectors;
    for (int64_t rows : shape.rows) products *= rows;
    int64_t most = std::clamp<int64_t>(56 / products, 1, 4);
    while (most > 1 && products + shape.vectors + sharedScalars(most, aStep) > emission_.target.registers) --most;
    for (int64_t unroll = most; unroll > 1; --unroll)
      if (size % unroll == 0) return unroll;
    return size >= 32 ? most : 1;
  }

  // Scalars of A that rows and steps share stay in registers from the first use to the last.
  int64_t sharedScalars(int64_t steps, int64_t aStep) const {
    llvm::DenseMap<int64_t, int64_t> uses;
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t offset : rowOffsets_) ++uses[offset + step * aStep];
    return llvm::count_if(uses, [](auto &use) { return use.second > 1; });
  }

  struct PlaceInA {
    Value index;
    ValueRange pointers; ///< to the same place, or none
  };

  // A product that takes its scalar from memory saves the instruction that loads it, at the price of a load for each
  // vector: of two vectors every other row does so, which keeps both the decoders and the load ports below their limit.
  // Scalars that several rows and steps share are loaded once.
  bool spreadsFromMemory(int64_t steps, int64_t aStep) const {
    if (c_.vectors > 2 || !emission_.target.spreadsFromMemory()) return false;
    llvm::DenseSet<int64_t> offsets;
    for (int64_t step = 0; step <= steps; ++step)
      for (int64_t offset : rowOffsets_)
        if (int64_t here = offset + step * aStep; !llvm::isInt<32>(here) || !offsets.insert(here).second) return false;
    return true;
  }

  // To be one instruction with the product, a load's address must be a register and a constant, and two loads of one
  // place remain two only where nobody sees that the pointers are equal.
  Values pointersToA(Value index) {
    OpBuilder &b = b_.b;
    auto type = LLVM::LLVMPointerType::get(b.getContext());
    auto integer = [&](Value value) -> Value { return arith::IndexCastOp::create(b, b_.loc, b.getI64Type(), value); };
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, b_.loc, c_.space.inputs[c_.a].memory);
    Value start = LLVM::IntToPtrOp::create(b, b_.loc, type, integer(base));
    Value pointer = LLVM::GEPOp::create(b, b_.loc, type, element_, start, ArrayRef<LLVM::GEPArg>{integer(index)});
    Values pointers{pointer};
    while (int64_t(pointers.size()) < c_.vectors) pointers.push_back(hide(pointer));
    return pointers;
  }

  Value hide(Value pointer) { return LLVM::LaunderInvariantGroupOp::create(b_.b, b_.loc, pointer.getType(), pointer); }

  Value offsetFrom(Value pointer, int64_t elements) {
    return LLVM::GEPOp::create(b_.b, b_.loc, pointer.getType(), element_, pointer,
                               ArrayRef<LLVM::GEPArg>{int32_t(elements)});
  }
  // The optimiser would turn what it recognises as a step into a base and the loop's index.
  Value advance(Value pointer, int64_t elements) { return hide(offsetFrom(pointer, elements)); }

  // A's scalar at `offset` in all lanes, for the products with vector `v`.
  Value loadA(PlaceInA a, int64_t offset, int64_t v) {
    Value scalar;
    if (a.pointers.empty())
      scalar = memref::LoadOp::create(b_.b, b_.loc, c_.space.inputs[c_.a].memory, b_.add(a.index, offset));
    else scalar = LLVM::LoadOp::create(b_.b, b_.loc, element_, offsetFrom(a.pointers[v], offset));
    return b_.broadcast(scalar, c_.lanes);
  }

  Values multiply(const TileShape &shape, PlaceInA a, int64_t aOffset, Value b, int64_t bOffset, ValueRange sums) {
    Values columns;
    for (int64_t v = 0; v < shape.vectors; ++v) columns.push_back(loadB(shape, b_.add(b, bOffset + v * c_.lanes), v));
    Values next(sums);
    for (auto [r, offset] : llvm::enumerate(rowOffsets_)) {
      bool fromMemory = !a.pointers.empty() && r % 2;
      Value left = loadA(a, aOffset + offset, 0);
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Value &sum = next[r * shape.vectors + v];
        sum = multiplyAdd(v && fromMemory ? loadA(a, aOffset + offset, v) : left, columns[v], sum);
      }
    }
    return next;
  }

  Value multiplyAdd(Value x, Value y, Value z) {
    if (emission_.target.fma) return math::FmaOp::create(b_.b, b_.loc, x, y, z);
    // A call for each lane would be the alternative.
    return arith::AddFOp::create(b_.b, b_.loc, arith::MulFOp::create(b_.b, b_.loc, x, y), z);
  }

  Value loadB(const TileShape &shape, Value index, int64_t v) {
    Value memory = c_.space.inputs[c_.b].memory;
    if (c_.packed || v + 1 < shape.vectors || shape.lastLanes == c_.lanes)
      return vector::LoadOp::create(b_.b, b_.loc, vector_, memory, index);
    return vector::MaskedLoadOp::create(b_.b, b_.loc, vector_, memory, index, b_.firstLanes(shape.lastLanes, c_.lanes),
                                        b_.number(vector_, 0));
  }

  // A long epilogue on every accumulator would be most of the code; a short one beside few products most of the time.
  bool isHeavy() const {
    // Less a product and a sum. A lane that is loaded alone takes an address, a load and a place in the vector.
    double epilogue = body_.operations() - 2 + 3.0 * c_.lanes * loadsLaneByLane();
    return epilogue > 22 || (epilogue > 4 && c_.space.points(/*reductionDims=*/true) >= 128);
  }

  // Inputs of the epilogue whose lanes do not lie side by side.
  int64_t loadsLaneByLane() const {
    int64_t count = 0;
    for (auto [i, input] : llvm::enumerate(c_.space.inputs)) {
      LinearForm form = c_.space.addressForm(input);
      bool together = form.isLinearIn(c_.laneDim) && form.coefficients[c_.laneDim] == 1;
      count += i != c_.a && i != c_.b && input.dependsOn(c_.laneDim) && !together;
    }
    return count;
  }

  // Points of the tile with the lanes and rows bound; what rows share is evaluated once.
  void forEachResult(const Point &point, const TileShape &shape, llvm::function_ref<void(Point &, size_t)> function) {
    for (int64_t v = 0; v < shape.vectors; ++v) {
      Point column = lanesOf(point, shape, v);
      forEachRow(shape, [&](size_t r, ArrayRef<int64_t> at) {
        Point here = column;
        for (auto [row, i] : llvm::zip_equal(c_.rows, at)) here.bind(row.inner, b_.index(i));
        function(here, r * shape.vectors + v);
      });
    }
  }

  Point lanesOf(const Point &point, const TileShape &shape, int64_t v) {
    Point column = point;
    bool isLast = v + 1 == shape.vectors;
    column.bindLanes(c_.laneDim, b_.index(v * c_.lanes), c_.lanes,
                     b_.firstLanes(isLast ? shape.lastLanes : c_.lanes, c_.lanes));
    column.hoist();
    return column;
  }

  void finish(const Point &point, const TileShape &shape, ValueRange sums) {
    forEachResult(point, shape, [&](Point &here, size_t sum) { store(here, sums[sum]); });
  }

  void store(Point &point, Value sum) {
    point.set(c_.reduce->getResult(0), sum);
    auto yield = kernel::NestOp(c_.space.nest).getYield();
    Values values;
    for (Value yielded : yield.getOperands()) values.push_back(point.evaluate(yielded));
    for (auto [output, value] : llvm::zip_equal(c_.space.outputs, values)) point.store(output, value);
  }

  // The tile goes to memory, and a loop finishes it.
  void storeThenFinish(const Point &point, const TileShape &shape, ValueRange sums) {
    for (auto [i, sum] : llvm::enumerate(sums))
      vector::StoreOp::create(b_.b, b_.loc, sum, tileMemory_, b_.index(i * c_.lanes));
    b_.loop(b_.index(0), b_.index(shape.rows[0]), 1, [&](Value r) {
      for (int64_t v = 0; v < shape.vectors; ++v) {
        Point here = lanesOf(point, shape, v);
        here.bind(c_.rows[0].inner, r);
        Value index = b_.add(b_.mul(r, shape.vectors * c_.lanes), v * c_.lanes);
        store(here, vector::LoadOp::create(b_.b, b_.loc, vector_, tileMemory_, index));
      }
    });
  }

  Emission &emission_;
  Builder &b_;
  Contraction &c_;
  Body body_;
  LinearForm aForm_, bForm_;
  Type element_;
  VectorType vector_;
  bool heavyEpilogue_;
  SmallVector<ZeroPadding> zeros_; ///< in the padded copy
  Value repaired_;                 ///< memory for a tile
  Value tileMemory_;
  Value isFirst_;                     ///< of a blocked reduction's slices
  DenseMap<unsigned, Range> ranges_;  ///< of reduction dims
  SmallVector<int64_t> rowOffsets_;   ///< in A, of the tile's rows
  DenseMap<unsigned, Value> indices_; ///< of bound dims
};

} // namespace

void emitContraction(Emission &emission, Contraction contraction, Value lo, Value hi) {
  if (contraction.copy) contraction.copy->begin(emission, contraction.space);
  ContractionEmitter emitter(emission, contraction);
  SmallVector<int64_t> sizes;
  for (unsigned dim : contraction.unitDims) sizes.push_back(contraction.space.sizes[dim]);
  forEachUnit(emission.b, sizes, lo, hi, [&](ValueRange indices) { emitter.unit(indices); });
}

} // namespace tensorjit::cpu
