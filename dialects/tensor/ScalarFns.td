// Functions of f32 as steps without branches, every fma written out: eager loops and compiled kernels run the same
// operations in the same order and give the same bits. A step names its value, and may give a name a new value; the
// last one, unnamed, is the result. Steps build on earlier functions by name.
#ifndef TENSORJIT_SCALAR_FNS
#define TENSORJIT_SCALAR_FNS

include "Words.td"

class ScalarFn {
  dag parameters = (steps ?:$x);
  dag body = ?;
  string summary = ?;
  string accuracy = ?;
}

// NaN passes the clamps, since a comparison with it is false. n = x * log2(e) to nearest by adding 1.5 * 2^23, whose
// low bits then hold n as an integer (also for NaN, where a conversion would be undefined); r = x - n * log(2) in two
// parts, exp(r) by a polynomial of degree 6, then times 2^n with one rounding, so that denormal results are exact.
def Fn_exp : ScalarFn {
  let summary = "e to the power x.";
  let accuracy = "0.9 ulp";
  let body = (steps
    (select (lt "89.0", $x), "89.0", $x):$c,
    (select (gt "-105.0", $c), "-105.0", $c):$c,
    (fma $c, "1.44269504", "12582912.0"):$t,
    (sub $t, "12582912.0"):$n,
    (fma $n, "-0.693145752", $c):$r,
    (fma $n, "-1.42860677e-6", $r):$r,
    (fma "1.37805939e-3", $r, "8.37312452e-3"):$p,
    (fma $p, $r, "4.16695364e-2"):$p,
    (fma $p, $r, "1.66664720e-1"):$p,
    (fma $p, $r, "4.99999851e-1"):$p,
    (fma $p, $r, "1.0"):$p,
    (fma $p, $r, "1.0"):$p,
    (scale $p, (subInt (bitsOf $t), "0x4B400000")));
}

// 2^n by `scale`, 2^(x-n) by the polynomial of exp.
def Fn_exp2 : ScalarFn {
  let summary = "2 to the power x.";
  let accuracy = "1.3 ulp";
  let body = (steps
    (select (lt "129.0", $x), "129.0", $x):$c,
    (select (gt "-151.0", $c), "-151.0", $c):$c,
    (add $c, "12582912.0"):$t,
    (sub $t, "12582912.0"):$n,
    (mul (sub $c, $n), "0.693147182"):$r,
    (fma "1.37805939e-3", $r, "8.37312452e-3"):$p,
    (fma $p, $r, "4.16695364e-2"):$p,
    (fma $p, $r, "1.66664720e-1"):$p,
    (fma $p, $r, "4.99999851e-1"):$p,
    (fma $p, $r, "1.0"):$p,
    (fma $p, $r, "1.0"):$p,
    (scale $p, (subInt (bitsOf $t), "0x4B400000")));
}

// exp(x) - 1 = 2^n * (exp(r) - 1) + (2^n - 1), at half size so that nothing overflows early. Below 2^-25 it is x, zeros
// and denormals included.
def Fn_expm1 : ScalarFn {
  let summary = "exp(x) - 1, accurate near 0.";
  let accuracy = "1.5 ulp";
  let body = (steps
    (select (lt "89.0", $x), "89.0", $x):$c,
    (select (gt "-20.0", $c), "-20.0", $c):$c,
    (fma $c, "1.44269504", "12582912.0"):$t,
    (sub $t, "12582912.0"):$n,
    (fma $n, "-0.693145752", $c):$r,
    (fma $n, "-1.42860677e-6", $r):$r,
    (fma "1.98423862e-4", $r, "1.39329093e-3"):$p,
    (fma $p, $r, "8.33333340e-3"):$p,
    (fma $p, $r, "4.16666456e-2"):$p,
    (fma $p, $r, "1.66666672e-1"):$p,
    (fma $p, $r, "5.00000000e-1"):$p,
    (fma (mul $r, $r), $p, $r):$q,
    (scale "1.0", (subInt (bitsOf $t), "0x4B400001")):$half,
    (fma $q, $half, (sub $half, "0.5")):$y,
    (select (lt (abs $x), "2.98023224e-8"), $x, (add $y, $y)));
}

