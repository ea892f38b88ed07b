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

#endif
