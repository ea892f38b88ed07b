#include "cpu/emit/Transpose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tensorjit::cpu {

bool isTransposable(const Space &space, const Access &access, unsigned lane, unsigned cross) {
  if (access.element.isInteger(1)) return false; // a mask register has no shuffles
  LinearForm form = space.addressForm(access);
  return form.isLinearIn(lane) && form.isLinearIn(cross) && form.coefficients[lane] > 1 &&
         form.coefficients[cross] == 1;
}

static Value shuffle(Builder &b, Value x, Value y, ArrayRef<int64_t> mask) {
  return vector::ShuffleOp::create(b.b, b.loc, x, y, mask);
}

// The m x m matrix of each part of `rows` turned round: log2(m) times x0 y0 x1 y1 ... of the halves.
static Values transposeParts(Builder &b, Values rows) {
  int64_t lanes = lanesOf(rows[0].getType()), m = rows.size();
  SmallVector<int64_t> low, high;
  for (int64_t part = 0; part < lanes; part += m)
    for (int64_t i = 0; i < m / 2; ++i) {
      low.append({part + i, lanes + part + i});
      high.append({part + i + m / 2, lanes + part + i + m / 2});
    }
  for (int64_t stage = 1; stage < m; stage *= 2) {
    Values next;
    for (int64_t i = 0; i < m / 2; ++i)
      next.append({shuffle(b, rows[i], rows[i + m / 2], low), shuffle(b, rows[i], rows[i + m / 2], high)});
    rows = next;
  }
  return rows;
}

// As many vectors as each has parts of m: part j of vector i becomes part i of vector j.
static Values exchangeParts(Builder &b, Values vectors, int64_t m) {
  if (vectors.size() == 1) return vectors;
  SmallVector<int64_t> masks[2]; // the even parts of two vectors, the odd ones
  for (int64_t i = 0; i < 2 * lanesOf(vectors[0].getType()); ++i) masks[i / m % 2].push_back(i);
  Values halves[2];
  for (size_t i = 0; i < vectors.size(); i += 2)
    for (int odd : {0, 1}) halves[odd].push_back(shuffle(b, vectors[i], vectors[i + 1], masks[odd]));
  Values even = exchangeParts(b, halves[0], m), odd = exchangeParts(b, halves[1], m), result;
  for (auto [e, o] : llvm::zip_equal(even, odd)) result.append({e, o});
  return result;
}

TransposedBlocks::TransposedBlocks(Emission &emission, const Space &space, const Plan &plan)
    : emission_(emission), b_(emission.b), space_(space), plan_(plan), part_(plan.lanes) {
  auto find = [&](ArrayRef<Access> accesses, SmallVectorImpl<Turned> &turned) {
    for (auto [place, access] : llvm::enumerate(accesses)) {
      if (!isTransposable(space, access, plan.laneDim, plan.crossDim)) continue;
      turned.push_back({access, place, emission.allocateScratch(access.element, plan.lanes * plan.lanes)});
      part_ = std::min<int64_t>(part_, std::max<int64_t>(1, 128 / access.element.getIntOrFloatBitWidth()));
    }
  };
  find(space.inputs, inputs_);
  find(space.outputs, outputs_);
}

void TransposedBlocks::emit(const Point &point, Value cross, int64_t crossCount) {
  int64_t size = space_.sizes[plan_.laneDim], whole = size / plan_.lanes * plan_.lanes;
  auto emitBlock = [&](Value lane, int64_t laneCount) {
    Block here{cross, lane, crossCount, laneCount, point, point};
    here.rows.bindLanes(plan_.crossDim, cross, plan_.lanes, b_.firstLanes(crossCount, plan_.lanes));
    here.columns.bindLanes(plan_.laneDim, lane, plan_.lanes, b_.firstLanes(laneCount, plan_.lanes));
    here.columns.hoist();
    block(here);
  };
  b_.loop(b_.index(0), b_.index(whole), plan_.lanes, [&](Value lane) { emitBlock(lane, plan_.lanes); });
  if (whole < size) emitBlock(b_.index(whole), size - whole);
}

void TransposedBlocks::block(const Block &block) {
  for (const Turned &input : inputs_) readRows(input, block);
  b_.loop(b_.index(0), b_.index(std::min(part_, block.crossCount)), 1, [&](Value first) { column(block, first); });
  for (const Turned &output : outputs_) writeRows(output, block);
}

