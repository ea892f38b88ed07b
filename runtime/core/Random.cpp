#include "tensorjit/random.h"
#include "core/Dispatch.h"
#include "core/InPlace.h"
#include "core/Location.h"
#include "core/NumberText.h"
#include "core/Philox.h"
#include "core/TensorAccess.h"
#include "op/CreationIds.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <mutex>
#include <numeric>

namespace tensorjit {

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t block, uint32_t stream) {
  uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), stream, 0};
  philoxRounds(c, seed);
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

using dispatch::CallScope;

/// The words that one function draws from the default generator, which moves on by whole blocks.
struct Draw {
  uint64_t seed, firstBlock;
  explicit Draw(uint64_t words) {
    std::lock_guard lock(generatorMutex());
    Generator &g = default_generator();
    seed = g.seed();
    firstBlock = g.offset();
    g.set_offset(firstBlock + words / 4 + (words % 4 != 0));
  }
};

Tensor castTo(const Tensor &x, DType dtype, const SourceLocation &loc) { return dispatch::castTo(x, dtype, loc); }

/// `random_bits` or `random_normal`. The state of the generator enters a recording as run-time numbers.
Tensor drawn(OpId op, const Shape &sizes, DType dtype, uint64_t words, const CallScope &scope) {
  const Draw draw(words);
  const SourceLocation &loc = scope.location();
  const Tensor seed = dispatch::fromScalar(static_cast<int64_t>(draw.seed), DType::I64, loc, true);
  const Tensor offset = dispatch::fromScalar(static_cast<int64_t>(draw.firstBlock), DType::I64, loc, true);
  Attrs attrs;
  attrs.addInts(sizes);
  attrs.addDType(dtype);
  const TensorBase *operands[] = {&seed, &offset};
  TensorBase result;
  dispatch::call(op, operands, attrs, {&result, 1}, loc);
  return result;
}

uint64_t count(const Shape &sizes, const CallScope &scope) {
  atLine(scope.location(), [&] { checkSizes(sizes); });
  return static_cast<uint64_t>(sizes.numel());
}

Tensor bits(const Shape &sizes, DType dtype, const CallScope &scope) {
  const uint64_t n = count(sizes, scope);
  return drawn(opid::RandomBits, sizes, dtype, dtype == DType::I64 ? 2 * n : n, scope);
}

void requireFloat(const CallScope &scope, const char *op, DType dtype) {
  if (!isFloat(dtype))
    dispatch::fail<type_error>(scope, std::string(op) + ": the dtype must be a float, got " + name(dtype));
}

/// In [0, 1), with as many bits as a value of `dtype` near 1 has, in its compute type.
Tensor unit(const Shape &sizes, DType dtype, const CallScope &scope) {
  const SourceLocation &loc = scope.location();
  const int width = dtype == DType::F64 ? 64 : 32;
  const int kept = dtype == DType::F64 ? 53 : dtype == DType::F32 ? 24 : dtype == DType::F16 ? 11 : 8;
  const Tensor words = bits(sizes, width == 64 ? DType::I64 : DType::I32, scope);
  const Tensor top =
      bitwise_and(bitwise_right_shift(words, width - kept, loc), (int64_t(1) << kept) - 1, loc); // no sign
  return mul(castTo(top, computeType(dtype), loc), 1.0 / static_cast<double>(int64_t(1) << kept), loc);
}

/// Mean 0 and variance 1, in the compute type of `dtype`.
Tensor normal(const Shape &sizes, DType dtype, const CallScope &scope) {
  const uint64_t pairs = (count(sizes, scope) + 1) / 2;
  const DType wide = computeType(dtype);
  return drawn(opid::RandomNormal, sizes, wide, pairs * (wide == DType::F64 ? 4 : 2), scope);
}

constexpr int64_t lowHalf = 0xFFFFFFFF;
Tensor lowOf(const Tensor &x, const SourceLocation &loc) { return bitwise_and(x, lowHalf, loc); }
Tensor highOf(const Tensor &x, const SourceLocation &loc) { return lowOf(bitwise_right_shift(x, 32, loc), loc); }

/// The upper half of the product of unsigned 64-bit numbers, by halves.
Tensor mulHigh(const Tensor &x, uint64_t y, const SourceLocation &loc) {
  const Tensor low = lowOf(x, loc), high = highOf(x, loc);
  const auto yLow = static_cast<int64_t>(y & lowHalf), yHigh = static_cast<int64_t>(y >> 32);
  const Tensor lowHigh = mul(low, yHigh, loc), highLow = mul(high, yLow, loc);
  const Tensor middle = add(highOf(mul(low, yLow, loc), loc), lowOf(lowHigh, loc), loc);
  const Tensor carry = highOf(add(middle, lowOf(highLow, loc), loc), loc);
  const Tensor sum = add(mul(high, yHigh, loc), highOf(lowHigh, loc), loc);
  return add(add(sum, highOf(highLow, loc), loc), carry, loc);
}

Device deviceOf(const TensorOptions &options) {
  return options.hasDevice() ? options.device() : trace::defaultDevice();
}

Tensor withGrad(Tensor t, const TensorOptions &options) { return options.requires_grad() ? t.requires_grad_() : t; }

