#include "eager/loops/Scan.h"
#include "eager/ScalarAtoms.h"

namespace tensorjit::eager::TENSORJIT_LEVEL {

namespace {

/// In what a running sum or product of T is kept.
template <class T> struct Running { using type = T; };
template <> struct Running<float> { using type = double; };

// `Width` lanes of state; columns are contiguous, so that a step is vector code, rows keep their state in registers and
// hide each other's latency.
template <int64_t Width, class Body> [[gnu::always_inline]] inline void walk(const ScanLanes &s, Body body) {
  if constexpr (Width == scanColumns) {
    for (int64_t i = 0; i < s.n; ++i) {
      const int64_t base = i * s.step;
#pragma GCC ivdep
      for (int64_t l = 0; l < s.lanes; ++l) body(l, base + l, i);
    }
  } else {
    for (int64_t i = 0; i < s.n; ++i)
#pragma GCC unroll 8
      for (int64_t l = 0; l < Width; ++l) body(l, i * s.step + l * s.laneStride, i);
  }
}

template <int64_t N> struct Lanes { static constexpr int64_t value = N; };

/// `run` for all lanes: together where they are columns or a full set of rows, else one after another.
template <class Run> [[gnu::always_inline]] inline void eachWidth(const ScanLanes &s, Run run) {
  if (s.laneStride == 1) return run(Lanes<scanColumns>(), s, int64_t(0));
  if (s.lanes == scanRows) return run(Lanes<scanRows>(), s, int64_t(0));
  for (int64_t l = 0; l < s.lanes; ++l) run(Lanes<1>(), ScanLanes{s.n, s.step, 1, s.laneStride}, l);
}

template <class T, bool Product, bool Exclusive>
void arithmetic(const void *from, void *to, const ScanLanes &all, const double *start) {
  eachWidth(all, [&](auto lanes, const ScanLanes &s, int64_t first) {
    using A = typename Running<T>::type;
    constexpr int64_t width = decltype(lanes)::value;
    const T *x = static_cast<const T *>(from) + first * s.laneStride;
    T *y = static_cast<T *>(to) + first * s.laneStride;
    A acc[width];
    for (int64_t l = 0; l < s.lanes; ++l) acc[l] = start ? static_cast<A>(start[first + l]) : static_cast<A>(Product);
    walk<width>(s, [&](int64_t l, int64_t at, int64_t) {
      const A before = acc[l], v = static_cast<A>(x[at]);
      acc[l] = static_cast<A>(Product ? before * v : before + v);
      y[at] = static_cast<T>(Exclusive ? before : acc[l]);
    });
  });
}

template <class T>
void arithmeticOf(bool product, bool exclusive, const void *x, void *y, const ScanLanes &s, const double *start) {
  if (product)
    return exclusive ? arithmetic<T, true, true>(x, y, s, start) : arithmetic<T, true, false>(x, y, s, start);
  return exclusive ? arithmetic<T, false, true>(x, y, s, start) : arithmetic<T, false, false>(x, y, s, start);
}

template <class T> [[gnu::always_inline]] inline bool isNan(T x) {
  if constexpr (scalar::isFloat<T>) return x != x;
  else return false;
}

template <class T, bool Least> void extreme(const void *from, void *to, int64_t *positions, const ScanLanes &all) {
  eachWidth(all, [&](auto lanes, const ScanLanes &s, int64_t first) {
    constexpr int64_t width = decltype(lanes)::value;
    const T *x = static_cast<const T *>(from) + first * s.laneStride;
    T *y = static_cast<T *>(to) + first * s.laneStride;
    int64_t *where = positions + first * s.laneStride;
    T best[width];
    int64_t at[width];
    for (int64_t l = 0; l < s.lanes; ++l) {
      best[l] = x[l * s.laneStride];
      at[l] = 0;
    }
    walk<width>(s, [&](int64_t l, int64_t here, int64_t i) {
      const T v = x[here];
      const bool wins = (Least ? v < best[l] : v > best[l]) | (isNan(v) & !isNan(best[l]));
      best[l] = wins ? v : best[l];
      at[l] = wins ? i : at[l];
      y[here] = best[l];
      where[here] = at[l];
    });
  });
}

template <class T> void extremeOf(bool least, const void *x, void *y, int64_t *at, const ScanLanes &s) {
  return least ? extreme<T, true>(x, y, at, s) : extreme<T, false>(x, y, at, s);
}

// The sum is kept relative to exp(m), m the largest element so far; relative to 1 where that is infinite.
template <class T> void logaddexp(const void *from, void *to, const ScanLanes &all) {
  eachWidth(all, [&](auto lanes, const ScanLanes &s, int64_t first) {
    constexpr int64_t width = decltype(lanes)::value;
    const T *x = static_cast<const T *>(from) + first * s.laneStride;
    T *y = static_cast<T *>(to) + first * s.laneStride;
    const T infinity = scalar::infinity<T>();
    T most[width], unit[width];
    double sum[width];
    for (int64_t l = 0; l < s.lanes; ++l) {
      most[l] = -infinity;
      unit[l] = 0;
      sum[l] = 0;
    }
    walk<width>(s, [&](int64_t l, int64_t at, int64_t) {
      const T v = x[at];
      most[l] = v > most[l] ? v : most[l];
      const T next = scalar::abs(most[l]) == infinity ? T(0) : most[l];
      const T shift = unit[l] - next; // above 0 while there is no sum yet, or beside an infinity
      sum[l] = sum[l] * static_cast<double>(scalar::exp(shift > 0 ? T(0) : shift)) +
               static_cast<double>(scalar::exp(v - next));
      unit[l] = next;
      y[at] = next + scalar::log(static_cast<T>(sum[l]));
    });
  });
}

template <class T> void affine(const void *factors, const void *summands, void *to, const ScanLanes &all) {
  eachWidth(all, [&](auto lanes, const ScanLanes &s, int64_t first) {
    constexpr int64_t width = decltype(lanes)::value;
    const T *a = static_cast<const T *>(factors) + first * s.laneStride;
    const T *b = static_cast<const T *>(summands) + first * s.laneStride;
    T *y = static_cast<T *>(to) + first * s.laneStride;
    double acc[width];
    for (int64_t l = 0; l < s.lanes; ++l) acc[l] = 0;
    walk<width>(s, [&](int64_t l, int64_t at, int64_t i) {
      acc[l] = i == 0 ? static_cast<double>(b[at]) : static_cast<double>(a[at]) * acc[l] + static_cast<double>(b[at]);
      y[at] = static_cast<T>(acc[l]);
    });
  });
}

} // namespace

void scanArithmetic(DType type, bool product, bool exclusive, const void *x, void *y, const ScanLanes &lanes,
                    const double *start) {
  switch (type) {
  case DType::F32: return arithmeticOf<float>(product, exclusive, x, y, lanes, start);
  case DType::F64: return arithmeticOf<double>(product, exclusive, x, y, lanes, start);
  case DType::I64: return arithmeticOf<uint64_t>(product, exclusive, x, y, lanes, start);
  case DType::I32: return arithmeticOf<uint32_t>(product, exclusive, x, y, lanes, start);
  default: return arithmeticOf<uint8_t>(product, exclusive, x, y, lanes, start); // i8 wraps to the same bits
  }
}

void scanExtreme(DType type, bool least, const void *x, void *y, int64_t *at, const ScanLanes &lanes) {
  switch (type) {
  case DType::F32: return extremeOf<float>(least, x, y, at, lanes);
  case DType::F64: return extremeOf<double>(least, x, y, at, lanes);
  case DType::I64: return extremeOf<int64_t>(least, x, y, at, lanes);
  case DType::I32: return extremeOf<int32_t>(least, x, y, at, lanes);
  case DType::I8: return extremeOf<int8_t>(least, x, y, at, lanes);
  default: return extremeOf<uint8_t>(least, x, y, at, lanes);
  }
}

void scanLogaddexp(DType type, const void *x, void *y, const ScanLanes &lanes) {
  return type == DType::F32 ? logaddexp<float>(x, y, lanes) : logaddexp<double>(x, y, lanes);
}

void scanAffine(DType type, const void *a, const void *b, void *y, const ScanLanes &lanes) {
  return type == DType::F32 ? affine<float>(a, b, y, lanes) : affine<double>(a, b, y, lanes);
}

} // namespace tensorjit::eager::TENSORJIT_LEVEL