// Groups of `part_` rows, of which the last may have fewer.
void TransposedBlocks::forEachRowGroup(const Block &block, function_ref<void(Value, int64_t)> body) {
  int64_t whole = block.laneCount / part_ * part_;
  b_.loop(b_.index(0), b_.index(whole), part_, [&](Value row) { body(row, part_); });
  if (whole < block.laneCount) body(b_.index(whole), block.laneCount - whole);
}

void TransposedBlocks::readRows(const Turned &input, const Block &block) {
  forEachRowGroup(block, [&](Value row, int64_t count) {
    Values rows;
    for (int64_t i = 0; i < count; ++i) {
      Point here = block.rows;
      here.bind(plan_.laneDim, b_.add(block.lane, b_.add(row, i)));
      rows.push_back(here.load(input.access));
    }
    rows.resize(part_, b_.number(rows[0].getType(), 0));
    for (auto [i, value] : llvm::enumerate(transposeParts(b_, rows))) storeScratch(input, b_.add(row, i), value);
  });
}

void TransposedBlocks::writeRows(const Turned &output, const Block &block) {
  forEachRowGroup(block, [&](Value row, int64_t count) {
    Values columns;
    for (int64_t i = 0; i < part_; ++i) columns.push_back(loadScratch(output, b_.add(row, i)));
    Values rows = transposeParts(b_, columns);
    for (int64_t i = 0; i < count; ++i) {
      Point here = block.rows;
      here.bind(plan_.laneDim, b_.add(block.lane, b_.add(row, i)));
      here.store(output.access, rows[i]);
    }
  });
}

// Positions first, first + m, ... of a block.
void TransposedBlocks::column(const Block &block, Value first) {
  kernel::NestOp nest = space_.nest;
  SmallVector<Values> inputs, outputs(outputs_.size());
  for (const Turned &input : inputs_) inputs.push_back(loadColumns(input, first));
  for (int64_t i = 0; i * part_ < plan_.lanes; ++i) {
    Value position = b_.add(first, i * part_), isInside;
    // Behind the block's end its last position is computed again, and not stored.
    if ((i + 1) * part_ > block.crossCount) {
      isInside = b_.compare(arith::CmpIPredicate::slt, position, b_.index(block.crossCount));
      position = b_.min(position, b_.index(block.crossCount - 1));
    }
    Point here = block.columns;
    here.bind(plan_.crossDim, b_.add(block.cross, position));
    for (auto [input, values] : llvm::zip_equal(inputs_, inputs))
      here.set(nest.getBlock()->getArgument(input.place), values[i]);
    Values results;
    for (Value value : nest.getYield().getOperands()) results.push_back(here.evaluateLanes(value));
    for (auto [output, values] : llvm::zip_equal(outputs_, outputs)) values.push_back(results[output.place]);
    auto store = [&] {
      for (auto [place, access] : llvm::enumerate(space_.outputs))
        if (llvm::none_of(outputs_, [&](const Turned &output) { return output.place == place; }))
          here.store(access, results[place]);
    };
    isInside ? b_.ifThen(isInside, store) : store();
  }
  for (auto [output, values] : llvm::zip_equal(outputs_, outputs)) storeColumns(output, first, values);
}

// What readRows has left of position first + i * m lies in part i of every m-th vector.
Values TransposedBlocks::loadColumns(const Turned &input, Value first) {
  Values parts;
  for (int64_t i = 0; i < plan_.lanes; i += part_) parts.push_back(loadScratch(input, b_.add(first, i)));
  return exchangeParts(b_, parts, part_);
}

void TransposedBlocks::storeColumns(const Turned &output, Value first, Values columns) {
  for (auto [i, value] : llvm::enumerate(exchangeParts(b_, columns, part_)))
    storeScratch(output, b_.add(first, i * part_), value);
}

Value TransposedBlocks::loadScratch(const Turned &turned, Value row) {
  auto type = VectorType::get({plan_.lanes}, turned.access.element);
  return vector::LoadOp::create(b_.b, b_.loc, type, turned.scratch, b_.mul(row, plan_.lanes));
}

void TransposedBlocks::storeScratch(const Turned &turned, Value row, Value value) {
  vector::StoreOp::create(b_.b, b_.loc, value, turned.scratch, b_.mul(row, plan_.lanes));
}

} // namespace tensorjit::cpu
