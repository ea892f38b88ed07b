#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tensorjit {

/// Sizes (or strides, or a list of dims) of a tensor of at most `maxRank` dims; a plain value that never allocates.
class Shape {
public:
  static constexpr size_t maxRank = 8;

  constexpr Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  /// Throws `shape_error` above `maxRank` dims.
  explicit Shape(std::span<const int64_t> sizes);

  size_t rank() const { return rank_; }
  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](size_t i) const { return dims_[i]; }
  int64_t &operator[](size_t i) { return dims_[i]; }
  int64_t back() const { return dims_[rank_ - 1]; }
  const int64_t *begin() const { return dims_.data(); }
  const int64_t *end() const { return dims_.data() + rank_; }
  int64_t *begin() { return dims_.data(); }
  int64_t *end() { return dims_.data() + rank_; }
  operator std::span<const int64_t>() const { return {begin(), rank_}; }
  void push_back(int64_t d);
  void insert(size_t at, int64_t d);
  void erase(size_t at);

  /// Product of the sizes; 1 for rank 0. Throws `shape_error` where the product overflows.
  int64_t numel() const;
  /// Row-major strides of a dense tensor of these sizes, in elements.
  Shape denseStrides() const;
  /// "[2x3]"; "[]" for rank 0.
  std::string str() const;

  friend bool operator==(const Shape &a, const Shape &b) {
    if (a.rank_ != b.rank_) return false;
    for (size_t i = 0; i < a.rank_; ++i)
      if (a.dims_[i] != b.dims_[i]) return false;
    return true;
  }

private:
  std::array<int64_t, maxRank> dims_{};
  uint8_t rank_ = 0;
};

/// Dims of a call: `1`, `{0, -1}` or a Shape.
struct Dims : Shape {
  Dims() = default;
  Dims(int64_t dim) : Shape({dim}) {}
  Dims(std::initializer_list<int64_t> dims) : Shape(dims) {}
  Dims(const Shape &dims) : Shape(dims) {}
};

} // namespace tensorjit
