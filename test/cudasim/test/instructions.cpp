// Single PTX instructions on chosen and random operands, against values computed in another way.
#include "Device.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

namespace {

/// Runs `body` with one thread for each case: a, b, c hold the operands (b32 or b64), d the result.
class Instructions : public Device {
protected:
  template <class T>
  std::vector<T> evaluate(const std::string &body, const std::vector<T> &a, const std::vector<T> &b,
                          const std::vector<T> &c) {
    std::string type = sizeof(T) == 8 ? "b64" : "b32", size = std::to_string(sizeof(T));
    auto n = static_cast<unsigned>(a.size());
    std::string text = ".version 8.6\n.target sm_89\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 "
                       "pb, .param .u64 pc, .param .u64 pd)\n{\n"
                       "  .reg ." +
                       type +
                       " a, b, c, d;\n  .reg .b64 x, y, t, w0, w1;\n  .reg .b32 i, r0, r1, r2, r3;\n  .reg .b16 h0, "
                       "h1, h2;\n  .reg .pred p, q, s;\n"
                       "  mov.u32 i, %tid.x;\n  mad.wide.u32 t, i, " +
                       size + ", 0;\n";
    const char *names[] = {"a", "b", "c"};
    for (const char *name : names)
      text += std::string("  ld.param.u64 x, [p") + name + "];\n  add.u64 x, x, t;\n  ld.global." + type + " " + name +
              ", [x];\n";
    text += body + "\n  ld.param.u64 x, [pd];\n  add.u64 x, x, t;\n  st.global." + type + " [x], d;\n  ret;\n}\n";
    CUfunction f = load(text, "k");
    if (!f) return std::vector<T>(n);
    CUdeviceptr pa = upload(a), pb = upload(b), pc = upload(c), pd = allocate(n * sizeof(T));
    EXPECT_EQ(run(f, {1}, {n}, 0, pa, pb, pc, pd), CUDA_SUCCESS) << body;
    return download<T>(pd, n);
  }

  template <class T> using Operands = std::vector<T>;
  template <class T>
  void expect(const std::string &body, const Operands<T> &values, std::function<T(T, T, T)> expected) {
    std::mt19937_64 engine(7);
    Operands<T> a, b, c;
    auto pick = [&] { return engine() % 4 ? values[engine() % values.size()] : static_cast<T>(engine()); };
    for (int i = 0; i < 256; ++i) a.push_back(pick()), b.push_back(pick()), c.push_back(pick());
    auto d = evaluate(body, a, b, c);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(d[i], expected(a[i], b[i], c[i])) << body << " on " << std::hex << a[i] << " " << b[i] << " " << c[i];
  }

  using U = uint32_t;
  using W = uint64_t;
  void word(const std::string &body, std::function<U(U, U, U)> f) {
    expect<U>(
        body,
        {0, 1, 2, 31, 32, 33, 255, 256, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 7, 0x0f0f0f0f},
        f);
  }
  void wide(const std::string &body, std::function<W(W, W, W)> f) {
    expect<W>(body,
              {0, 1, 2, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
               ~0ull},
              f);
  }
  /// f64: NaN as one and the same.
  void real64(const std::string &body, std::function<double(double, double, double)> f) {
    wide(body + " testp.notanumber.f64 p, d; selp.b64 d, 0x7fffffffffffffff, d, p;", [&](W a, W b, W c) {
      double r = f(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c));
      return r != r ? 0x7fffffffffffffff : std::bit_cast<W>(r);
    });
  }
  /// Floats: result bits, NaN as the canonical one.
  void real(const std::string &body, std::function<float(float, float, float)> f) {
    expect<U>(body,
              {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 1, 0x80000001, 0x007fffff,
               0x00800000, 0x7f7fffff, 0x3f000000, 0x40490fdb, 0x4b000001, 0xcb800001, 0x3f7fffff, 0x4effffff,
               0x5f000000},
              [&](U a, U b, U c) {
                float r = f(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c));
                return r != r ? 0x7fffffffu : std::bit_cast<U>(r);
              });
  }
};

