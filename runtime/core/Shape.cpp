#include "tensorjit/shape.h"
#include "tensorjit/error.h"

namespace tensorjit {

static void checkRank(size_t rank) {
  if (rank > Shape::maxRank)
    throw shape_error("a tensor has at most " + std::to_string(Shape::maxRank) + " dims, got " + std::to_string(rank));
}

Shape::Shape(std::span<const int64_t> sizes) : rank_(static_cast<uint8_t>(sizes.size())) {
  checkRank(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) dims_[i] = sizes[i];
}

void Shape::push_back(int64_t d) {
  checkRank(rank_ + 1u);
  dims_[rank_++] = d;
}

void Shape::insert(size_t at, int64_t d) {
  checkRank(rank_ + 1u);
  for (size_t i = rank_; i > at; --i) dims_[i] = dims_[i - 1];
  dims_[at] = d;
  ++rank_;
}

void Shape::erase(size_t at) {
  for (size_t i = at + 1; i < rank_; ++i) dims_[i - 1] = dims_[i];
  dims_[--rank_] = 0;
}

int64_t Shape::numel() const {
  int64_t n = 1;
  bool overflow = false;
  for (int64_t d : *this) {
    if (d == 0) return 0;
    overflow |= __builtin_mul_overflow(n, d, &n);
  }
  if (overflow) throw shape_error("a tensor of sizes " + str() + " has more elements than a 64-bit integer counts");
  return n;
}

Shape Shape::denseStrides() const {
  Shape s;
  s.rank_ = rank_;
  int64_t stride = 1;
  for (size_t i = rank_; i-- > 0;) {
    s.dims_[i] = stride;
    stride *= dims_[i] > 1 ? dims_[i] : 1;
  }
  return s;
}

std::string Shape::str() const {
  std::string s = "[";
  for (size_t i = 0; i < rank_; ++i) {
    if (i) s += 'x';
    s += std::to_string(dims_[i]);
  }
  return s + "]";
}

} // namespace tensorjit
