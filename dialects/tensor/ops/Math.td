include "Record.td"

// Functions of the C library, on f32 and f64.
class TJ_LibraryUnary<string mnemonic> : TJ_FloatUnary<mnemonic, "M"> {
  let source = "C23 Annex F";
}
def TJ_Log2Op : TJ_LibraryUnary<"log2"> {
  let summary = "Logarithm to base 2; -inf at zero, NaN below.";
  let expr = [(log2 $x)];
  let vjp = Vjp<(grads (div (mul $g, "1.44269504088896340736"), $x)), (saves $x)>;
  let special = [Edge<"8.0", "3.0">, Edge<"0.0", "-inf">, Edge<"-0.0", "-inf">, Edge<"-1.0", "nan">, Edge<"inf", "inf">];
  let sample = Ranges<"0.1", "8">;
  let examples = [Example<"log2(tensor({1.f, 8.f}))", "[0, 3]">];
}
def TJ_Log10Op : TJ_LibraryUnary<"log10"> {
  let summary = "Logarithm to base 10; -inf at zero, NaN below.";
  let expr = [(log10 $x)];
  let vjp = Vjp<(grads (div (mul $g, "0.43429448190325182765"), $x)), (saves $x)>;
  let special = [Edge<"1000.0", "3.0">, Edge<"0.0", "-inf">, Edge<"-1.0", "nan">, Edge<"inf", "inf">];
  let sample = Ranges<"0.1", "8">;
  let examples = [Example<"log10(tensor({1.f, 100.f}))", "[0, 2]">];
}
def TJ_SinOp : TJ_LibraryUnary<"sin"> {
  let summary = "Sine of x in radians; NaN for infinities.";
  let expr = [(sin $x)];
  let vjp = Vjp<(grads (mul $g, (cos $x))), (saves $x)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"inf", "nan">, Edge<"nan", "nan">];
  let sample = Ranges<"-10", "10">;
  let examples = [Example<"sin(tensor({0.f}))", "[0]">];
}
def TJ_CosOp : TJ_LibraryUnary<"cos"> {
  let summary = "Cosine of x in radians; NaN for infinities.";
  let expr = [(cos $x)];
  let vjp = Vjp<(grads (neg (mul $g, (sin $x)))), (saves $x)>;
  let special = [Edge<"0.0", "1.0">, Edge<"-inf", "nan">, Edge<"nan", "nan">];
  let sample = Ranges<"-10", "10">;
  let examples = [Example<"cos(tensor({0.f}))", "[1]">];
}
def TJ_TanOp : TJ_LibraryUnary<"tan"> {
  let summary = "Tangent of x in radians; NaN for infinities.";
  let expr = [(tan $x)];
  let vjp = Vjp<(grads (mul $g, (add (square $y), "1"))), (saves $y)>;
  let special = [Edge<"0.0", "0.0">, Edge<"-0.0", "-0.0">, Edge<"inf", "nan">];
  let sample = Ranges<"-1.2", "1.2">;
  let examples = [Example<"tan(tensor({0.f}))", "[0]">];
}
def TJ_AsinOp : TJ_LibraryUnary<"asin"> {
  let summary = "Inverse sine in [-pi/2, pi/2]; NaN beyond 1.";
  let expr = [(asin $x)];
  let vjp = Vjp<(grads (div $g, (sqrt (sub "1", (square $x))))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"1.5", "nan">];
  let sample = Ranges<"-0.9", "0.9">;
  let examples = [Example<"asin(tensor({0.f}))", "[0]">];
}
def TJ_AcosOp : TJ_LibraryUnary<"acos"> {
  let summary = "Inverse cosine in [0, pi]; NaN beyond 1.";
  let expr = [(acos $x)];
  let vjp = Vjp<(grads (neg (div $g, (sqrt (sub "1", (square $x)))))), (saves $x)>;
  let special = [Edge<"1.0", "0.0">, Edge<"-1.5", "nan">];
  let sample = Ranges<"-0.9", "0.9">;
  let examples = [Example<"acos(tensor({1.f}))", "[0]">];
}
def TJ_AtanOp : TJ_LibraryUnary<"atan"> {
  let summary = "Inverse tangent in [-pi/2, pi/2].";
  let expr = [(atan $x)];
  let vjp = Vjp<(grads (div $g, (add (square $x), "1"))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"atan(tensor({0.f}))", "[0]">];
}
def TJ_SinhOp : TJ_LibraryUnary<"sinh"> {
  let summary = "Hyperbolic sine.";
  let expr = [(sinh $x)];
  let vjp = Vjp<(grads (mul $g, (cosh $x))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"-inf", "-inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"sinh(tensor({0.f}))", "[0]">];
}
def TJ_CoshOp : TJ_LibraryUnary<"cosh"> {
  let summary = "Hyperbolic cosine.";
  let expr = [(cosh $x)];
  let vjp = Vjp<(grads (mul $g, (sinh $x))), (saves $x)>;
  let special = [Edge<"0.0", "1.0">, Edge<"-inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"cosh(tensor({0.f}))", "[1]">];
}
def TJ_AsinhOp : TJ_LibraryUnary<"asinh"> {
  let summary = "Inverse hyperbolic sine.";
  let expr = [(asinh $x)];
  let vjp = Vjp<(grads (div $g, (sqrt (add (square $x), "1")))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"-inf", "-inf">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"asinh(tensor({0.f}))", "[0]">];
}
def TJ_AcoshOp : TJ_LibraryUnary<"acosh"> {
  let summary = "Inverse hyperbolic cosine; NaN below 1.";
  let expr = [(acosh $x)];
  let vjp = Vjp<(grads (div $g, (sqrt (sub (square $x), "1")))), (saves $x)>;
  let special = [Edge<"1.0", "0.0">, Edge<"0.5", "nan">, Edge<"inf", "inf">];
  let sample = Ranges<"1.1", "4">;
  let examples = [Example<"acosh(tensor({1.f}))", "[0]">];
}
def TJ_AtanhOp : TJ_LibraryUnary<"atanh"> {
  let summary = "Inverse hyperbolic tangent; infinite at 1 and -1, NaN beyond.";
  let expr = [(atanh $x)];
  let vjp = Vjp<(grads (div $g, (sub "1", (square $x)))), (saves $x)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"1.0", "inf">, Edge<"2.0", "nan">];
  let sample = Ranges<"-0.9", "0.9">;
  let examples = [Example<"atanh(tensor({0.f}))", "[0]">];
}

// Own functions: of f32 in ScalarFns.td, of f64 in runtime/eager/SpecialFunctions.cpp.
class TJ_SpecialUnary<string mnemonic> : TJ_FloatUnary<mnemonic, "M"> {
  let wave = 2;
}
def TJ_ErfinvOp : TJ_SpecialUnary<"erfinv"> {
  let summary = "Inverse of erf; infinite at 1 and -1, NaN beyond.";
  let expr = [(erfinv $x)];
  let vjp = Vjp<(grads (mul (mul $g, "0.88622692545275801365"), (exp (square $y)))), (saves $y)>;
  let special = [Edge<"-0.0", "-0.0">, Edge<"1.0", "inf">, Edge<"-1.0", "-inf">, Edge<"1.5", "nan">, Edge<"nan", "nan">];
  let sample = Ranges<"-0.9", "0.9">;
  let examples = [Example<"erfinv(tensor({0.f, 1.f}))", "[0, inf]">];
}
def TJ_LgammaOp : TJ_SpecialUnary<"lgamma"> {
  let summary = "Logarithm of the magnitude of the gamma function; inf at 0, at negative integers and at infinities.";
  let expr = [(lgamma $x)];
  let vjp = Vjp<(grads (mul $g, (digamma $x))), (saves $x)>;
  let special = [Edge<"0.0", "inf">, Edge<"-0.0", "inf">, Edge<"-3.0", "inf">, Edge<"1.0", "0.0">, Edge<"2.0", "0.0">,
                 Edge<"inf", "inf">, Edge<"-inf", "inf">, Edge<"nan", "nan">];
  let sample = Ranges<"0.1", "8">;
  let source = "C23 Annex F";
  let examples = [Example<"lgamma(tensor({1.f, 0.f}))", "[0, inf]">];
}
def TJ_DigammaOp : TJ_SpecialUnary<"digamma"> {
  let summary = "Derivative of lgamma for positive x, its continuation below; -inf at 0, inf at -0, NaN at negative integers.";
  let expr = [(digamma $x)];
  let vjp = NoVjp<"the polygamma functions are not built">;
  let special = [Edge<"0.0", "-inf">, Edge<"-0.0", "inf">, Edge<"-3.0", "nan">, Edge<"inf", "inf">, Edge<"-inf", "nan">,
                 Edge<"nan", "nan">];
  let sample = Ranges<"0.1", "8">;
  let examples = [Example<"digamma(tensor({0.f, INFINITY}))", "[-inf, inf]">];
}

class TJ_FloatBinary<string mnemonic, string bitClass> : TJ_Binary<mnemonic, bitClass> {
  let dtypes = Floating;
  let promote = FloatOrF32;
}
def TJ_Atan2Op : TJ_FloatBinary<"atan2", "M"> {
  let summary = "Angle of the point (b, a) in [-pi, pi].";
  let expr = [(atan2 $a, $b)];
  let vjp = Vjp<(grads (div (mul $g, $b), (add (square $a), (square $b))),
                       (neg (div (mul $g, $a), (add (square $a), (square $b))))), (saves $a, $b)>;
  let special = [Edge<"0.0, 1.0", "0.0">, Edge<"-0.0, 1.0", "-0.0">, Edge<"nan, 1.0", "nan">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"atan2(tensor({0.f}), tensor({1.f}))", "[0]">];
}
def TJ_PowOp : TJ_Binary<"pow", "M"> {
  let summary = "a to the power b; integers wrap, and a negative integer exponent gives 0 but for a base of 1 or -1.";
  let description = "Host exponents 0, 1, 2, 3 and -1 become 1, x, x*x, x*x*x and 1/x.";
  let dtypes = Numeric;
  let expr = [(pow $a, $b)];
  let adapt = "adaptPow";
  let vjp = Vjp<(grads (where (eq $b, "0"), "0", (mul (mul $g, $b), (pow $a, (sub $b, "1")))),
                       (where (logical_and (eq $a, "0"), (ge $b, "0")), "0", (mul (mul $g, $y), (log $a)))),
                (saves $a, $b, $y)>;
  let special = [Edge<"nan, 0.0", "1.0">, Edge<"1.0, nan", "1.0">, Edge<"-0.0, -3.0", "-inf">, Edge<"-0.0, 0.5", "0.0">];
  let sample = Ranges<"0.5", "4">;
  let errors = "`value_error` for a negative host exponent of integers; `shape_error` where the sizes do not broadcast.";
  let examples = [Example<"pow(tensor({2.f, 3.f}), 2)", "[4, 9]">];
}
def TJ_FmodOp : TJ_Binary<"fmod", "E"> {
  let summary = "Remainder of a / b with the sign of a; integers by 0 stay.";
  let dtypes = Numeric;
  let expr = [(fmod $a, $b)];
  let vjp = Vjp<(grads $g, (neg (mul $g, (div (sub $a, (fmod $a, $b)), $b)))), (saves $a, $b)>;
  let special = [Edge<"5.5, 2.0", "1.5">, Edge<"-5.5, 2.0", "-1.5">, Edge<"1.0, 0.0", "nan">, Edge<"1.0, inf", "1.0">];
  let sample = Ranges<"0.6", "4">;
  let examples = [Example<"fmod(tensor({-5.f, 5.f}), 3)", "[-2, 2]">];
}
def TJ_RemainderOp : TJ_Binary<"remainder", "E"> {
  let summary = "Remainder of a / b with the sign of b; integers by 0 stay.";
  let dtypes = Numeric;
  let expr = [(select (logical_and (ne (fmod $a, $b), "0"), (logical_xor (lt $b, "0"), (lt (fmod $a, $b), "0"))),
                      (add (fmod $a, $b), $b), (fmod $a, $b))];
  let vjp = Vjp<(grads $g, (neg (mul $g, (div (sub $a, (remainder $a, $b)), $b)))), (saves $a, $b)>;
  let special = [Edge<"-5.5, 2.0", "0.5">, Edge<"5.5, -2.0", "-0.5">, Edge<"1.0, 0.0", "nan">];
  let sample = Ranges<"0.6", "4">;
  let examples = [Example<"remainder(tensor({-5.f, 5.f}), 3)", "[1, 2]">];
}
def TJ_FloorDivideOp : TJ_Binary<"floor_divide", "E"> {
  let summary = "Largest integer value not above a / b, exact; integers by 0 give 0.";
  let dtypes = Numeric;
  let expr = [(floor_divide $a, $b)];
  let vjp = Vjp<(grads zero, zero)>;
  let special = [Edge<"5.5, 2.0", "2.0">, Edge<"-5.5, 2.0", "-3.0">, Edge<"1.0, 0.0", "inf">, Edge<"inf, 2.0", "nan">,
                 Edge<"-1.0, inf", "-1.0">];
  let sample = Ranges<"0.6", "4">;
  let examples = [Example<"floor_divide(tensor({-5.f, 5.f}), 3)", "[-2, 1]">];
}
def TJ_CopysignOp : TJ_FloatBinary<"copysign", "E"> {
  let summary = "The magnitude of a with the sign of b.";
  let expr = [(copysign $a, $b)];
  let vjp = Vjp<(grads (where (eq $a, "0"), "0", (mul $g, (mul (copysign "1", $a), (copysign "1", $b)))), zero), (saves $a, $b)>;
  let special = [Edge<"1.0, -0.0", "-1.0">, Edge<"-0.0, 1.0", "0.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"copysign(tensor({1.f, 2.f}), tensor({-1.f, 1.f}))", "[-1, 2]">];
}
def TJ_FmaxOp : TJ_Binary<"fmax", "E"> {
  let summary = "The larger of a and b; a NaN counts only where both are.";
  let expr = [(select (ne $a, $a), $b, (select (ne $b, $b), $a, (maximum $a, $b)))];
  let vjp = Vjp<(grads (where (logical_or (lt $a, $b), (isnan $a)), "0", (where (eq $a, $b), (mul $g, "0.5"), $g)),
                       (where (logical_or (lt $b, $a), (logical_and (isnan $b), (logical_not (isnan $a)))), "0",
                              (where (eq $a, $b), (mul $g, "0.5"), $g))), (saves $a, $b)>;
  let special = [Edge<"nan, 1.0", "1.0">, Edge<"1.0, nan", "1.0">, Edge<"-0.0, 0.0", "0.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"fmax(tensor({1.f, NAN}), 3)", "[3, 3]">];
}
def TJ_FminOp : TJ_Binary<"fmin", "E"> {
  let summary = "The smaller of a and b; a NaN counts only where both are.";
  let expr = [(select (ne $a, $a), $b, (select (ne $b, $b), $a, (minimum $a, $b)))];
  let vjp = Vjp<(grads (where (logical_or (gt $a, $b), (isnan $a)), "0", (where (eq $a, $b), (mul $g, "0.5"), $g)),
                       (where (logical_or (gt $b, $a), (logical_and (isnan $b), (logical_not (isnan $a)))), "0",
                              (where (eq $a, $b), (mul $g, "0.5"), $g))), (saves $a, $b)>;
  let special = [Edge<"nan, 1.0", "1.0">, Edge<"1.0, nan", "1.0">, Edge<"-0.0, 0.0", "-0.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"fmin(tensor({1.f, NAN}), 3)", "[1, 3]">];
}
defvar Larger = (maximum (abs $a), (abs $b));
defvar Ratio = (div (minimum (abs $a), (abs $b)), Larger);
def TJ_HypotOp : TJ_FloatBinary<"hypot", "M"> {
  let summary = "sqrt(a*a + b*b) without early overflow: m * sqrt(1 + (n/m)^2), m the larger and n the smaller magnitude.";
  let expr = [(select (logical_or (eq (abs $a), "inf"), (eq (abs $b), "inf")), "inf",
                      (select (eq Larger, "0"), "0", (mul Larger, (sqrt (add "1", (mul Ratio, Ratio))))))];
  let vjp = Vjp<(grads (where (eq $y, "0"), "0", (mul $g, (div $a, $y))), (where (eq $y, "0"), "0", (mul $g, (div $b, $y)))),
                (saves $a, $b, $y)>;
  let special = [Edge<"0.0, 0.0", "0.0">, Edge<"nan, inf", "inf">, Edge<"3.0, nan", "nan">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"hypot(tensor({3.f}), tensor({4.f}))", "[5]">];
}
def TJ_XlogyOp : TJ_FloatBinary<"xlogy", "M"> {
  let summary = "a * log(b), 0 where a is 0 and b is no NaN.";
  let expr = [(select (logical_and (eq $a, "0"), (eq $b, $b)), "0", (mul $a, (log $b)))];
  let vjp = Vjp<(grads (where (eq $a, "0"), "0", (mul $g, (log $b))), (div (mul $g, $a), $b)), (saves $a, $b)>;
  let special = [Edge<"0.0, 0.0", "0.0">, Edge<"1.0, 1.0", "0.0">];
  let sample = Ranges<"0.5", "4">;
  let examples = [Example<"xlogy(tensor({0.f}), tensor({0.f}))", "[0]">];
}
def TJ_LogaddexpOp : TJ_FloatBinary<"logaddexp", "M"> {
  let summary = "log(exp(a) + exp(b)) without overflow.";
  let expr = [(select (eq (abs (maximum $a, $b)), "inf"), (maximum $a, $b),
                      (add (maximum $a, $b), (log1p (exp (neg (abs (sub $a, $b)))))))];
  let vjp = Vjp<(grads (mul $g, (sigmoid (sub $a, $b))), (mul $g, (sigmoid (sub $b, $a)))), (saves $a, $b)>;
  let special = [Edge<"-inf, -inf", "-inf">, Edge<"inf, 1.0", "inf">, Edge<"nan, 1.0", "nan">, Edge<"2.0, -inf", "2.0">];
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"logaddexp(tensor({2.f}), tensor({-INFINITY}))", "[2]">];
}
def TJ_Ldexp : TJ_Composite<"ldexp", "M"> {
  let summary = "a * 2^b.";
  let arguments = (ins TJ_Tensor<"factor">:$a, TJ_Tensor<"exponent; sizes broadcast">:$b);
  let compose = (mul $a, (exp2 $b));
  let sample = Ranges<"-4", "4">;
  let examples = [Example<"ldexp(tensor({3.f}), tensor({2.f}))", "[12]">];
}