int32_t s(uint32_t v) { return static_cast<int32_t>(v); }
int64_t s(uint64_t v) { return static_cast<int64_t>(v); }
uint32_t u(int64_t v) { return static_cast<uint32_t>(v); }

TEST_F(Instructions, IntegerArithmetic) {
  word("add.u32 d, a, b;", [](U a, U b, U) { return a + b; });
  word("add.sat.s32 d, a, b;",
       [](U a, U b, U) { return u(std::clamp<int64_t>(int64_t(s(a)) + s(b), INT32_MIN, INT32_MAX)); });
  word("sub.s32 d, a, b;", [](U a, U b, U) { return a - b; });
  word("mul.lo.s32 d, a, b;", [](U a, U b, U) { return a * b; });
  word("mul.hi.s32 d, a, b;", [](U a, U b, U) { return u(int64_t(s(a)) * s(b) >> 32); });
  word("mul.hi.u32 d, a, b;", [](U a, U b, U) { return u(W(a) * b >> 32); });
  word("mad.lo.s32 d, a, b, c;", [](U a, U b, U c) { return a * b + c; });
  word("mad.hi.u32 d, a, b, c;", [](U a, U b, U c) { return u(W(a) * b >> 32) + c; });
  word("mul24.lo.u32 d, a, b;", [](U a, U b, U) { return (a & 0xffffff) * (b & 0xffffff); });
  word("sad.s32 d, a, b, c;", [](U a, U b, U c) { return c + (s(a) < s(b) ? b - a : a - b); });
  word("div.u32 d, a, b;", [](U a, U b, U) { return b ? a / b : ~0u; });
  word("div.s32 d, a, b;", [](U a, U b, U) { return b ? u(int64_t(s(a)) / s(b)) : ~0u; });
  word("rem.s32 d, a, b;", [](U a, U b, U) { return b ? u(int64_t(s(a)) % s(b)) : a; });
  word("min.s32 d, a, b;", [](U a, U b, U) { return u(std::min(s(a), s(b))); });
  word("max.u32 d, a, b;", [](U a, U b, U) { return std::max(a, b); });
  word("abs.s32 d, a;", [](U a, U, U) { return s(a) < 0 ? 0 - a : a; });
  word("neg.s32 d, a;", [](U a, U, U) { return 0 - a; });
  word("cvt.u16.u32 h0, a; cvt.u16.u32 h1, b; mul.lo.u16 h2, h0, h1; cvt.u32.u16 d, h2;",
       [](U a, U b, U) { return (a & 0xffff) * (b & 0xffff) & 0xffff; });
  word("cvt.u16.u32 h0, a; cvt.u16.u32 h1, b; mul.wide.s16 d, h0, h1;",
       [](U a, U b, U) { return u(int16_t(a) * int16_t(b)); });
  wide("mul.lo.u64 d, a, b;", [](W a, W b, W) { return a * b; });
  wide("mul.hi.u64 d, a, b;", [](W a, W b, W) { return static_cast<W>(static_cast<unsigned __int128>(a) * b >> 64); });
  wide("mul.hi.s64 d, a, b;", [](W a, W b, W) { return static_cast<W>(static_cast<__int128>(s(a)) * s(b) >> 64); });
  wide("cvt.u32.u64 r0, a; cvt.u32.u64 r1, b; mad.wide.s32 d, r0, r1, c;",
       [](W a, W b, W c) { return W(int64_t(s(U(a))) * s(U(b))) + c; });
  wide("div.s64 d, a, b;", [](W a, W b, W) { return !b ? ~0ull : b == ~0ull ? 0 - a : W(s(a) / s(b)); });
  wide("rem.u64 d, a, b;", [](W a, W b, W) { return b ? a % b : a; });
}