// x = m * 2^k with m in [2/3, 4/3), log(m) by a polynomial in m - 1; denormals are first multiplied by 2^23.
def Fn_log : ScalarFn {
  let summary = "Natural logarithm.";
  let accuracy = "0.9 ulp";
  let body = (steps
    (lt $x, "1.17549435e-38"):$small,
    (bitsOf (select $small, (mul $x, "8388608.0"), $x)):$i,
    (andInt (subInt $i, "0x3F2AAAAB"), "0xFF800000"):$e,
    (sub (floatOf (subInt $i, $e)), "1.0"):$f,
    (fma (toFloat $e), "1.19209290e-7", (select $small, "-23.0", "0.0")):$k,
    (mul $f, $f):$s,
    (fma "-0.130310059", $f, "0.140869141"):$r,
    (fma $r, $s, (fma "-0.121483512", $f, "0.139814854")):$r,
    (fma $r, $f, "-0.166846126"):$r,
    (fma $r, $f, "0.200120345"):$r,
    (fma $r, $f, "-0.249996200"):$r,
    (fma $r, $f, "0.333331972"):$r,
    (fma $r, $f, "-0.5"):$r,
    (fma $r, $s, $f):$r,
    (fma $k, "0.693147182", $r):$r,
    (select (lt $x, "inf"), $r, (add $x, $x)):$r,
    (select (lt $x, "0.0"), "nan", $r):$r,
    (select (eq $x, "0.0"), "-inf", $r));
}

// log(u) with u = 1 + x rounded, plus what the rounding lost over u.
def Fn_log1p : ScalarFn {
  let summary = "log(1 + x), accurate near 0.";
  let accuracy = "1.6 ulp";
  let body = (steps
    (add "1.0", $x):$u,
    (select (lt "1.0", $x), (sub "1.0", (sub $u, $x)), (sub $x, (sub $u, "1.0"))):$lost,
    (add (log $u), (div $lost, $u)):$r,
    (select (eq $x, "inf"), $x, $r):$r,
    (select (eq $x, "-1.0"), "-inf", $r):$r,
    (select (lt (abs $x), "2.98023224e-8"), $x, $r));
}

// Odd polynomial below 0.55, else 1 - 2 / (exp(2|x|) + 1); the sign last, so that -0 stays.
def Fn_tanh : ScalarFn {
  let summary = "Hyperbolic tangent.";
  let accuracy = "1.8 ulp";
  let body = (steps
    (abs $x):$t,
    (sub "1.0", (div "2.0", (add (exp (add $t, $t)), "1.0"))):$big,
    (mul $x, $x):$s,
    (fma "1.57394409e-2", $s, "-5.23025580e-2"):$p,
    (fma $p, $s, "1.33152470e-1"):$p,
    (fma $p, $s, "-3.33327681e-1"):$p,
    (fma $p, (mul $s, $t), $t):$small,
    (copysign (select (lt $t, "0.55"), $small, $big), $x));
}

// Odd polynomial below 0.93, else 1 - exp of a polynomial in |x|, which has served its time at 4.
def Fn_erf : ScalarFn {
  let summary = "Error function.";
  let accuracy = "1 ulp";
  let body = (steps
    (abs $x):$t,
    (mul $x, $x):$s,
    (fma "-1.72853470e-5", $t, "3.83197126e-4"):$r,
    (fma $r, $s, (fma "-3.88396438e-3", $t, "2.42546219e-2")):$r,
    (fma $r, $t, "-1.06777877e-1"):$r,
    (fma $r, $t, "-6.34846687e-1"):$r,
    (fma $r, $t, "-1.28717512e-1"):$r,
    (fma $r, $t, (neg $t)):$r,
    (sub "1.0", (exp $r)):$big,
    (select (lt "4.0", $t), "1.0", $big):$big,
    (fma "-5.96761703e-4", $s, "4.99119423e-3"):$q,
    (fma $q, $s, "-2.67681349e-2"):$q,
    (fma $q, $s, "1.12819925e-1"):$q,
    (fma $q, $s, "-3.76125336e-1"):$q,
    (fma $q, $s, "1.28379166e-1"):$q,
    (fma $q, $x, $x):$small,
    (select (gt $t, "0.927734375"), (copysign $big, $x), $small));
}

