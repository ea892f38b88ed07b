#pragma once
#include "tensorjit/tensor.h"

#include <array>

namespace tensorjit {

/// A counter-based source of random words (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2,
/// 3", SC 2011). Its whole state is a seed and the number of 4-word blocks drawn so far.
class Generator {
public:
  explicit Generator(uint64_t seed = 0) : seed_(seed) {}
  uint64_t seed() const { return seed_; }
  uint64_t offset() const { return offset_; }
  void set_seed(uint64_t seed) {
    seed_ = seed;
    offset_ = 0;
  }
  void set_offset(uint64_t offset) { offset_ = offset; }

private:
  uint64_t seed_, offset_ = 0;
};

/// The generator that random functions of every thread draw from; it starts with seed 0.
Generator &default_generator();
/// Seeds the default generator and sets its offset to 0.
void manual_seed(uint64_t seed);

/// Words 4*block .. 4*block+3 of a stream. Stream 0 belongs to tensors; a data loader has its own.
std::array<uint32_t, 4> philox(uint64_t seed, uint64_t block, uint32_t stream = 0);

// What follows draws from the default generator. A compiled function records the draws like any other op, with the
// state of the generator as numbers of the call: it gives what eager execution gives, anew in each call.

/// Random integers over the whole range of the dtype: i32, or i64 where the options say so, else `type_error`.
Tensor random_bits(const Shape &sizes, TensorOptions options = DType::I32,
                   SourceLocation loc = SourceLocation::current());
/// Uniform in [0, 1). Throws `type_error` for integers and bool.
Tensor rand(const Shape &sizes, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
/// Normal with mean 0 and variance 1 (Box and Muller). Throws `type_error` for integers and bool.
Tensor randn(const Shape &sizes, TensorOptions options = {}, SourceLocation loc = SourceLocation::current());
/// Uniform integers in [low, high), i64 unless the options name a dtype. Throws `value_error` for an empty range.
Tensor randint(int64_t low, int64_t high, const Shape &sizes, TensorOptions options = DType::I64,
               SourceLocation loc = SourceLocation::current());
/// The integers below `n` in random order, i64 unless the options name a dtype. Throws `value_error` for a negative n.
Tensor randperm(int64_t n, TensorOptions options = DType::I64, SourceLocation loc = SourceLocation::current());
/// 1 with the probability that each element of `p`, of floats, says, else 0, in the dtype of `p`.
Tensor bernoulli(const Tensor &p, SourceLocation loc = SourceLocation::current());
Tensor rand_like(const Tensor &like, SourceLocation loc = SourceLocation::current());
Tensor randn_like(const Tensor &like, SourceLocation loc = SourceLocation::current());

} // namespace tensorjit