TEST_F(Instructions, CarryChainsAreWideArithmetic) {
  wide("mov.b64 {r0, r1}, a; mov.b64 {r2, r3}, b; add.cc.u32 r0, r0, r2; addc.u32 r1, r1, r3; mov.b64 d, {r0, r1};",
       [](W a, W b, W) { return a + b; });
  wide("mov.b64 {r0, r1}, a; mov.b64 {r2, r3}, b; sub.cc.u32 r0, r0, r2; subc.u32 r1, r1, r3; mov.b64 d, {r0, r1};",
       [](W a, W b, W) { return a - b; });
  wide("mov.b64 {r0, r1}, a; mov.b64 {r2, r3}, b; mul.lo.u32 i, r0, r2; mul.hi.u32 r0, r0, r2; mad.lo.cc.u32 r0, r1, "
       "r2, r0; "
       "madc.hi.u32 r1, r1, r2, 0; mov.b64 x, {i, r0}; cvt.u64.u32 y, r1; mov.b64 d, x;",
       [](W a, W b, W) { return a * (b & 0xffffffff); });
}

TEST_F(Instructions, Bits) {
  word("and.b32 d, a, b;", [](U a, U b, U) { return a & b; });
  word("not.b32 d, a;", [](U a, U, U) { return ~a; });
  word("cnot.b32 d, a;", [](U a, U, U) { return U(a == 0); });
  word("shl.b32 d, a, b;", [](U a, U b, U) { return b > 31 ? 0 : a << b; });
  word("shr.u32 d, a, b;", [](U a, U b, U) { return b > 31 ? 0 : a >> b; });
  word("shr.s32 d, a, b;", [](U a, U b, U) { return u(s(a) >> std::min(b, 31u)); });
  wide("cvt.u32.u64 r0, b; shr.s64 d, a, r0;", [](W a, W b, W) { return W(s(a) >> std::min(U(b), 63u)); });
  word("shf.l.wrap.b32 d, a, b, c;", [](U a, U b, U c) {
    c &= 31;
    return c ? b << c | a >> (32 - c) : b;
  });
  word("shf.r.clamp.b32 d, a, b, c;", [](U a, U b, U c) {
    c = std::min(c, 32u);
    return c == 0 ? a : c == 32 ? b : a >> c | b << (32 - c);
  });
  auto bfe = [](U a, U b, U c, bool isSigned) {
    U pos = b & 255, len = c & 255, out = 0, fill = isSigned && len ? a >> std::min(pos + len - 1, 31u) & 1 : 0;
    for (U i = 0; i < 32; ++i) out |= (i < len && pos + i <= 31 ? a >> (pos + i) & 1 : fill) << i;
    return out;
  };
  word("bfe.u32 d, a, b, c;", [&](U a, U b, U c) { return bfe(a, b, c, false); });
  word("bfe.s32 d, a, b, c;", [&](U a, U b, U c) { return bfe(a, b, c, true); });
  word("bfi.b32 d, a, b, c, 7;", [](U a, U b, U c) {
    U pos = c & 255, out = b;
    for (U i = 0; i < 7 && pos + i < 32; ++i) out = (out & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
    return out;
  });
  word("bfind.u32 d, a;", [](U a, U, U) { return a ? 31u - U(__builtin_clz(a)) : ~0u; });
  word("bfind.shiftamt.s32 d, a;", [](U a, U, U) {
    U v = s(a) < 0 ? ~a : a;
    return v ? U(__builtin_clz(v)) : ~0u;
  });
  word("popc.b32 d, a;", [](U a, U, U) { return U(__builtin_popcount(a)); });
  word("clz.b32 d, a;", [](U a, U, U) { return a ? U(__builtin_clz(a)) : 32u; });
  wide("clz.b64 r0, a; cvt.u64.u32 d, r0;", [](W a, W, W) { return a ? W(__builtin_clzll(a)) : 64u; });
  word("brev.b32 d, a;", [](U a, U, U) {
    U o = 0;
    for (int i = 0; i < 32; ++i) o |= (a >> i & 1) << (31 - i);
    return o;
  });
  word("lop3.b32 d, a, b, c, 0xb8;", [](U a, U b, U c) {
    U o = 0;
    for (int i = 0; i < 32; ++i) o |= (0xb8u >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return o;
  });
  word("prmt.b32 d, a, b, c;", [](U a, U b, U c) {
    U o = 0;
    for (int i = 0; i < 4; ++i) {
      U sel = c >> (4 * i) & 15, byte = (sel & 4 ? b : a) >> (sel & 3) * 8 & 255;
      o |= (sel & 8 ? (byte >> 7) * 255 : byte) << (8 * i);
    }
    return o;
  });
  word("dp4a.s32.u32 d, a, b, c;", [](U a, U b, U c) {
    for (int i = 0; i < 4; ++i) c += u(int8_t(a >> 8 * i) * int(b >> 8 * i & 255));
    return c;
  });
  word("dp2a.hi.s32.s32 d, a, b, c;",
       [](U a, U b, U c) { return c + u(int16_t(a) * int8_t(b >> 16)) + u(int16_t(a >> 16) * int8_t(b >> 24)); });
}

TEST_F(Instructions, ComparisonsSelectAndCombine) {
  word("setp.lt.s32 p, a, b; selp.b32 d, a, c, p;", [](U a, U b, U c) { return s(a) < s(b) ? a : c; });
  word("setp.hi.u32 p, a, b; selp.b32 d, 1, 0, p;", [](U a, U b, U) { return U(a > b); });
  word("setp.ne.u32 s, c, 0; setp.ge.and.s32 p|q, a, b, s; selp.b32 r0, 1, 0, p; selp.b32 r1, 2, 0, q; or.b32 d, r0, "
       "r1;",
       [](U a, U b, U c) {
         bool ge = s(a) >= s(b);
         return U(ge && c) + 2 * U(!ge && c);
       });
  word("setp.ne.u32 s, c, 0; setp.eq.xor.u32 p, a, b, !s; selp.b32 d, 1, 0, p;",
       [](U a, U b, U c) { return U((a == b) != (c == 0)); });
  word("set.lt.u32.s32 d, a, b;", [](U a, U b, U) { return s(a) < s(b) ? ~0u : 0u; });
  word("slct.b32.s32 d, a, b, c;", [](U a, U b, U c) { return s(c) >= 0 ? a : b; });
  struct Case {
    const char *name;
    std::function<bool(float, float)> holds;
  };
  auto nan = [](float a, float b) { return a != a || b != b; };
  for (const Case &c : {Case{"eq", [&](float a, float b) { return a == b; }},
                        Case{"ne", [&](float a, float b) { return a != b && !nan(a, b); }},
                        Case{"lt", [&](float a, float b) { return a < b; }},
                        Case{"geu", [&](float a, float b) { return a >= b || nan(a, b); }},
                        Case{"ltu", [&](float a, float b) { return a < b || nan(a, b); }},
                        Case{"equ", [&](float a, float b) { return a == b || nan(a, b); }},
                        Case{"neu", [&](float a, float b) { return a != b || nan(a, b); }},
                        Case{"num", [&](float a, float b) { return !nan(a, b); }}, Case{"nan", nan},
                        Case{"gt", [&](float a, float b) { return a > b; }},
                        Case{"leu", [&](float a, float b) { return a <= b || nan(a, b); }}})
    real(std::string("setp.") + c.name + ".f32 p, a, b; selp.f32 d, 0f3F800000, 0f00000000, p;",
         [&](float a, float b, float) { return c.holds(a, b) ? 1.f : 0.f; });
}

float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.f, x) : x; }
template <class F> auto rounded(int mode, F f) {
  return [=](float a, float b, float c) {
    std::fesetround(mode);
    volatile float x = a, y = b, z = c;
    volatile float r = f(x, y, z);
    std::fesetround(FE_TONEAREST);
    return float(r);
  };
}

