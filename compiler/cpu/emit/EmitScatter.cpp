// A scatter's units have elements of the result of their own, which they fill and then take the sources for in order:
//
//   rows [r0, r1) of a slab o, where the position does not differ along a row:
//     for r: y[o, r, :] = base[o, r, :]
//     for k: p = index[k]; if (r0 <= p < r1) y[o, p, :] += source[o, k, :]
//
//   columns [c0, c1) of it, where it does:
//     for r, c: y[o, r, c] = base[o, r, c]
//     for k, c: p = index[o, k, c]; if (0 <= p < size) y[o, p, c] += source[o, k, c]
#include "cpu/emit/EmitScatter.h"

#include "cpu/emit/ScalarOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tensorjit::cpu {

static constexpr int64_t enoughUnits = 64;

namespace {

class ScatterEmitter {
public:
  ScatterEmitter(Emission &emission, kernel::ScatterOp op, ValueRange memory)
      : emission_(emission), b_(emission.b), op_(op), source_(memory[0]), index_(memory[1]),
        base_(op.getBase() ? memory[2] : Value()), result_(memory.back()), outer_(op.getOuter()), size_(op.getSize()),
        inner_(op.getInner()), count_(op.getCount()), isList_(op.isList()) {
    element_ = cast<MemRefType>(result_.getType()).getElementType();
    lanes_ = emission.target.lanes(element_.getIntOrFloatBitWidth() / 8);
    // Each block of rows looks through the whole list, which is short work beside wide rows.
    int64_t blocks = std::clamp<int64_t>(enoughUnits / std::max<int64_t>(1, outer_), 1, enoughUnits);
    if (inRows()) blocks = std::min({blocks, std::max<int64_t>(1, inner_ / 4), size_});
    else blocks = std::min<int64_t>(blocks, llvm::divideCeil(inner_, lanes_));
    block_ = llvm::divideCeil(inRows() ? size_ : inner_, blocks);
    blocks_ = llvm::divideCeil(inRows() ? size_ : inner_, block_);
  }

  int64_t extent() const { return outer_ * blocks_; }
  double seconds() const {
    return (1.0 * outer_ * inner_ * (size_ + 2 * count_) * (inRows() ? 1.0 / lanes_ : 1.0) + blocks_ * count_) / 2e9;
  }

  /// The base may be the result's own memory, which is full then.
  void begin() {
    if (!base_) return;
    auto addressOf = [&](Value memory) -> Value {
      return memref::ExtractAlignedPointerAsIndexOp::create(b_.b, b_.loc, memory);
    };
    isElsewhere_ = b_.compare(arith::CmpIPredicate::ne, addressOf(base_), addressOf(result_));
  }

  void unit(Value unit) {
    Value slab = b_.div(unit, blocks_), lo = b_.mul(b_.rem(unit, blocks_), block_);
    inRows() ? rows(slab, lo) : columns(slab, lo);
  }

private:
  bool inRows() const { return isList_ || inner_ == 1; }

  Value load(Value memory, Value at) { return memref::LoadOp::create(b_.b, b_.loc, memory, at); }

  /// The place in the index, and the position there as i64.
  Value positionAt(Value place) {
    Value position = load(index_, place);
    Type i64 = b_.b.getI64Type();
    return position.getType() == i64 ? position : Value(arith::ExtSIOp::create(b_.b, b_.loc, i64, position));
  }

  Value toIndex(Value i64) { return b_.b.createOrFold<arith::IndexCastOp>(b_.loc, b_.b.getIndexType(), i64); }
  Value toI64(Value index) { return b_.b.createOrFold<arith::IndexCastOp>(b_.loc, b_.b.getI64Type(), index); }

  void checkPosition(Value position, Value place) {
    Value bad = b_.compare(arith::CmpIPredicate::uge, position, b_.integer(b_.b.getI64Type(), size_));
    b_.ifThen(bad, [&] { reportIndex(emission_, op_.getCheck(), toI64(place), position); });
  }

  Value combine(Value old, Value value) {
    if (op_.getKind() == kernel::ScatterKind::Set) return value;
    if (isa<FloatType>(element_)) return arith::AddFOp::create(b_.b, b_.loc, old, value);
    return arith::AddIOp::create(b_.b, b_.loc, old, value);
  }

  /// y[to + i] = f(y[to + i], source[from + i]) for n elements; `n` is known where it is a constant.
  void alongRow(Value to, Value from, Value memory, int64_t n, bool combines) {
    int64_t whole = n / lanes_ * lanes_;
    auto type = VectorType::get({lanes_}, element_);
    auto vector = [&](Value i, Value mask) {
      Value target = b_.add(to, i), zero = b_.number(type, 0);
      auto read = [&](Value tensor, Value at) -> Value {
        if (!mask) return vector::LoadOp::create(b_.b, b_.loc, type, tensor, at);
        return vector::MaskedLoadOp::create(b_.b, b_.loc, type, tensor, at, mask, zero);
      };
      Value value = memory ? read(memory, b_.add(from, i)) : zero;
      if (combines && op_.getKind() == kernel::ScatterKind::Add) value = combine(read(result_, target), value);
      if (mask) vector::MaskedStoreOp::create(b_.b, b_.loc, result_, target, mask, value);
      else vector::StoreOp::create(b_.b, b_.loc, value, result_, target);
    };
    b_.loop(b_.index(0), b_.index(whole), lanes_, [&](Value i) { vector(i, {}); });
    if (whole < n) vector(b_.index(whole), b_.firstLanes(n - whole, lanes_));
  }

