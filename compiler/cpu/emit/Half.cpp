#include "cpu/emit/Half.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tensorjit::cpu {

static Value bitcast(Builder &b, Value value, Type element) {
  return b.b.createOrFold<arith::BitcastOp>(b.loc, withLanes(element, lanesOf(value.getType())), value);
}

Value widenHalf(Builder &b, Value half) {
  int64_t lanes = lanesOf(half.getType());
  Type single = withLanes(b.b.getF32Type(), lanes), word = withLanes(b.b.getI32Type(), lanes);
  if (getElementTypeOrSelf(half.getType()).isF16()) return arith::ExtFOp::create(b.b, b.loc, single, half);
  Value bits = arith::ExtUIOp::create(b.b, b.loc, word, bitcast(b, half, b.b.getI16Type()));
  bits = arith::ShLIOp::create(b.b, b.loc, bits, b.integer(word, 16));
  return arith::BitcastOp::create(b.b, b.loc, single, bits);
}

Value roundToHalf(Builder &b, Value single, Type element) {
  int64_t lanes = lanesOf(single.getType());
  if (element.isF16()) return arith::TruncFOp::create(b.b, b.loc, withLanes(element, lanes), single);
  Type word = withLanes(b.b.getI32Type(), lanes);
  Value bits = arith::BitcastOp::create(b.b, b.loc, word, single), sixteen = b.integer(word, 16);
  Value high = arith::ShRUIOp::create(b.b, b.loc, bits, sixteen);
  Value odd = arith::AndIOp::create(b.b, b.loc, high, b.integer(word, 1));
  Value up = b.add(b.add(bits, b.integer(word, 0x7fff)), odd);
  Value rounded = arith::ShRUIOp::create(b.b, b.loc, up, sixteen);
  Value isNan = arith::CmpFOp::create(b.b, b.loc, arith::CmpFPredicate::UNO, single, single);
  Value quiet = arith::OrIOp::create(b.b, b.loc, high, b.integer(word, 0x40));
  Value result = b.select(isNan, quiet, rounded);
  result = arith::TruncIOp::create(b.b, b.loc, withLanes(b.b.getI16Type(), lanes), result);
  return bitcast(b, result, element);
}

} // namespace tensorjit::cpu