TEST_F(Instructions, FloatArithmeticIsExactToTheBit) {
  real("add.f32 d, a, b;", [](float a, float b, float) { return a + b; });
  real("add.ftz.f32 d, a, b;", [](float a, float b, float) { return flush(flush(a) + flush(b)); });
  real("mul.rn.f32 d, a, b;", [](float a, float b, float) { return a * b; });
  real("mul.ftz.sat.f32 d, a, b;", [](float a, float b, float) {
    float r = flush(flush(a) * flush(b));
    return r > 0 ? std::min(r, 1.f) : 0.f;
  });
  real("fma.rn.f32 d, a, b, c;", [](float a, float b, float c) { return std::fma(a, b, c); });
  real("fma.rn.ftz.f32 d, a, b, c;",
       [](float a, float b, float c) { return flush(std::fma(flush(a), flush(b), flush(c))); });
  real("div.rn.f32 d, a, b;", [](float a, float b, float) { return a / b; });
  real("sqrt.rn.f32 d, a;", [](float a, float, float) { return std::sqrt(a); });
  real("rcp.rn.f32 d, a;", [](float a, float, float) { return 1 / a; });
  real("add.rz.f32 d, a, b;", rounded(FE_TOWARDZERO, [](float a, float b, float) { return a + b; }));
  real("mul.rp.f32 d, a, b;", rounded(FE_UPWARD, [](float a, float b, float) { return a * b; }));
  real("div.rm.f32 d, a, b;", rounded(FE_DOWNWARD, [](float a, float b, float) { return a / b; }));
  real("fma.rz.f32 d, a, b, c;", rounded(FE_TOWARDZERO, [](float a, float b, float c) { return std::fma(a, b, c); }));
  real("min.f32 d, a, b;", [](float a, float b, float) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
  });
  real("max.f32 d, a, b;", [](float a, float b, float) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  });
  real("max.NaN.f32 d, a, b;", [](float a, float b, float) {
    return a != a || b != b ? NAN : a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
  });
  word("abs.f32 d, a;", [](U a, U, U) { return a & 0x7fffffff; });
  word("neg.f32 d, a;", [](U a, U, U) { return a ^ 0x80000000; });
  word("copysign.f32 d, a, b;", [](U a, U b, U) { return (b & 0x7fffffff) | (a & 0x80000000); });
  real64("fma.rn.f64 d, a, b, c;", [](double a, double b, double c) { return std::fma(a, b, c); });
  real64("div.rn.f64 d, a, b;", [](double a, double b, double) { return a / b; });
  real64("add.rm.f64 d, a, b;", [](double a, double b, double) {
    volatile double x = a, y = b;
    std::fesetround(FE_DOWNWARD);
    volatile double r = x + y;
    std::fesetround(FE_TONEAREST);
    return double(r);
  });
}

