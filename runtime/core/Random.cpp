#include "tensorjit/random.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/TensorAccess.h"
#include "device/Transfer.h"
#include "eager/Cast.h"
#include "execute/FloatMode.h"
#include "execute/ThreadPool.h"

#include <cmath>
#include <mutex>
#include <numbers>

namespace tensorjit {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t block, uint32_t stream) {
  uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), stream, 0};
  uint32_t k[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53) * c[0], p1 = uint64_t(0xCD9E8D57) * c[2];
    uint32_t next[4] = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
                        static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    std::copy(std::begin(next), std::end(next), std::begin(c));
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return {c[0], c[1], c[2], c[3]};
}

Generator &default_generator() {
  static Generator g;
  return g;
}

static std::mutex &generatorMutex() {
  static std::mutex m;
  return m;
}

void manual_seed(uint64_t seed) {
  std::lock_guard lock(generatorMutex());
  default_generator().set_seed(seed);
}

namespace {

/// The words of one random op: block numbers follow from its size alone.
struct Draw {
  uint64_t seed, firstBlock;
  /// Reserves `words` words of the default generator.
  explicit Draw(int64_t words) {
    std::lock_guard lock(generatorMutex());
    Generator &g = default_generator();
    seed = g.seed();
    firstBlock = g.offset();
    g.set_offset(firstBlock + (static_cast<uint64_t>(words) + 3) / 4);
  }
  std::array<uint32_t, 4> block(int64_t i) const { return philox(seed, firstBlock + static_cast<uint64_t>(i)); }
};

constexpr int64_t grainBlocks = 2048;

/// Calls `element(i, w)` with the word(s) of each of `n` elements: `PerElement` 1 gives one word, 2 a pair as 64 bits.
template <int PerElement, class F> void forEachElement(int64_t n, F element) {
  constexpr int64_t perBlock = 4 / PerElement;
  Draw draw(n * PerElement);
  parallelFor((n + perBlock - 1) / perBlock, grainBlocks, [&](int64_t lo, int64_t hi) {
    for (int64_t b = lo; b < hi; ++b) {
      auto w = draw.block(b);
      for (int64_t j = 0; j < perBlock && b * perBlock + j < n; ++j) {
        const size_t at = static_cast<size_t>(j);
        if constexpr (PerElement == 1) element(b * perBlock + j, w[at]);
        else element(b * perBlock + j, w[2 * at] | uint64_t(w[2 * at + 1]) << 32);
      }
    }
  });
}

/// In [0, 1), with as many bits as a value of `t` near 1 has.
float unitFloat(uint32_t w, DType t) {
  switch (t) {
  case DType::F16: return static_cast<float>(w >> 21) * 0x1p-11f;
  case DType::BF16: return static_cast<float>(w >> 24) * 0x1p-8f;
  default: return static_cast<float>(w >> 8) * 0x1p-24f;
  }
}
double unitDouble(uint64_t w) { return static_cast<double>(w >> 11) * 0x1p-53; }

template <class T, class F> void fillUniform(T *out, int64_t n, DType dtype, F map) {
  if constexpr (std::is_same_v<T, float>)
    forEachElement<1>(n, [&](int64_t i, uint32_t w) { out[i] = static_cast<float>(map(unitFloat(w, dtype))); });
  else forEachElement<2>(n, [&](int64_t i, uint64_t w) { out[i] = map(unitDouble(w)); });
}

/// Pairs of normals from pairs of uniforms; an odd `n` draws a whole pair.
template <class T, class F> void fillNormal(T *out, int64_t n, F map) {
  constexpr bool narrow = std::is_same_v<T, float>;
  const int64_t pairs = (n + 1) / 2, pairsPerBlock = narrow ? 2 : 1;
  Draw draw(pairs * (narrow ? 2 : 4));
  parallelFor((pairs + pairsPerBlock - 1) / pairsPerBlock, grainBlocks, [&](int64_t lo, int64_t hi) {
    for (int64_t b = lo; b < hi; ++b) {
      auto w = draw.block(b);
      for (int64_t j = 0; j < pairsPerBlock; ++j) {
        double u, t;
        if constexpr (narrow) {
          u = ((w[static_cast<size_t>(2 * j)] >> 8) + 1.0) * 0x1p-24;
          t = (w[static_cast<size_t>(2 * j + 1)] >> 8) * 0x1p-24;
        } else {
          u = (static_cast<double>((w[0] | uint64_t(w[1]) << 32) >> 11) + 1.0) * 0x1p-53;
          t = static_cast<double>((w[2] | uint64_t(w[3]) << 32) >> 11) * 0x1p-53;
        }
        const double r = std::sqrt(-2.0 * std::log(u)), angle = 2 * std::numbers::pi * t;
        const int64_t at = 2 * (b * pairsPerBlock + j);
        if (at < n) out[at] = static_cast<T>(map(static_cast<T>(r * std::cos(angle))));
        if (at + 1 < n) out[at + 1] = static_cast<T>(map(static_cast<T>(r * std::sin(angle))));
      }
    }
  });
}

/// A new dense float tensor filled by `fill(pointer, n)`; f16 and bf16 are rounded from f32.
template <class Fill> Tensor makeFloat(const char *op, DType dtype, const Shape &sizes, Device device, Fill fill) {
  checkSizes(sizes);
  if (!isFloat(dtype)) throw type_error(std::string(op) + ": the dtype must be a float, got " + name(dtype));
  const DType wide = computeType(dtype);
  Tensor t = allocateTensor(wide, sizes);
  void *data = viewOf(t).data;
  const FloatMode mode;
  if (wide == DType::F32) fill(static_cast<float *>(data), sizes.numel());
  else fill(static_cast<double *>(data), sizes.numel());
  if (wide != dtype) {
    const Tensor stored = allocateTensor(dtype, sizes);
    eager::castDense(data, wide, viewOf(stored).data, dtype, sizes.numel());
    t = stored;
  }
  return device.is_cpu() ? t : device::copyTo(t, device, false);
}

constexpr auto same = [](auto v) { return v; };

} // namespace