// exp(-a*a) times a polynomial in q = (a-2)/(a+2) over 1 + 2a, with a = |x| (M. M. Shepherd, J. G. Laframboise,
// Chebyshev approximation of (1+2x) exp(x^2) erfc x, 1981); quotients and the square are corrected for their rounding.
def Fn_erfc : ScalarFn {
  let summary = "1 - erf(x), accurate in the tail.";
  let accuracy = "2.7 ulp";
  let body = (steps
    (abs $x):$a,
    (div "1.0", (add $a, "2.0")):$r,
    (fma "-4.0", $r, "1.0"):$q,
    (fma (neg $a), $q, (fma (add $q, "1.0"), "-2.0", $a)):$e,
    (fma $r, $e, $q):$q,
    (fma "-4.01139259e-4", $q, "-1.23075210e-3"):$p,
    (fma $p, $q, "1.31355342e-3"):$p,
    (fma $p, $q, "8.63227434e-3"):$p,
    (fma $p, $q, "-8.05991981e-3"):$p,
    (fma $p, $q, "-5.42046614e-2"):$p,
    (fma $p, $q, "1.64055392e-1"):$p,
    (fma $p, $q, "-1.66031361e-1"):$p,
    (fma $p, $q, "-9.27639827e-2"):$p,
    (fma $p, $q, "2.76978403e-1"):$p,
    (mul (div "1.0", (add $a, "0.5")), "0.5"):$r,
    (fma $p, $r, $r):$q,
    (fma (add $q, $q), (neg $a), "1.0"):$e,
    (fma (add (sub $p, $q), $e), $r, $q):$r,
    (mul $a, $a):$s,
    (exp (neg $s)):$g,
    (fma (mul $r, $g), (fma $a, (neg $a), $s), (mul $r, $g)):$y,
    (select (gt $a, "10.0546875"), "0.0", $y):$y,
    (select (lt $x, "0.0"), (sub "2.0", $y), $y));
}

// The rest of x over whole turns is exact. Near a quarter turn it is the sine of what is missing to it, whose factor of
// 2 pi is split in two; elsewhere a polynomial in the square of the distance to the nearest half turn.
def Fn_cosTurns : ScalarFn {
  let summary = "Cosine of x turns, cos(2 pi x).";
  let accuracy = "1 ulp for multiples of 2^-24";
  let body = (steps
    (abs (sub $x, (round $x))):$a,
    (sub "0.25", $a):$s,
    (mul $s, $s):$z,
    (fma "41.4858513", $z, "-76.6983261"):$p,
    (fma $p, $z, "81.6052094"):$p,
    (fma $p, $z, "-41.3417015"):$p,
    (fma $p, $z, "-1.74845553e-07"):$p,
    (fma $s, "6.28318548", (mul $s, $p)):$sine,
    (gt $a, "0.25"):$half,
    (select $half, (sub "0.5", $a), $a):$d,
    (mul $d, $d):$q,
    (fma "59.2429352", $q, "-85.4436417"):$u,
    (fma $u, $q, "64.9393234"):$u,
    (fma $u, $q, "-19.7392082"):$u,
    (fma $u, $q, "1.0"):$u,
    (select (lt (abs $s), "0.125"), $sine, (select $half, (neg $u), $u)));
}

// x times a polynomial in w = -log(1 - x*x), whose argument is rounded once: in w - 3 up to 6, in sqrt(w) - 3.25 beyond.
def Fn_erfinv : ScalarFn {
  let summary = "Inverse of erf on (-1, 1); infinite at the ends, NaN beyond.";
  let accuracy = "3.2 ulp";
  let body = (steps
    (neg (log (fma (neg $x), $x, "1.0"))):$w,
    (sub $w, "3.0"):$c,
    (fma "-5.82675685e-9", $c, "-4.33492930e-9"):$p,
    (fma $p, $c, "4.55581898e-7"):$p,
    (fma $p, $c, "-1.88533306e-6"):$p,
    (fma $p, $c, "-1.27572221e-5"):$p,
    (fma $p, $c, "1.95476328e-4"):$p,
    (fma $p, $c, "-8.36071500e-4"):$p,
    (fma $p, $c, "-5.73858060e-3"):$p,
    (fma $p, $c, "0.241630331"):$p,
    (fma $p, $c, "1.62354207"):$p,
    (sub (sqrt $w), "3.25"):$s,
    (fma "-2.13433974e-4", $s, "9.26543376e-4"):$q,
    (fma $q, $s, "-1.77894754e-3"):$q,
    (fma $q, $s, "2.51076673e-3"):$q,
    (fma $q, $s, "-3.72939883e-3"):$q,
    (fma $q, $s, "5.36793610e-3"):$q,
    (fma $q, $s, "1.00525749"):$q,
    (fma $q, $s, "3.08388567"):$q,
    (mul (select (gt $w, "6.0"), $q, $p), $x):$y,
    (select (eq (abs $x), "1.0"), (copysign "inf", $x), $y));
}

