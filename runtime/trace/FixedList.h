#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tensorjit::trace {

/// A list whose elements are given once. Up to `N` of them lie in the list itself, so that who reads its neighbours has
/// them in reach.
template <class T, uint32_t N> class FixedList {
public:
  FixedList() = default;
  ~FixedList() {
    if (data_ != own_) delete[] data_;
  }
  FixedList(const FixedList &) = delete;

  /// Of an empty list, once.
  void assign(std::span<const T> elements) {
    size_ = static_cast<uint32_t>(elements.size());
    if (size_ > N) data_ = new T[size_];
    std::copy(elements.begin(), elements.end(), data_);
  }
  const T *data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  const T &operator[](size_t i) const { return data_[i]; }

private:
  T *data_ = own_;
  uint32_t size_ = 0;
  T own_[N];
};

} // namespace tensorjit::trace
