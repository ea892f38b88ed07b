#pragma once
#include <cstdint>
#include <vector>

namespace tensorjit::data {

/// The order in which a loader visits the examples. A pure function of its arguments, so that a run can be repeated
/// or resumed at any epoch.
class Sampler {
public:
  virtual ~Sampler() = default;
  virtual std::vector<int64_t> order(int64_t size, uint64_t epoch) const = 0;
};

/// 0, 1, 2, ...
class SequentialSampler : public Sampler {
public:
  std::vector<int64_t> order(int64_t size, uint64_t epoch) const override;
};

/// A permutation drawn from `seed` and the epoch alone: the stable argsort of one 64-bit Philox word an index.
class RandomSampler : public Sampler {
public:
  explicit RandomSampler(uint64_t seed = 0) : seed_(seed) {}
  std::vector<int64_t> order(int64_t size, uint64_t epoch) const override;

private:
  uint64_t seed_;
};

} // namespace tensorjit::data