// With a = |x|: below 16 the factors a-1, a-2 ... are taken off until z lies below 2.5, and from there on w times a
// polynomial in the distance w to 2 or, with the logarithm of another factor, to 1 or 0; from 16 on Stirling's series.
// Below 0 the reflection log|gamma(-a)| = -log(a |sin(pi a)| / pi) - log(gamma(a)), whose factors join those under
// the logarithm: both parts of the sum are then small where it is.
def Fn_lgamma : ScalarFn {
  let summary = "Logarithm of the magnitude of the gamma function.";
  let accuracy = "3.2 ulp, or 2^-22 near the zeros";
  let body = (steps
    (abs $x):$a,
    (lt $x, "0.0"):$negative,
    (ge $a, "16.0"):$large,
    (select $large, "0.0", (select (lt $a, "2.5"), "0.0", (floor (sub $a, "1.5")))):$k,
    (select $large, "2.0", $a):$z,
    (ge $k, "8.0"):$on,
    (select $on, (mul (mul (mul (mul (mul (mul (mul (sub $z, "1.0"), (sub $z, "2.0")), (sub $z, "3.0")), (sub $z, "4.0")), (sub $z, "5.0")),
                       (sub $z, "6.0")), (sub $z, "7.0")), (sub $z, "8.0")), "1.0"):$d,
    (select $on, (sub $z, "8.0"), $z):$z,
    (select $on, (sub $k, "8.0"), $k):$k,
    (ge $k, "4.0"):$on,
    (select $on, (mul (mul (mul (mul $d, (sub $z, "1.0")), (sub $z, "2.0")), (sub $z, "3.0")), (sub $z, "4.0")), $d):$d,
    (select $on, (sub $z, "4.0"), $z):$z,
    (select $on, (sub $k, "4.0"), $k):$k,
    (ge $k, "2.0"):$on,
    (select $on, (mul (mul $d, (sub $z, "1.0")), (sub $z, "2.0")), $d):$d,
    (select $on, (sub $z, "2.0"), $z):$z,
    (select $on, (sub $k, "2.0"), $k):$k,
    (ge $k, "1.0"):$on,
    (select $on, (mul $d, (sub $z, "1.0")), $d):$d,
    (select $on, (sub $z, "1.0"), $z):$z,
    (lt $z, "0.5"):$tiny,
    (lt $z, "1.5"):$low,
    (select $tiny, $z, (sub $z, (select $low, "1.0", "2.0"))):$w,
    (fma "1.22363999e-4", $w, "-2.53618666e-4"):$p,
    (fma $p, $w, "5.01516741e-4"):$p,
    (fma $p, $w, "-1.18595932e-3"):$p,
    (fma $p, $w, "2.89173261e-3"):$p,
    (fma $p, $w, "-7.38615869e-3"):$p,
    (fma $p, $w, "2.05807351e-2"):$p,
    (fma $p, $w, "-6.73522800e-2"):$p,
    (fma $p, $w, "0.322467029"):$p,
    (fma $p, $w, "0.422784328"):$p,
    (mul $w, $p):$p,
    (sub $a, (round $a)):$g,
    (mul $g, $g):$h,
    (fma "-2.23715068e-3", $h, "2.61175465e-2"):$s,
    (fma $s, $h, "-0.190747961"):$s,
    (fma $s, $h, "0.811742187"):$s,
    (fma $s, $h, "-1.64493406"):$s,
    (abs (fma (mul $g, $h), $s, $g)):$s,
    (select $low, (select $tiny, (fma $z, $z, $z), $z), (select $large, $a, $d)):$above,
    (select $low, (select $tiny, (div $s, (add "1.0", $z)), $s), (mul $s, (select $large, $a, (mul $a, $d)))):$below,
    (log (select $negative, $below, $above)):$l,
    (div "1.0", $a):$i,
    (fma (mul $i, $i), "-2.77777778e-3", "8.33333333e-2"):$r,
    (fma $i, $r, (fma (sub $a, "0.5"), (sub (log $a), "1.0"), "0.418938533")):$r,
    (select $large, $r, $p):$main,
    (select (ge $a, "2.5"), (add $p, $l), (sub $p, $l)):$y,
    (select $negative, (neg (add $l, $main)), (select $large, $r, $y)):$y,
    (select (logical_or (eq $a, "inf"), (logical_and $negative, (eq $s, "0.0"))), "inf", $y));
}