Tensor &setTo(Tensor &target, const Tensor &value, const CallScope &scope) {
  dispatch::assign(target, castTo(value, target.dtype(), scope.location()), scope.location());
  return target;
}

Tensor stretched(const Tensor &x, double factor, double shift, const SourceLocation &loc) {
  return add(mul(x, factor, loc), shift, loc);
}

/// True with probability `p`, a number or the probability of each element.
Tensor hits(const Shape &sizes, const Operand &p, const CallScope &scope) {
  return lt(unit(sizes, DType::F32, scope), p, scope.location());
}

} // namespace

Tensor random_bits(const Shape &sizes, TensorOptions options, SourceLocation loc) {
  const CallScope scope(loc);
  const trace::DeviceScope device(deviceOf(options));
  const DType dtype = options.hasDType() ? options.dtype() : DType::I32;
  if (dtype != DType::I32 && dtype != DType::I64)
    dispatch::fail<type_error>(scope, std::string("random_bits: i32 or i64 expected, got ") + name(dtype));
  return bits(sizes, dtype, scope);
}

Tensor rand(const Shape &sizes, TensorOptions options, SourceLocation loc) {
  const CallScope scope(loc);
  const trace::DeviceScope device(deviceOf(options));
  requireFloat(scope, "rand", options.dtype());
  return withGrad(castTo(unit(sizes, options.dtype(), scope), options.dtype(), scope.location()), options);
}

Tensor randn(const Shape &sizes, TensorOptions options, SourceLocation loc) {
  const CallScope scope(loc);
  const trace::DeviceScope device(deviceOf(options));
  requireFloat(scope, "randn", options.dtype());
  return withGrad(castTo(normal(sizes, options.dtype(), scope), options.dtype(), scope.location()), options);
}

Tensor rand_like(const Tensor &like, SourceLocation loc) {
  return rand(like.sizes(), TensorOptions(like.dtype()).device(like.device()), loc);
}
Tensor randn_like(const Tensor &like, SourceLocation loc) {
  return randn(like.sizes(), TensorOptions(like.dtype()).device(like.device()), loc);
}

Tensor randint(int64_t low, int64_t high, const Shape &sizes, TensorOptions options, SourceLocation loc) {
  const CallScope scope(loc);
  const trace::DeviceScope device(deviceOf(options));
  if (high <= low)
    dispatch::fail<value_error>(scope, "randint: the range [" + std::to_string(low) + ", " + std::to_string(high) +
                                           ") is empty");
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  Tensor below;
  if (range <= uint64_t(1) << 32) {
    const Tensor word = lowOf(castTo(bits(sizes, DType::I32, scope), DType::I64, loc), loc);
    below = highOf(mul(word, static_cast<int64_t>(range), loc), loc);
  } else {
    below = mulHigh(bits(sizes, DType::I64, scope), range, loc);
  }
  const Tensor value = add(below, low, loc);
  return options.hasDType() ? castTo(value, options.dtype(), loc) : value;
}

Tensor randperm(int64_t n, TensorOptions options, SourceLocation loc) {
  const CallScope scope(loc);
  if (n < 0) dispatch::fail<value_error>(scope, "randperm: n must be at least 0, got " + std::to_string(n));
  const Draw draw(2 * count({n}, scope));
  std::vector<int64_t> keys(static_cast<size_t>(n)), order(static_cast<size_t>(n));
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto words = philox(draw.seed, draw.firstBlock + i / 2);
    keys[i] = static_cast<int64_t>(words[i % 2 * 2] | uint64_t(words[i % 2 * 2 + 1]) << 32);
  }
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return keys[static_cast<size_t>(i)]; });
  if (!options.hasDType()) options = options.dtype(DType::I64);
  return detail::fromHost(order.data(), DType::I64, {n}, options, scope.location());
}

Tensor bernoulli(const Tensor &p, SourceLocation loc) {
  const CallScope scope(loc);
  dispatch::requireFloat(scope, "bernoulli", p);
  const trace::DeviceScope device(p.device());
  return castTo(hits(p.sizes(), Operand(castTo(p, DType::F32, loc), loc), scope), p.dtype(), loc);
}

Tensor &Tensor::bernoulli_(double p, SourceLocation loc) {
  const CallScope scope(loc);
  if (!(p >= 0 && p <= 1)) dispatch::fail<value_error>(scope, "bernoulli_: p must be in [0, 1], got " + numberText(p));
  const trace::DeviceScope on(device());
  return setTo(*this, hits(sizes(), Operand(p, loc), scope), scope);
}

Tensor &Tensor::uniform_(double from, double to, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "uniform_", dtype());
  const trace::DeviceScope on(device());
  return setTo(*this, stretched(unit(sizes(), dtype(), scope), to - from, from, loc), scope);
}

Tensor &Tensor::normal_(double mean, double std, SourceLocation loc) {
  const CallScope scope(loc);
  requireFloat(scope, "normal_", dtype());
  const trace::DeviceScope on(device());
  return setTo(*this, stretched(normal(sizes(), dtype(), scope), std, mean, loc), scope);
}

} // namespace tensorjit