Tensor rand(const Shape &sizes, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    return makeFloat("rand", options.dtype(), sizes, options.device(),
                     [&](auto *p, int64_t n) { fillUniform(p, n, options.dtype(), same); })
        .requires_grad_(options.requires_grad());
  });
}

Tensor randn(const Shape &sizes, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    return makeFloat("randn", options.dtype(), sizes, options.device(),
                     [](auto *p, int64_t n) { fillNormal(p, n, same); })
        .requires_grad_(options.requires_grad());
  });
}

Tensor rand_like(const Tensor &like, SourceLocation loc) {
  return rand(like.sizes(), TensorOptions(like.dtype()).device(like.device()), loc);
}
Tensor randn_like(const Tensor &like, SourceLocation loc) {
  return randn(like.sizes(), TensorOptions(like.dtype()).device(like.device()), loc);
}

Tensor randint(int64_t low, int64_t high, const Shape &sizes, TensorOptions options, SourceLocation loc) {
  return atLine(loc, [&] {
    if (high <= low)
      throw value_error("randint: the range [" + std::to_string(low) + ", " + std::to_string(high) + ") is empty");
    checkSizes(sizes);
    Tensor t = allocateTensor(DType::I64, sizes);
    int64_t *out = static_cast<int64_t *>(viewOf(t).data);
    const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    auto place = [&](int64_t i, uint64_t r) { out[i] = static_cast<int64_t>(static_cast<uint64_t>(low) + r); };
    if (range <= uint64_t(1) << 32)
      forEachElement<1>(t.numel(), [&](int64_t i, uint32_t w) { place(i, (w * range) >> 32); });
    else
      forEachElement<2>(t.numel(), [&](int64_t i, uint64_t w) {
        place(i, static_cast<uint64_t>((static_cast<unsigned __int128>(w) * range) >> 64));
      });
    if (!options.device().is_cpu()) t = device::copyTo(t, options.device(), false);
    return options.hasDType() && options.dtype() != DType::I64 ? t.to(options.dtype(), loc) : t;
  });
}

Tensor &Tensor::uniform_(double from, double to, SourceLocation loc) {
  dispatch::assign(*this,
                   atLine(loc,
                          [&] {
                            return makeFloat("uniform_", dtype(), sizes(), device(), [&](auto *p, int64_t n) {
                              fillUniform(p, n, dtype(), [&](double u) { return from + (to - from) * u; });
                            });
                          }),
                   loc);
  return *this;
}

Tensor &Tensor::normal_(double mean, double std, SourceLocation loc) {
  dispatch::assign(*this,
                   atLine(loc,
                          [&] {
                            return makeFloat("normal_", dtype(), sizes(), device(), [&](auto *p, int64_t n) {
                              fillNormal(p, n, [&](double z) { return mean + std * z; });
                            });
                          }),
                   loc);
  return *this;
}

} // namespace tensorjit
