#include "cpu/emit/Units.h"

using namespace mlir;

namespace tensorjit::cpu {

static Values indicesOf(Builder &b, ArrayRef<int64_t> sizes, Value unit) {
  Values indices(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    indices[i] = i == 0 ? unit : b.rem(unit, sizes[i]);
    if (i) unit = b.div(unit, sizes[i]);
  }
  return indices;
}

// The next point in row-major order: the last index that has not reached its end goes up, those behind it start again.
static Values next(Builder &b, ArrayRef<int64_t> sizes, ValueRange indices) {
  Values result(indices);
  Value carry;
  for (size_t i = sizes.size(); i-- > 0;) {
    Value up = b.add(indices[i], 1);
    if (carry) up = b.select(carry, up, indices[i]);
    result[i] = up;
    if (i == 0) break;
    carry = b.compare(arith::CmpIPredicate::eq, up, b.index(sizes[i]));
    result[i] = b.select(carry, b.index(0), up);
  }
  return result;
}

void forEachUnit(Builder &b, ArrayRef<int64_t> sizes, Value lo, Value hi, function_ref<void(ValueRange)> body) {
  SmallVector<size_t> places; // of the dims with more than one point
  SmallVector<int64_t> counted;
  for (auto [place, size] : llvm::enumerate(sizes)) {
    if (size == 1) continue;
    places.push_back(place);
    counted.push_back(size);
  }
  auto run = [&](ValueRange counters) {
    Values indices(sizes.size(), b.index(0));
    for (auto [place, counter] : llvm::zip_equal(places, counters)) indices[place] = counter;
    body(indices);
  };
  if (counted.empty()) return b.loop(lo, hi, 1, [&](Value) { run({}); });
  if (counted.size() == 1) return b.loop(lo, hi, 1, [&](Value unit) { run(unit); });
  // Counters, not a quotient and remainders of the unit's number: LLVM would spend half its time on expanding these in
  // every address.
  b.loop(lo, hi, 1, indicesOf(b, counted, lo), [&](Value, ValueRange counters) {
    run(counters);
    return next(b, counted, counters);
  });
}

} // namespace tensorjit::cpu