// With a = |x|: below 4 the distance to the positive zero of the function, in two parts, times a polynomial about 1.5,
// and the terms 1 / (a - 1) ... that lead there; from 4 on the asymptotic series. Below 0 the reflection adds
// pi cot(pi a) to the value at 1 + a, the large parts first, since near the zeros they cancel exactly: of log(a) a multiple
// of log(2) in few bits, and the quotient of sine and cosine without what their rounding lost.
def Fn_digamma : ScalarFn {
  let summary = "Derivative of lgamma; NaN at the poles below 0.";
  let accuracy = "4 ulp, or 2^-21 near the zeros";
  let body = (steps
    (abs $x):$a,
    (lt $x, "0.0"):$negative,
    (lt $a, "1.0"):$low,
    (ge $a, "2.0"):$down,
    (ge $a, "3.0"):$twice,
    (ge $a, "4.0"):$large,
    (sub $a, (select $twice, "2.0", (select $down, "1.0", "0.0"))):$z,
    (sub (sub $z, (select $low, "0.46163213253021240234375", "1.46163213253021240234375")), "1.24381499e-8"):$zero,
    (select $large, "0.0", (sub $z, (select $low, "0.5", "1.5"))):$h,
    (fma "-1.62212495e-2", $h, "2.39243302e-2"):$p,
    (fma $p, $h, "-2.58724038e-2"):$p,
    (fma $p, $h, "3.93618196e-2"):$p,
    (fma $p, $h, "-6.20399937e-2"):$p,
    (fma $p, $h, "9.51174051e-2"):$p,
    (fma $p, $h, "-0.148399964"):$p,
    (fma $p, $h, "0.240538388"):$p,
    (fma $p, $h, "-0.423627466"):$p,
    (fma $p, $h, "0.951055884"):$p,
    (mul $zero, $p):$p,
    (div "1.0", $a):$i,
    (mul $i, $i):$s,
    (fma "-4.16666667e-3", $s, "3.96825397e-3"):$t,
    (fma $t, $s, "-8.33333333e-3"):$t,
    (fma $t, $s, "8.33333333e-2"):$t,
    (mul "0.5", $i):$u,
    (select $negative, (fma (neg $s), $t, $u), (neg (fma $s, $t, $u))):$series,
    (select $down, (div "1.0", (sub $a, "1.0")), "0.0"):$e,
    (select $twice, (add $e, (div "1.0", (sub $a, "2.0"))), $e):$e,
    (select $negative, (add $e, $i), $e):$e,
    (select $low, (select $negative, "0.0", (neg (div "1.0", $x))), $e):$e,
    (select $large, $series, $e):$e,
    (andInt (subInt (bitsOf $a), "0x3F2AAAAB"), "0xFF800000"):$b,
    (mul (toFloat $b), "1.19209290e-7"):$k,
    (fma $k, "1.42860677e-6", (log (floatOf (subInt (bitsOf $a), $b)))):$m,
    (select $large, (mul $k, "0.693145752"), $p):$main,
    (select $large, $m, "0.0"):$m,
    (sub $a, (round $a)):$g,
    (mul $g, $g):$q,
    (fma "-2.23715068e-3", $q, "2.61175465e-2"):$sine,
    (fma $sine, $q, "-0.190747961"):$sine,
    (fma $sine, $q, "0.811742187"):$sine,
    (fma $sine, $q, "-1.64493406"):$sine,
    (mul $g, $q):$q3,
    (fma $q3, $sine, $g):$below,
    (fma $q3, $sine, (sub $g, $below)):$belowRest,
    (fma "-0.0244207177", $q, "0.23495394"):$cosine,
    (fma $cosine, $q, "-1.33521616"):$cosine,
    (fma $cosine, $q, "4.05870962"):$cosine,
    (fma $cosine, $q, "-4.93480206"):$cosine,
    (fma $q, $cosine, "1.0"):$above,
    (fma $q, $cosine, (sub "1.0", $above)):$aboveRest,
    (div $above, $below):$cot,
    (add (fma (neg $cot), $below, $above), (fma (neg $cot), $belowRest, $aboveRest)):$rest,
    (select (logical_and $negative, (lt (abs $cot), "1024.0")), (fma (div "1.0", $below), $rest, $m), $m):$m,
    (select (eq $g, "0.0"), "nan", $cot):$cot,
    (add (add (select $negative, (add $main, $cot), $main), $m), $e):$y,
    (select (eq $x, "inf"), $x, $y));
}

#endif
