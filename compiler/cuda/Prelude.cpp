#include "cuda/Prelude.h"

namespace tensorjit::cuda {

const char *prelude() {
  return R"(// The bits of a number as an integer, and back.
__device__ inline int bitsOf(float x) { return __float_as_int(x); }
__device__ inline long long bitsOf(double x) { return __double_as_longlong(x); }
template <class T> __device__ T bitsOf(T x) { return x; }
__device__ inline float withBits(float, int bits) { return __int_as_float(bits); }
__device__ inline double withBits(double, long long bits) { return __longlong_as_double(bits); }
template <class T, class Bits> __device__ T withBits(T, Bits bits) { return bits; }

// f16 and bf16: types of memory, brought to f32 before anything is computed, and rounded to nearest even.
struct Half {
  unsigned short bits;
  __device__ static Half rounded(float x) {
    Half half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(x));
    return half;
  }
};
__device__ inline float widened(Half x) {
  float single;
  asm("cvt.f32.f16 %0, %1;" : "=f"(single) : "h"(x.bits));
  return single;
}
struct BFloat {
  unsigned short bits;
  __device__ static BFloat rounded(float x) {
    const unsigned word = __float_as_uint(x);
    return {(unsigned short)(x != x ? word >> 16 | 0x40 : (word + 0x7fff + (word >> 16 & 1)) >> 16)};
  }
};
__device__ inline float widened(BFloat x) { return __uint_as_float((unsigned)x.bits << 16); }

// NaN from either side wins, +0 is above -0: of equal numbers only zeros differ in a bit, the sign.
template <class T> __device__ T maximum(T a, T b) {
  if (a == b) return withBits(a, bitsOf(a) & bitsOf(b));
  return a != a || a > b ? a : b;
}
template <class T> __device__ T minimum(T a, T b) {
  if (a == b) return withBits(a, bitsOf(a) | bitsOf(b));
  return a != a || a < b ? a : b;
}

// Quotients rounded down, of positive divisors.
template <class T> __device__ T floorDiv(T a, T b) { return a / b - (a % b < 0); }
template <class T> __device__ T floorMod(T a, T b) { T m = a % b; return m < 0 ? m + b : m; }

// How two values of a reduction become one.
struct Add { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };
struct Mul { template <class T> __device__ T operator()(T a, T b) const { return a * b; } };
struct Max { template <class T> __device__ T operator()(T a, T b) const { return maximum(a, b); } };
struct Min { template <class T> __device__ T operator()(T a, T b) const { return minimum(a, b); } };
struct And { template <class T> __device__ T operator()(T a, T b) const { return a & b; } };
struct Or { template <class T> __device__ T operator()(T a, T b) const { return a | b; } };

// A value and where it stands. The smaller index wins a tie; NaN is beyond every number.
template <class T> struct At { T value; long long index; };
template <bool Largest> struct Extreme {
  template <class T> __device__ At<T> operator()(At<T> a, At<T> b) const {
    bool aNan = a.value != a.value, bNan = b.value != b.value;
    bool tie = aNan ? bNan : a.value == b.value;
    bool better = aNan || (!bNan && (Largest ? a.value > b.value : a.value < b.value));
    return (tie ? a.index < b.index : better) ? a : b;
  }
};

template <class T> __device__ T shuffle(T v, int distance) { return __shfl_xor_sync(0xffffffffu, v, distance); }
template <class T> __device__ At<T> shuffle(At<T> v, int distance) {
  return {shuffle(v.value, distance), shuffle(v.index, distance)};
}

// Combines the values of each Threads neighbouring threads, in an order that depends on nothing else; all get the
// result. The block does this together.
template <int Threads, class T, class Combine> __device__ T groupReduce(T value, void *shared, Combine combine) {
#pragma unroll
  for (int distance = (Threads < 32 ? Threads : 32) / 2; distance > 0; distance /= 2)
    value = combine(value, shuffle(value, distance));
  if (Threads <= 32) return value;
  T *partial = static_cast<T *>(shared);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  const int first = threadIdx.x / Threads * (Threads / 32);
  T result = partial[first];
#pragma unroll
  for (int warp = 1; warp < Threads / 32; ++warp) result = combine(result, partial[first + warp]);
  __syncthreads();
  return result;
}

// Combines what the threads t, t + Threads, t + 2 * Threads, ... of a block of 256 have; all get the result.
template <int Threads, int Width, class T, class Combine>
__device__ void combineSlices(T (&values)[Width], void *shared, Combine combine) {
  T *partial = static_cast<T *>(shared);
#pragma unroll
  for (int i = 0; i < Width; ++i) partial[i * 256 + threadIdx.x] = values[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    const T *own = partial + i * 256 + threadIdx.x % Threads;
    values[i] = own[0];
    for (int slice = 1; slice < 256 / Threads; ++slice) values[i] = combine(values[i], own[slice * Threads]);
  }
  __syncthreads();
}

// Neighbouring elements, read and written at once.
template <class T, int Width> struct alignas(sizeof(T) * Width < 16 ? sizeof(T) * Width : 16) Vec {
  T at[Width];
  __device__ T &operator[](int i) { return at[i]; }
  __device__ const T &operator[](int i) const { return at[i]; }
  __device__ static Vec all(T value) {
    Vec vec;
#pragma unroll
    for (int i = 0; i < Width; ++i) vec[i] = value;
    return vec;
  }
};
template <int Width, class T> __device__ Vec<T, Width> load(const T *from) {
  return *reinterpret_cast<const Vec<T, Width> *>(from);
}
template <int Width, class T> __device__ void store(T *to, const Vec<T, Width> &vec) {
  *reinterpret_cast<Vec<T, Width> *>(to) = vec;
}

extern __shared__ __align__(16) unsigned char shared[];

// The first index error of a run: the smallest (check, position) stays, and in each word 16 bits of its value. All ones:
// none.
__device__ inline long long checkIndex(long long value, long long position, long long bound, unsigned long long check,
                                       unsigned long long *error) {
  if (value >= 0 && value < bound) return value;
  for (int i = 0; i < 4; ++i)
    atomicMin(error + i, check << 52 | (unsigned long long)position << 16 | (value >> 16 * i & 0xffff));
  return 0;
}

)";
}

} // namespace tensorjit::cuda