TEST_F(Instructions, ApproximationsKeepWhatThePtxManualPromises) {
  std::vector<uint32_t> a;
  std::mt19937 engine(3);
  for (int i = 0; i < 256; ++i)
    a.push_back(std::bit_cast<uint32_t>(std::uniform_real_distribution<float>(0.01f, 3.1f)(engine)));
  auto check = [&](const char *body, double (*exact)(double), double relative, double absolute) {
    auto d = evaluate<uint32_t>(body, a, a, a);
    for (size_t i = 0; i < a.size(); ++i) {
      double e = exact(std::bit_cast<float>(a[i]));
      ASSERT_NEAR(std::bit_cast<float>(d[i]), e, relative * std::fabs(e) + absolute) << body;
    }
  };
  check("ex2.approx.f32 d, a;", std::exp2, 0x1p-22, 0);
  check("lg2.approx.f32 d, a;", std::log2, 0x1p-22, 0x1p-22);
  check("sin.approx.f32 d, a;", std::sin, 0, 7e-7);
  check("cos.approx.f32 d, a;", std::cos, 0, 7e-7);
  check("tanh.approx.f32 d, a;", std::tanh, 0x1p-11, 0);
  check(
      "rcp.approx.f32 d, a;", [](double x) { return 1 / x; }, 0x1p-23, 0);
  check(
      "rsqrt.approx.f32 d, a;", [](double x) { return 1 / std::sqrt(x); }, 0x1p-22, 0);
  check("sqrt.approx.f32 d, a;", std::sqrt, 0x1p-23, 0);
}

