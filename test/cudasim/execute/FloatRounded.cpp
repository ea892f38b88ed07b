// Arithmetic in a rounding mode other than the nearest; built with -frounding-math.
#include "execute/Float.h"
#include "execute/Rows.h"

#include <cfenv>
#include <cmath>

namespace cudasim::floating {
namespace {

enum class Op { Add, Sub, Mul, Div, Fma, Sqrt, Rcp };

template <class T> T flush(T x) {
  return sizeof(T) == 4 && std::fabs(x) < T(0x1p-126) && x != 0 ? std::copysign(T(0), x) : x;
}

template <class T, Op op> __attribute__((noinline)) T compute(T x, T y, T z) {
  volatile T a = x, b = y, c = z; // or the compiler would compute before the mode is set
  switch (op) {
  case Op::Add: return a + b;
  case Op::Sub: return a - b;
  case Op::Mul: return a * b;
  case Op::Div: return a / b;
  case Op::Fma: return std::fma(a, b, c);
  case Op::Sqrt: return std::sqrt(a);
  case Op::Rcp: return T(1) / a;
  }
  return 0;
}

template <class T, Op op> void run(Warp &w, const Instr &in, uint32_t active) {
  static constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const T *a = w.row<T>(in.a), *b = w.row<T>(in.b), *c = w.row<T>(in.c);
  T *d = w.row<T>(in.dst);
  bool ftz = in.aux & 1, sat = in.aux & 2;
  int before = std::fegetround();
  std::fesetround(modes[in.small]);
  eachLane(active, [&](unsigned i) {
    T x = a[i], y = b[i], z = c[i];
    if (ftz) x = flush(x), y = flush(y), z = flush(z);
    T r = compute<T, op>(x, y, z);
    if (ftz) r = flush(r);
    if (sat) r = r > 0 ? (r < 1 ? r : T(1)) : T(0);
    if (sizeof(T) == 4 && r != r) r = static_cast<T>(std::bit_cast<float>(0x7fffffffu));
    d[i] = r;
  });
  std::fesetround(before);
}

template <Op op> Handler both(bool isDouble) { return isDouble ? run<double, op> : run<float, op>; }

} // namespace

Handler rounded(const std::string &op, bool isDouble) {
  if (op == "add") return both<Op::Add>(isDouble);
  if (op == "sub") return both<Op::Sub>(isDouble);
  if (op == "mul") return both<Op::Mul>(isDouble);
  if (op == "div") return both<Op::Div>(isDouble);
  if (op == "sqrt") return both<Op::Sqrt>(isDouble);
  if (op == "rcp") return both<Op::Rcp>(isDouble);
  return both<Op::Fma>(isDouble);
}

} // namespace cudasim::floating
