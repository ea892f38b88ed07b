// Index checks: lanes out of range reach the run's error slot; the smallest (check, position) stays there.
#include "cpu/emit/ScalarOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

namespace tensorjit::cpu {

// ErrorSlot::set doubles as a lock (2) while several threads report. A failing run is not in a hurry.
static constexpr const char *reportFunction = R"mlir(
llvm.func internal @report_index(%context: !llvm.ptr, %check: i64, %position: i64, %value: i64) {
  %empty = llvm.mlir.constant(0 : i64) : i64
  %filled = llvm.mlir.constant(1 : i64) : i64
  %locked = llvm.mlir.constant(2 : i64) : i64
  %slot = llvm.load %context : !llvm.ptr -> !llvm.ptr
  %check_at = llvm.getelementptr %slot[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %position_at = llvm.getelementptr %slot[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %value_at = llvm.getelementptr %slot[3] : (!llvm.ptr) -> !llvm.ptr, i64
  llvm.br ^lock
^lock:
  %state = llvm.atomicrmw xchg %slot, %locked acquire : !llvm.ptr, i64
  %busy = llvm.icmp "eq" %state, %locked : i64
  llvm.cond_br %busy, ^lock, ^compare
^compare:
  %old_check = llvm.load %check_at : !llvm.ptr -> i64
  %old_position = llvm.load %position_at : !llvm.ptr -> i64
  %is_empty = llvm.icmp "eq" %state, %empty : i64
  %earlier_check = llvm.icmp "slt" %check, %old_check : i64
  %same_check = llvm.icmp "eq" %check, %old_check : i64
  %earlier_position = llvm.icmp "slt" %position, %old_position : i64
  %earlier_here = llvm.and %same_check, %earlier_position : i1
  %earlier = llvm.or %earlier_check, %earlier_here : i1
  %replace = llvm.or %is_empty, %earlier : i1
  llvm.cond_br %replace, ^write, ^unlock
^write:
  llvm.store %check, %check_at : i64, !llvm.ptr
  llvm.store %position, %position_at : i64, !llvm.ptr
  llvm.store %value, %value_at : i64, !llvm.ptr
  llvm.br ^unlock
^unlock:
  llvm.store %filled, %slot atomic release {alignment = 8 : i64} : i64, !llvm.ptr
  llvm.return
}
)mlir";

static LLVM::LLVMFuncOp findReport(Emission &emission) {
  if (auto known = emission.module.lookupSymbol<LLVM::LLVMFuncOp>("report_index")) return known;
  auto parsed = parseSourceString<ModuleOp>(reportFunction, ParserConfig(emission.module.getContext(), false));
  LLVM::LLVMFuncOp function = *parsed->getOps<LLVM::LLVMFuncOp>().begin();
  function->moveBefore(emission.module.getBody(), emission.module.getBody()->begin());
  return function;
}

void reportIndex(Emission &emission, int64_t number, Value position, Value value) {
  Value check = emission.b.integer(emission.b.b.getI64Type(), number);
  LLVM::CallOp::create(emission.b.b, emission.b.loc, findReport(emission),
                       ValueRange{emission.context, check, position, value});
}

static void reportLanes(Emission &emission, kernel::CheckIndexOp op, Value position, Value value, Value bad) {
  Builder &b = emission.b;
  int64_t lanes = lanesOf(value.getType());
  auto lane = [&](Value vector, Value i) -> Value {
    return vector::ExtractOp::create(b.b, b.loc, vector, ArrayRef<OpFoldResult>{i});
  };
  b.loop(b.index(0), b.index(lanes), 1, [&](Value i) {
    b.ifThen(lane(bad, i), [&] { reportIndex(emission, op.getCheck(), lane(position, i), lane(value, i)); });
  });
}

Value emitCheckIndex(Emission &emission, kernel::CheckIndexOp op, Value value, Value position, Value active) {
  Builder &b = emission.b;
  Value bound = b.integer(value.getType(), op.getBound());
  Value outside = b.compare(arith::CmpIPredicate::uge, value, bound);
  Value bad = b.andBits(outside, active);
  if (isa<VectorType>(value.getType())) {
    Value any = vector::ReductionOp::create(b.b, b.loc, vector::CombiningKind::OR, bad);
    b.ifThen(any, [&] { reportLanes(emission, op, position, value, bad); });
  } else {
    b.ifThen(bad, [&] { reportIndex(emission, op.getCheck(), position, value); });
  }
  return b.select(outside, b.integer(value.getType(), 0), value);
}

} // namespace tensorjit::cpu