TEST_F(Instructions, Conversions) {
  auto clamp = [](float x, double low, double high) { return x != x ? 0. : std::clamp(double(x), low, high); };
  auto f = [](U a) { return std::bit_cast<float>(a); };
  word("cvt.rzi.s32.f32 d, a;", [&](U a, U, U) { return u(int64_t(clamp(std::trunc(f(a)), INT32_MIN, INT32_MAX))); });
  word("cvt.rni.s32.f32 d, a;",
       [&](U a, U, U) { return u(int64_t(clamp(std::nearbyint(f(a)), INT32_MIN, INT32_MAX))); });
  word("cvt.rzi.u32.f32 d, a;", [&](U a, U, U) { return u(int64_t(clamp(std::trunc(f(a)), 0, UINT32_MAX))); });
  word("cvt.rmi.s8.f32 d, a;", [&](U a, U, U) { return u(int64_t(clamp(std::floor(f(a)), -128, 127))); });
  word("cvt.rn.f32.s32 d, a;", [](U a, U, U) { return std::bit_cast<U>(float(s(a))); });
  word("cvt.rz.f32.u32 d, a;", [](U a, U, U) { // drop the bits that do not fit
    int drop = a ? std::max(0, 32 - __builtin_clz(a) - 24) : 0;
    return std::bit_cast<U>(float(a >> drop << drop));
  });
  word("cvt.s32.s8 d, a;", [](U a, U, U) { return u(int8_t(a)); });
  word("cvt.u32.u16 d, a;", [](U a, U, U) { return a & 0xffff; });
  word("cvt.sat.u8.s32 d, a;", [](U a, U, U) { return u(std::clamp(s(a), 0, 255)); });
  word("cvt.sat.s16.s32 r0, a; cvt.s32.s16 d, r0;", [](U a, U, U) { return u(std::clamp(s(a), -32768, 32767)); });
  wide("cvt.u32.u64 r0, a; cvt.s64.s32 d, r0;", [](W a, W, W) { return W(int64_t(s(U(a)))); });
  wide("cvt.rn.f64.s64 d, a;", [](W a, W, W) { return std::bit_cast<W>(double(s(a))); });
  real64("mov.b64 {r0, r1}, a; cvt.f64.f32 d, r0;",
         [](double a, double, double) { return double(std::bit_cast<float>(static_cast<U>(std::bit_cast<W>(a)))); });
  real("cvt.rni.f32.f32 d, a;", [](float a, float, float) { return std::nearbyint(a); });
  real("cvt.rpi.ftz.f32.f32 d, a;", [](float a, float, float) { return std::ceil(flush(a)); });
  real("cvt.sat.f32.f32 d, a;", [](float a, float, float) { return a > 0 ? std::min(a, 1.f) : 0.f; });
  // Halves against an independent search among all values of the format.
  auto nearest = [](float x, auto decode) -> U {
    if (x != x) return 0x7fff;
    U best = 0;
    double distance = INFINITY;
    U sign = std::signbit(x) ? 0x8000 : 0;
    for (U low = 0, high = 0x7c00; low <= high;) { // the magnitudes are ordered
      U middle = (low + high) / 2;
      double v = decode(middle), gap = std::fabs(v - std::fabs(double(x)));
      if (gap < distance || (gap == distance && middle % 2 == 0)) distance = gap, best = middle;
      if (v < std::fabs(x)) low = middle + 1;
      else if (middle == 0) break;
      else high = middle - 1;
    }
    return sign | best;
  };
  auto half = [](U bits) -> double { // 0x7c00 stands for 2^16 here, where rounding to infinity begins to be nearer
    U exponent = bits >> 10, mantissa = bits & 1023;
    return exponent ? std::ldexp(1024 + mantissa, int(exponent) - 25) : std::ldexp(mantissa, -24);
  };
  word("cvt.rn.f16.f32 h0, a; cvt.u32.u16 d, h0;", [&](U a, U, U) {
    float x = f(a);
    return std::fabs(x) >= 65520 ? (std::signbit(x) ? 0xfc00u : 0x7c00u) : nearest(x, half);
  });
  word("cvt.u16.u32 h0, a; cvt.f32.f16 d, h0;", [&](U a, U, U) {
    U m = a & 0x7fff;
    if (m > 0x7c00) return 0x7fffffffu;
    float v = m == 0x7c00 ? INFINITY : float(half(m));
    return std::bit_cast<U>(a & 0x8000 ? -v : v);
  });
  word("cvt.rn.bf16x2.f32 d, a, b;", [&](U a, U b, U) {
    auto brain = [](U v) { return std::isnan(std::bit_cast<float>(v)) ? 0x7fffu : (v + 0x7fff + (v >> 16 & 1)) >> 16; };
    return brain(a) << 16 | brain(b);
  });
  word("cvt.rz.bf16.f32 h0, a; cvt.u32.u16 d, h0;", [&](U a, U, U) { return std::isnan(f(a)) ? 0x7fffu : a >> 16; });
  word("cvt.rna.tf32.f32 d, a;", [&](U a, U, U) {
    if (std::isnan(f(a))) return 0x7fffffffu & 0xffffe000u;
    return (a & 0x7fffffff) == 0x7f800000 ? a : (a + 0x1000) & 0xffffe000u;
  });
}

