include "Record.td"

// Integers and bool as bits.
class TJ_Bitwise<string mnemonic> : TJ_Binary<mnemonic, "E"> {
  let dtypes = Integral;
  let vjp = NoVjp<"the operands are integers">;
  let errors = "`type_error` for floats; `shape_error` where the sizes do not broadcast.";
}
def TJ_BitwiseAndOp : TJ_Bitwise<"bitwise_and"> {
  let summary = "Bits set in a and in b; of bool, logical and.";
  let expr = [(bitAnd $a, $b)];
  let cppOperator = "&";
  let sample = Calls<["bitwise_and(i64({17}, 1000), i64({17}, 1000))"]>;
  let examples = [Example<"bitwise_and(tensor({int64_t(6)}), 3)", "[2]">];
}
def TJ_BitwiseOrOp : TJ_Bitwise<"bitwise_or"> {
  let summary = "Bits set in a or in b; of bool, logical or.";
  let expr = [(bitOr $a, $b)];
  let cppOperator = "|";
  let sample = Calls<["bitwise_or(i64({17}, 1000), i64({17}, 1000))"]>;
  let examples = [Example<"bitwise_or(tensor({int64_t(6)}), 3)", "[7]">];
}
def TJ_BitwiseXorOp : TJ_Bitwise<"bitwise_xor"> {
  let summary = "Bits set in one of a and b; of bool, logical xor.";
  let expr = [(bitXor $a, $b)];
  let cppOperator = "^";
  let sample = Calls<["bitwise_xor(i64({17}, 1000), i64({17}, 1000))"]>;
  let examples = [Example<"bitwise_xor(tensor({int64_t(6)}), 3)", "[5]">];
}
def TJ_BitwiseNotOp : TJ_Unary<"bitwise_not", "E"> {
  let summary = "The bits that are not set; of bool, logical not.";
  let dtypes = Integral;
  let expr = [(bitNot $x)];
  let vjp = NoVjp<"the operand is an integer">;
  let cppOperator = "~";
  let sample = Calls<["bitwise_not(i64({17}, 1000))"]>;
  let examples = [Example<"bitwise_not(tensor({int64_t(6)}))", "[-7]">];
}
class TJ_Shift<string mnemonic, string function> : TJ_Binary<mnemonic, "E"> {
  let functions = [function];
  let inPlace = 0;
  let dtypes = Integers;
  let vjp = NoVjp<"the operands are integers">;
  let errors = "`type_error` for floats and bool; `shape_error` where the sizes do not broadcast.";
}
def TJ_ShiftLeftOp : TJ_Shift<"shift_left", "bitwise_left_shift"> {
  let summary = "a times 2^b, wrapping; 0 for a negative shift or one of the whole width and more.";
  let expr = [(shiftLeft $a, $b)];
  let adapt = "adaptShiftLeft";
  let sample = Calls<["bitwise_left_shift(i64({17}, 1000), i64({17}, 70))"]>;
  let examples = [Example<"bitwise_left_shift(tensor({int64_t(6)}), 1)", "[12]">];
}
def TJ_ShiftRightOp : TJ_Shift<"shift_right", "bitwise_right_shift"> {
  let summary = "a over 2^b, rounded down; the sign alone for a negative shift or one of the whole width and more.";
  let expr = [(shiftRight $a, $b)];
  let adapt = "adaptShiftRight";
  let sample = Calls<["bitwise_right_shift(i64({17}, 1000), i64({17}, 70))"]>;
  let examples = [Example<"bitwise_right_shift(tensor({int64_t(6)}), 1)", "[3]">];
}