  void fillUnlessFull(llvm::function_ref<void()> fill) {
    if (isElsewhere_) b_.ifThen(isElsewhere_, fill);
    else fill();
  }

  /// Of what lies together.
  void fill(Value first, Value n) {
    auto step = [&](Value i, int64_t lanes) {
      Value at = b_.add(first, i);
      if (lanes == 1) {
        Value value = base_ ? load(base_, at) : b_.number(element_, 0);
        memref::StoreOp::create(b_.b, b_.loc, value, result_, at);
        return;
      }
      auto type = VectorType::get({lanes}, element_);
      Value value = base_ ? Value(vector::LoadOp::create(b_.b, b_.loc, type, base_, at)) : b_.number(type, 0);
      vector::StoreOp::create(b_.b, b_.loc, value, result_, at);
    };
    Value whole = b_.mul(b_.div(n, lanes_), lanes_);
    b_.loop(b_.index(0), whole, lanes_, [&](Value i) { step(i, lanes_); });
    b_.loop(whole, n, 1, [&](Value i) { step(i, 1); });
  }

  void rows(Value slab, Value lo) {
    Value rows = b_.min(b_.index(block_), b_.sub(b_.index(size_), lo));
    Value first = b_.add(b_.mul(slab, size_), lo);
    fillUnlessFull([&] { fill(b_.mul(first, inner_), b_.mul(rows, inner_)); });
    Value list = isList_ ? b_.index(0) : b_.mul(slab, count_);
    // One of those that look through a list reports.
    Value reports = b_.compare(arith::CmpIPredicate::eq, isList_ ? b_.add(slab, lo) : lo, b_.index(0));
    b_.ifThen(reports, [&] {
      b_.loop(b_.index(0), b_.index(count_), 1, [&](Value k) {
        Value place = b_.add(list, k);
        checkPosition(positionAt(place), place);
      });
    });
    b_.loop(b_.index(0), b_.index(count_), 1, [&](Value k) {
      Value row = b_.sub(toIndex(positionAt(b_.add(list, k))), lo);
      b_.ifThen(b_.compare(arith::CmpIPredicate::ult, row, rows), [&] {
        Value to = b_.mul(b_.add(first, row), inner_), from = b_.mul(b_.add(b_.mul(slab, count_), k), inner_);
        if (inner_ == 1) {
          Value value = load(source_, from);
          if (op_.getKind() == kernel::ScatterKind::Add) value = combine(load(result_, to), value);
          memref::StoreOp::create(b_.b, b_.loc, value, result_, to);
        } else {
          alongRow(to, from, source_, inner_, /*combines=*/true);
        }
      });
    });
  }

  void columns(Value slab, Value lo) {
    Value n = b_.min(b_.index(block_), b_.sub(b_.index(inner_), lo));
    Value first = b_.add(b_.mul(slab, size_ * inner_), lo);
    fillUnlessFull([&] {
      b_.loop(b_.index(0), b_.index(size_), 1, [&](Value row) { fill(b_.add(first, b_.mul(row, inner_)), n); });
    });
    b_.loop(b_.index(0), b_.index(count_), 1, [&](Value k) {
      Value line = b_.add(b_.mul(b_.add(b_.mul(slab, count_), k), inner_), lo);
      b_.loop(b_.index(0), n, 1, [&](Value c) {
        Value place = b_.add(line, c), position = positionAt(place);
        checkPosition(position, place);
        Value inside = b_.compare(arith::CmpIPredicate::ult, position, b_.integer(b_.b.getI64Type(), size_));
        b_.ifThen(inside, [&] {
          Value to = b_.add(b_.add(first, b_.mul(toIndex(position), inner_)), c);
          Value value = load(source_, place);
          if (op_.getKind() == kernel::ScatterKind::Add) value = combine(load(result_, to), value);
          memref::StoreOp::create(b_.b, b_.loc, value, result_, to);
        });
      });
    });
  }

  Emission &emission_;
  Builder &b_;
  kernel::ScatterOp op_;
  Value source_, index_, base_, result_;
  Value isElsewhere_; ///< whether the base lies in other memory; null: there is none
  Type element_;
  int64_t outer_, size_, inner_, count_;
  bool isList_;
  int64_t lanes_, block_, blocks_; ///< rows, or columns, of a unit, and units of a slab
};

} // namespace

void emitScatter(Emission &emission, kernel::ScatterOp scatter, ValueRange memory, Value lo, Value hi,
                 EmittedKernel &kernel) {
  ScatterEmitter emitter(emission, scatter, memory);
  emitter.begin();
  emission.b.loop(lo, hi, 1, [&](Value unit) { emitter.unit(unit); });
  kernel.extent = emitter.extent();
  kernel.addNest("scatter", emitter.seconds());
}

} // namespace tensorjit::cpu