TEST_F(Instructions, HalvesRoundOnce) {
  // 1 + 2^-11 is a tie, 2^-24 more decides it: only a single rounding gives 1 + 2^-10.
  auto d = evaluate<uint32_t>("fma.rn.f16x2 d, a, b, c;", {0x3c003c00}, {0x10001400}, {0x3c003c00});
  EXPECT_EQ(d[0], 0x3c003c01u); // 1 + 2^-11 to even; 1 + 2^-10
  d = evaluate<uint32_t>("add.f16x2 d, a, b;", {0x7bff3c00}, {0x7bff4000}, {0});
  EXPECT_EQ(d[0], 0x7c004200u); // overflow; 1 + 2
  d = evaluate<uint32_t>("max.NaN.bf16x2 d, a, b;", {0x7fc03f80}, {0x40004000}, {0});
  EXPECT_EQ(d[0], 0x7fff4000u);
  d = evaluate<uint32_t>("mul.rn.bf16x2 d, a, b;", {0x3fc03f81}, {0x40003f81}, {0});
  EXPECT_EQ(d[0], 0x40403f82u); // 1.5 * 2; (1 + 2^-7)^2 = 1 + 2^-6 + 2^-14
  d = evaluate<uint32_t>("set.eq.f16x2.f16x2 d, a, b;", {0x3c007e00}, {0x3c007e00}, {0});
  EXPECT_EQ(d[0], 0x3c000000u);
}

TEST_F(Instructions, RefusesWhatItDoesNotKnowAndSaysWhere) {
  auto messageFor = [&](const std::string &body) {
    std::string text = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 r<9>;\n" +
                       body + "\nret;\n}\n";
    char log[512] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log)};
    CUmodule module;
    EXPECT_EQ(cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), CUDA_ERROR_INVALID_PTX) << body;
    return std::string(log);
  };
  EXPECT_NE(messageFor("frobnicate.b32 r1, r2;").find("line 7"), std::string::npos);
  EXPECT_NE(messageFor("add.u32 r1, r2, nowhere;").find("nowhere"), std::string::npos);
  EXPECT_NE(messageFor("add.u32 r1, r2").find("syntax error"), std::string::npos);
  EXPECT_NE(messageFor("bra elsewhere;").find("elsewhere"), std::string::npos);
  if (isStandIn()) {
    EXPECT_NE(messageFor("wgmma.fence.sync.aligned;").find("wgmma"), std::string::npos);
  }
}

} // namespace
