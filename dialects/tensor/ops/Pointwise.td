include "Record.td"

//===- Unary primitives ------------------------------------------------------------------------------------------===//

def TJ_NegOp : TJ_Unary<"neg", "E"> {
  let summary = "-x; integers wrap.";
  let dtypes = Numeric;
  let expr = [(neg $x)];
  let vjp = Vjp<(grads (neg $g))>;
  let cppOperator = "-";
  let special = [Edge<"0.0", "-0.0">, Edge<"-inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"neg(tensor({1.f, -2.f}))", "[-1, 2]">];
}
def TJ_AbsOp : TJ_Unary<"abs", "E"> {
  let summary = "Magnitude of x; the most negative integer stays.";
  let dtypes = Numeric;
  let expr = [(abs $x)];
  let vjp = Vjp<(grads (mul $g, (sign $x))), (saves $x)>;
  let special = [Edge<"-0.0", "0.0">, Edge<"-inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"abs(tensor({-1.5f, 2.f}))", "[1.5, 2]">];
}
def TJ_SignOp : TJ_Unary<"sign", "E"> {
  let summary = "1 above zero, -1 below; zeros and NaN pass unchanged.";
  let dtypes = Numeric;
  let expr = [(sign $x)];
  let vjp = Vjp<(grads zero)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"nan", "nan">, Edge<"-inf", "-1.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"sign(tensor({-3.f, 0.f, 5.f}))", "[-1, 0, 1]">];
}
def TJ_FloorOp : TJ_Unary<"floor", "E"> {
  let summary = "Largest integer value not above x; integers are unchanged.";
  let dtypes = Numeric;
  let expr = [(floor $x)];
  let vjp = Vjp<(grads zero)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"-0.5", "-1.0">, Edge<"inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"floor(tensor({-1.5f, 1.5f}))", "[-2, 1]">];
}
def TJ_CeilOp : TJ_Unary<"ceil", "E"> {
  let summary = "Smallest integer value not below x; integers are unchanged.";
  let dtypes = Numeric;
  let expr = [(ceil $x)];
  let vjp = Vjp<(grads zero)>;
  let special = [Edge<"-0.5", "-0.0">, Edge<"inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"ceil(tensor({-1.5f, 1.5f}))", "[-1, 2]">];
}
def TJ_TruncOp : TJ_Unary<"trunc", "E"> {
  let summary = "x without its fraction; integers are unchanged.";
  let dtypes = Numeric;
  let expr = [(trunc $x)];
  let vjp = Vjp<(grads zero)>;
  let special = [Edge<"-0.5", "-0.0">, Edge<"2.75", "2.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"trunc(tensor({-1.5f, 1.5f}))", "[-1, 1]">];
}
def TJ_RoundOp : TJ_Unary<"round", "E"> {
  let summary = "Nearest integer value, halves to even; integers are unchanged.";
  let dtypes = Numeric;
  let expr = [(round $x)];
  let vjp = Vjp<(grads zero)>;
  let special = [Edge<"0.5", "0.0">, Edge<"1.5", "2.0">, Edge<"2.5", "2.0">, Edge<"-0.5", "-0.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"round(tensor({0.5f, 1.5f, -2.25f}))", "[0, 2, -2]">];
}
def TJ_SqrtOp : TJ_FloatUnary<"sqrt", "E"> {
  let summary = "Square root, correctly rounded; NaN below zero.";
  let expr = [(sqrt $x)];
  let vjp = Vjp<(grads (div $g, (mul $y, "2"))), (saves $y)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"-1.0", "nan">, Edge<"inf", "inf">, Edge<"4.0", "2.0">];
  let sample = Ranges<"0.1", "4">;
  let examples = [Example<"sqrt(tensor({4.f, 9.f}))", "[2, 3]">];
}
def TJ_ExpOp : TJ_FloatUnary<"exp", "M"> {
  let summary = "e to the power x; denormal results are kept.";
  let expr = [(exp $x)];
  let vjp = Vjp<(grads (mul $g, $y)), (saves $y)>;
  let special = [Edge<"0.0", "1.0">, Edge<"-inf", "0.0">, Edge<"inf", "inf">, Edge<"nan", "nan">, Edge<"1000.0", "inf">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"exp(tensor({0.f}))", "[1]">];
}
def TJ_Exp2Op : TJ_FloatUnary<"exp2", "M"> {
  let summary = "2 to the power x; denormal results are kept.";
  let expr = [(exp2 $x)];
  let vjp = Vjp<(grads (mul (mul $g, $y), "0.69314718055994530942")), (saves $y)>;
  let special = [Edge<"3.0", "8.0">, Edge<"-inf", "0.0">, Edge<"inf", "inf">, Edge<"nan", "nan">, Edge<"-1.0", "0.5">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"exp2(tensor({0.f, 3.f}))", "[1, 8]">];
}
def TJ_Expm1Op : TJ_FloatUnary<"expm1", "M"> {
  let summary = "exp(x) - 1, with full relative accuracy near 0.";
  let expr = [(expm1 $x)];
  let vjp = Vjp<(grads (mul $g, (add $y, "1"))), (saves $y)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"-inf", "-1.0">, Edge<"inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"expm1(tensor({0.f}))", "[0]">];
}
def TJ_LogOp : TJ_FloatUnary<"log", "M"> {
  let summary = "Natural logarithm; -inf at zero, NaN below.";
  let expr = [(log $x)];
  let vjp = Vjp<(grads (div $g, $x)), (saves $x)>;
  let special = [Edge<"1.0", "0.0">, Edge<"0.0", "-inf">, Edge<"-0.0", "-inf">, Edge<"-1.0", "nan">, Edge<"inf", "inf">];
  let sample = Ranges<"0.1", "8">;
  let examples = [Example<"log(tensor({1.f}))", "[0]">];
}
def TJ_Log1pOp : TJ_FloatUnary<"log1p", "M"> {
  let summary = "log(1 + x), accurate near zero; -inf at -1, NaN below.";
  let expr = [(log1p $x)];
  let vjp = Vjp<(grads (div $g, (add $x, "1"))), (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"-1.0", "-inf">, Edge<"-2.0", "nan">, Edge<"inf", "inf">];
  let sample = Ranges<"-0.9", "8">;
  let examples = [Example<"log1p(tensor({0.f}))", "[0]">];
}
def TJ_TanhOp : TJ_FloatUnary<"tanh", "M"> {
  let summary = "Hyperbolic tangent; values in [-1, 1].";
  let expr = [(tanh $x)];
  let vjp = Vjp<(grads (mul $g, (sub "1", (square $y)))), (saves $y)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"inf", "1.0">, Edge<"-inf", "-1.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"tanh(tensor({0.f}))", "[0]">];
}
def TJ_ErfOp : TJ_FloatUnary<"erf", "M"> {
  let summary = "Error function, 2/sqrt(pi) times the integral of exp(-t*t) from 0 to x.";
  let expr = [(erf $x)];
  let vjp = Vjp<(grads (mul $g, (mul (exp (neg (square $x))), "1.12837916709551257390"))), (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"inf", "1.0">, Edge<"-inf", "-1.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-3", "3">;
  let examples = [Example<"erf(tensor({0.f}))", "[0]">];
}
def TJ_ErfcOp : TJ_FloatUnary<"erfc", "M"> {
  let summary = "1 - erf(x), accurate in the tail.";
  let expr = [(erfc $x)];
  let vjp = Vjp<(grads (mul $g, (mul (exp (neg (square $x))), "-1.12837916709551257390"))), (saves $x)>;
  let special = [Edge<"0.0", "1.0">, Edge<"inf", "0.0">, Edge<"-inf", "2.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-3", "8">;
  let examples = [Example<"erfc(tensor({0.f}))", "[1]">];
}

//===- Binary primitives -----------------------------------------------------------------------------------------===//

def TJ_AddOp : TJ_Binary<"add", "E"> {
  let summary = "a + b; integers wrap, bool is or.";
  let expr = [(add $a, $b)];
  let vjp = Vjp<(grads $g, $g)>;
  let cppOperator = "+";
  let special = [Edge<"-0.0, 0.0", "0.0">, Edge<"inf, -inf", "nan">, Edge<"1.0, nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"add(tensor({1.f, 2.f}), 10)", "[11, 12]">];
}
def TJ_SubOp : TJ_Binary<"sub", "E"> {
  let summary = "a - b; integers wrap.";
  let dtypes = Numeric;
  let expr = [(sub $a, $b)];
  let vjp = Vjp<(grads $g, (neg $g))>;
  let cppOperator = "-";
  let special = [Edge<"0.0, 0.0", "0.0">, Edge<"inf, inf", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"sub(tensor({1.f, 2.f}), 10)", "[-9, -8]">];
}
def TJ_MulOp : TJ_Binary<"mul", "E"> {
  let summary = "a * b; integers wrap, bool is and. Zero times NaN or infinity is NaN.";
  let expr = [(mul $a, $b)];
  let vjp = Vjp<(grads (mul $g, $b), (mul $g, $a)), (saves $a, $b)>;
  let cppOperator = "*";
  let special = [Edge<"0.0, inf", "nan">, Edge<"-0.0, 2.0", "-0.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"mul(tensor({1.f, 2.f}), 10)", "[10, 20]">];
}
def TJ_DivOp : TJ_Binary<"div", "E"> {
  let summary = "a / b in IEEE arithmetic; integers and bool become f32.";
  let dtypes = Floating;
  let promote = FloatOrF32;
  let expr = [(div $a, $b)];
  let vjp = Vjp<(grads (div $g, $b), (neg (div (mul $g, $y), $b))), (saves $b, $y)>;
  let cppOperator = "/";
  let special = [Edge<"1.0, 0.0", "inf">, Edge<"0.0, 0.0", "nan">, Edge<"1.0, -0.0", "-inf">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"div(tensor({1.f, 2.f}), 4)", "[0.25, 0.5]">];
}
def TJ_MaximumOp : TJ_Binary<"maximum", "E"> {
  let summary = "The larger of a and b; NaN from either side, and +0 above -0.";
  let expr = [(maximum $a, $b)];
  let vjp = Vjp<(grads (where (lt $a, $b), "0", (where (eq $a, $b), (mul $g, "0.5"), $g)),
                       (where (lt $b, $a), "0", (where (eq $a, $b), (mul $g, "0.5"), $g))), (saves $a, $b)>;
  let special = [Edge<"0.0, -0.0", "0.0">, Edge<"-0.0, 0.0", "0.0">, Edge<"nan, 1.0", "nan">, Edge<"1.0, nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"maximum(tensor({1.f, 5.f}), 3)", "[3, 5]">];
}
def TJ_MinimumOp : TJ_Binary<"minimum", "E"> {
  let summary = "The smaller of a and b; NaN from either side, and -0 below +0.";
  let expr = [(minimum $a, $b)];
  let vjp = Vjp<(grads (where (gt $a, $b), "0", (where (eq $a, $b), (mul $g, "0.5"), $g)),
                       (where (gt $b, $a), "0", (where (eq $a, $b), (mul $g, "0.5"), $g))), (saves $a, $b)>;
  let special = [Edge<"0.0, -0.0", "-0.0">, Edge<"-0.0, 0.0", "-0.0">, Edge<"nan, 1.0", "nan">, Edge<"1.0, nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"minimum(tensor({1.f, 5.f}), 3)", "[1, 3]">];
}

//===- Comparisons -----------------------------------------------------------------------------------------------===//

def TJ_EqOp : TJ_Compare<"eq", "=="> {
  let summary = "a == b; false where either is NaN.";
  let expr = [(eq $a, $b)];
  let examples = [Example<"eq(tensor({1.f, 2.f}), 2)", "[false, true]">];
}
def TJ_NeOp : TJ_Compare<"ne", "!="> {
  let summary = "a != b; true where either is NaN.";
  let expr = [(ne $a, $b)];
  let examples = [Example<"ne(tensor({1.f, 2.f}), 2)", "[true, false]">];
}
def TJ_LtOp : TJ_Compare<"lt", "<"> {
  let summary = "a < b; false where either is NaN.";
  let expr = [(lt $a, $b)];
  let examples = [Example<"lt(tensor({1.f, 2.f}), 2)", "[true, false]">];
}
def TJ_LeOp : TJ_Compare<"le", "<="> {
  let summary = "a <= b; false where either is NaN.";
  let expr = [(le $a, $b)];
  let examples = [Example<"le(tensor({1.f, 3.f}), 2)", "[true, false]">];
}
def TJ_GtOp : TJ_Compare<"gt", ">"> {
  let summary = "a > b; false where either is NaN.";
  let expr = [(gt $a, $b)];
  let examples = [Example<"gt(tensor({1.f, 3.f}), 2)", "[false, true]">];
}
def TJ_GeOp : TJ_Compare<"ge", ">="> {
  let summary = "a >= b; false where either is NaN.";
  let expr = [(ge $a, $b)];
  let examples = [Example<"ge(tensor({1.f, 2.f}), 2)", "[false, true]">];
}

//===- Select and cast -------------------------------------------------------------------------------------------===//

def TJ_WhereOp : TJ_Pointwise<"where", "E"> {
  let summary = "a where the condition holds, else b; NaN in the branch not taken does not leak.";
  let arguments = (ins TJ_Tensor<"bool; sizes broadcast">:$condition, TJ_Operand<"taken where true">:$a,
                       TJ_Operand<"taken where false">:$b);
  let method = 0;
  let promote = Branches;
  let expr = [(select $condition, $a, $b)];
  let vjp = Vjp<(grads none, (where $condition, $g, "0"), (where $condition, "0", $g)), (saves $condition)>;
  let errors = "`type_error` where the condition is not bool; `shape_error` where the sizes do not broadcast.";
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"where(gt(tensor({-1.f, 2.f}), 0), 1.f, 0.f)", "[0, 1]">];
  let infer = "select";
}
def TJ_CastOp : TJ_Pointwise<"cast", "E"> {
  let summary = "x at another dtype: nearest even to floats; to integers truncated and saturated, NaN is 0; to bool, x != 0.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_DType<"dtype of the result">:$dtype);
  let method = 0;
  let infer = "cast";
  let vjp = Vjp<(grads $g)>;
  let sample = Calls<["cast(f32({17}), kInt64)", "cast(f32({3, 5}), kFloat64)"]>;
  let examples = [Example<"cast(tensor({-1.5f, 300.f}), kUInt8)", "[0, 255]">];
}

//===- Predicates ------------------------------------------------------------------------------------------------===//

def TJ_LogicalNotOp : TJ_Predicate<"logical_not"> {
  let summary = "x == 0.";
  let expr = [(eq $x, "0")];
  let sample = Ranges<"-2", "2">;
  let examples = [Example<"logical_not(tensor({0.f, 2.f}))", "[true, false]">];
}
def TJ_LogicalAndOp : TJ_Compare<"logical_and", ""> {
  let summary = "a != 0 and b != 0.";
  let expr = [(logical_and (ne $a, "0"), (ne $b, "0"))];
  let examples = [Example<"logical_and(tensor({0.f, 2.f}), tensor({1.f, 1.f}))", "[false, true]">];
}
def TJ_LogicalOrOp : TJ_Compare<"logical_or", ""> {
  let summary = "a != 0 or b != 0.";
  let expr = [(logical_or (ne $a, "0"), (ne $b, "0"))];
  let examples = [Example<"logical_or(tensor({0.f, 2.f}), tensor({0.f, 1.f}))", "[false, true]">];
}
def TJ_LogicalXorOp : TJ_Compare<"logical_xor", ""> {
  let summary = "Exactly one of a != 0 and b != 0.";
  let expr = [(logical_xor (ne $a, "0"), (ne $b, "0"))];
  let examples = [Example<"logical_xor(tensor({0.f, 2.f}), tensor({1.f, 1.f}))", "[true, false]">];
}
def TJ_IsnanOp : TJ_Predicate<"isnan"> {
  let summary = "x is NaN.";
  let expr = [(ne $x, $x)];
  let sample = Ranges<"-2", "2">;
  let examples = [Example<"isnan(tensor({0.f, NAN}))", "[false, true]">];
}
def TJ_IsinfOp : TJ_Predicate<"isinf"> {
  let summary = "x is an infinity of either sign; integers become f32.";
  let dtypes = Floating;
  let promote = FloatOrF32;
  let expr = [(eq (abs $x), "inf")];
  let sample = Ranges<"-2", "2">;
  let examples = [Example<"isinf(tensor({0.f, -INFINITY}))", "[false, true]">];
}
def TJ_IsfiniteOp : TJ_Predicate<"isfinite"> {
  let summary = "x is neither NaN nor an infinity; integers become f32.";
  let dtypes = Floating;
  let promote = FloatOrF32;
  let expr = [(lt (abs $x), "inf")];
  let sample = Ranges<"-2", "2">;
  let examples = [Example<"isfinite(tensor({0.f, NAN}))", "[true, false]">];
}

//===- Composites ------------------------------------------------------------------------------------------------===//

def TJ_SquareOp : TJ_Unary<"square", "E"> {
  let summary = "x * x.";
  let dtypes = Numeric;
  let expr = [(mul $x, $x)];
  let vjp = Vjp<(grads (mul (mul $g, "2"), $x)), (saves $x)>;
  let special = [Edge<"-inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"square(tensor({-3.f}))", "[9]">];
}
def TJ_ReciprocalOp : TJ_FloatUnary<"reciprocal", "E"> {
  let summary = "1 / x.";
  let expr = [(div "1", $x)];
  let vjp = Vjp<(grads (neg (mul $g, (square $y)))), (saves $y)>;
  let special = [Edge<"-0.0", "-inf">, Edge<"inf", "0.0">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"reciprocal(tensor({4.f}))", "[0.25]">];
}
def TJ_RsqrtOp : TJ_FloatUnary<"rsqrt", "E"> {
  let summary = "1 / sqrt(x), two roundings.";
  let expr = [(div "1", (sqrt $x))];
  let vjp = Vjp<(grads (mul (mul $g, "-0.5"), (mul $y, (square $y)))), (saves $y)>;
  let special = [Edge<"0.0", "inf">, Edge<"-0.0", "-inf">, Edge<"-1.0", "nan">, Edge<"inf", "0.0">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"rsqrt(tensor({4.f}))", "[0.5]">];
}
def TJ_ReluOp : TJ_Unary<"relu", "E"> {
  let summary = "x where x is not below 0, else 0; NaN and -0 pass.";
  let dtypes = Numeric;
  let expr = [(select (lt $x, "0"), "0", $x)];
  let vjp = Vjp<(grads (where (le $y, "0"), "0", $g)), (saves $y)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"nan", "nan">, Edge<"-inf", "0.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"relu(tensor({-1.f, 2.f}))", "[0, 2]">];
}
def TJ_LeakyReluOp : TJ_Pointwise<"leaky_relu", "E"> {
  let summary = "x where x > 0, else slope * x.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"factor below zero", "0.01">:$negative_slope);
  let inPlace = 1;
  let dtypes = Floating;
  let promote = FloatOrF32;
  let expr = [(select (gt $x, "0"), $x, (mul $negative_slope, $x))];
  let vjp = Vjp<(grads (where (gt $x, "0"), $g, (mul $g, $negative_slope)), none), (saves $x, $negative_slope)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"leaky_relu(tensor({-2.f, 2.f}), 0.5)", "[-1, 2]">];
}
def TJ_ClampOp : TJ_Pointwise<"clamp", "E"> {
  let summary = "minimum(maximum(x, min), max); max where min > max; NaN in x or a bound is NaN.";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Operand<"lower bound; sizes broadcast">:$min,
                       TJ_Operand<"upper bound; sizes broadcast">:$max);
  let inPlace = 1;
  let promote = Together;
  let dtypes = Numeric;
  let expr = [(minimum (maximum $x, $min), $max)];
  let vjp = Vjp<(grads (where (logical_and (le $min, $x), (le $x, $max)), $g, "0"),
                       (where (logical_and (lt $x, $min), (le $min, $max)), $g, "0"), (where (gt (maximum $x, $min), $max), $g, "0")),
                (saves $x, $min, $max)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"clamp(tensor({-2.f, 0.5f, 2.f}), 0, 1)", "[0, 0.5, 1]">];
}
def TJ_ClampMinOp : TJ_Pointwise<"clamp_min", "E"> {
  let summary = "maximum(x, min).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Operand<"lower bound; sizes broadcast">:$min);
  let inPlace = 1;
  let promote = Together;
  let dtypes = Numeric;
  let expr = [(maximum $x, $min)];
  let vjp = Vjp<(grads (where (le $min, $x), $g, "0"), (where (lt $x, $min), $g, "0")), (saves $x, $min)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"clamp_min(tensor({-2.f, 2.f}), 0)", "[0, 2]">];
}
def TJ_ClampMaxOp : TJ_Pointwise<"clamp_max", "E"> {
  let summary = "minimum(x, max).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Operand<"upper bound; sizes broadcast">:$max);
  let inPlace = 1;
  let promote = Together;
  let dtypes = Numeric;
  let expr = [(minimum $x, $max)];
  let vjp = Vjp<(grads (where (le $x, $max), $g, "0"), (where (gt $x, $max), $g, "0")), (saves $x, $max)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"clamp_max(tensor({-2.f, 2.f}), 0)", "[-2, 0]">];
}
def TJ_SigmoidOp : TJ_FloatUnary<"sigmoid", "M"> {
  let summary = "1 / (1 + exp(-x)), from exp(-|x|) so that it neither overflows nor underflows early.";
  let expr = [(div (select (ge $x, "0"), "1", (exp (neg (abs $x)))), (add "1", (exp (neg (abs $x)))))];
  let vjp = Vjp<(grads (mul (mul $g, $y), (sub "1", $y))), (saves $y)>;
  let special = [Edge<"0.0", "0.5">, Edge<"-inf", "0.0">, Edge<"inf", "1.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"sigmoid(tensor({0.f}))", "[0.5]">];
}
def TJ_SiluOp : TJ_FloatUnary<"silu", "M"> {
  let summary = "x * sigmoid(x).";
  let expr = [(mul $x, (div (select (ge $x, "0"), "1", (exp (neg (abs $x)))), (add "1", (exp (neg (abs $x))))))];
  let vjp = Vjp<(grads (mul (mul $g, (sigmoid $x)), (add "1", (mul $x, (sub "1", (sigmoid $x)))))), (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"silu(tensor({0.f}))", "[0]">];
}
def TJ_GeluOp : TJ_FloatUnary<"gelu", "M"> {
  let summary = "x times the normal distribution function at x: 0.5 * x * erfc(-x / sqrt(2)).";
  let expr = [(mul (mul "0.5", $x), (erfc (mul (neg $x), "0.70710678118654752440")))];
  let vjp = Vjp<(grads (mul $g, (add (mul (erfc (mul (neg $x), "0.70710678118654752440")), "0.5"),
                                     (mul $x, (mul (exp (mul (square $x), "-0.5")), "0.39894228040143267794"))))),
                (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"inf", "inf">, Edge<"-inf", "nan">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"gelu(tensor({0.f}))", "[0]">];
}
defvar GeluAngle = (mul "0.79788456080286535588", (add $x, (mul "0.044715", (mul (mul $x, $x), $x))));
def TJ_GeluTanhOp : TJ_FloatUnary<"gelu_tanh", "M"> {
  let summary = "gelu by tanh: 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))).";
  let expr = [(mul (mul "0.5", $x), (add "1", (tanh GeluAngle)))];
  let vjp = Vjp<(grads (mul $g, (mul "0.5", (add (add "1", (tanh GeluAngle)),
      (mul (mul $x, (sub "1", (square (tanh GeluAngle)))),
           (mul "0.79788456080286535588", (add "1", (mul "0.134145", (mul $x, $x))))))))), (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"inf", "inf">, Edge<"-inf", "nan">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let source = "Hendrycks and Gimpel, Gaussian error linear units, 2016";
  let examples = [Example<"gelu_tanh(tensor({0.f}))", "[0]">];
}
def TJ_Relu6Op : TJ_Unary<"relu6", "E"> {
  let summary = "x between 0 and 6, bounds included: minimum(maximum(x, 0), 6).";
  let dtypes = Numeric;
  let expr = [(minimum (maximum $x, "0"), "6")];
  let vjp = Vjp<(grads (where (logical_and (ge $x, "0"), (le $x, "6")), $g, "0")), (saves $x)>;
  let special = [Edge<"-0.0", "0.0">, Edge<"nan", "nan">, Edge<"inf", "6.0">];
  let sample = Ranges<"-4", "9">;
  let examples = [Example<"relu6(tensor({-1.f, 2.f, 8.f}))", "[0, 2, 6]">];
}
def TJ_HardtanhOp : TJ_Pointwise<"hardtanh", "E"> {
  let summary = "x between two bounds: minimum(maximum(x, min), max).";
  let arguments = (ins TJ_Tensor<"any sizes">:$x, TJ_Number<"lower bound", "-1.0">:$min_val,
                       TJ_Number<"upper bound", "1.0">:$max_val);
  let inPlace = 1;
  let promote = Together;
  let dtypes = Numeric;
  let expr = [(minimum (maximum $x, $min_val), $max_val)];
  let vjp = Vjp<(grads (where (logical_and (le $min_val, $x), (le $x, $max_val)), $g, "0"), none, none),
                (saves $x, $min_val, $max_val)>;
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"hardtanh(tensor({-2.f, 0.5f, 2.f}))", "[-1, 0.5, 1]">];
}
def TJ_FracOp : TJ_FloatUnary<"frac", "E"> {
  let summary = "x - trunc(x); NaN for infinities.";
  let expr = [(sub $x, (trunc $x))];
  let vjp = Vjp<(grads $g)>;
  let special = [Edge<"2.75", "0.75">, Edge<"-2.75", "-0.75">, Edge<"inf", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"frac(tensor({-1.5f, 2.25f}))", "[-0.5, 0.25]">];
}
def TJ_LerpOp : TJ_Pointwise<"lerp", "E"> {
  let summary = "a + weight * (b - a), each operation rounded.";
  let arguments = (ins TJ_Tensor<"value at weight 0">:$a, TJ_Tensor<"value at weight 1; sizes broadcast">:$b,
                       TJ_Operand<"position between them; sizes broadcast">:$weight);
  let inPlace = 1;
  let dtypes = Floating;
  let promote = FloatOrF32;
  let expr = [(add $a, (mul $weight, (sub $b, $a)))];
  let vjp = Vjp<(grads (mul $g, (sub "1", $weight)), (mul $g, $weight), (mul $g, (sub $b, $a))), (saves $a, $b, $weight)>;
  let errors = "`shape_error` where the sizes do not broadcast.";
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"lerp(tensor({1.f, 2.f}), tensor({3.f, 4.f}), 0.5)", "[2, 3]">];
}
class TJ_AddScaled<string mnemonic> : TJ_Pointwise<mnemonic, "E"> {
  let arguments = (ins TJ_Tensor<"added to">:$x, TJ_Tensor<"first factor; sizes broadcast">:$a,
                       TJ_Tensor<"second factor or divisor; sizes broadcast">:$b, TJ_Number<"scale", "1.0">:$value);
  let inPlace = 1;
  let dtypes = Floating;
  let promote = FloatOrF32;
  let errors = "`shape_error` where the sizes do not broadcast.";
  let sample = Ranges<"0.5", "4">;
}
def TJ_AddcmulOp : TJ_AddScaled<"addcmul"> {
  let summary = "x + value * (a * b), each operation rounded.";
  let expr = [(add $x, (mul $value, (mul $a, $b)))];
  let vjp = Vjp<(grads $g, (mul (mul $g, $value), $b), (mul (mul $g, $value), $a), none), (saves $a, $b, $value)>;
  let examples = [Example<"addcmul(ones({1}), tensor({2.f}), tensor({3.f}), 0.5)", "[4]">];
}
def TJ_AddcdivOp : TJ_AddScaled<"addcdiv"> {
  let summary = "x + value * (a / b), each operation rounded.";
  let expr = [(add $x, (mul $value, (div $a, $b)))];
  let vjp = Vjp<(grads $g, (div (mul $g, $value), $b), (neg (div (mul (mul $g, $value), (div $a, $b)), $b)), none),
                (saves $a, $b, $value)>;
  let examples = [Example<"addcdiv(ones({1}), tensor({3.f}), tensor({2.f}), 2.0)", "[4]">];
}
