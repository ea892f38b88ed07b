#pragma once
#include "eager/Copy.h"

#include <memory>

namespace tensorjit::eager {

/// An operand as dense row-major memory: the tensor's own, or a copy for the time of the call.
class Dense {
public:
  explicit Dense(const TensorView &x) : data_(x.data) {
    if (x.isDense()) return;
    copy_.reset(new char[static_cast<size_t>(x.sizes.numel()) * itemSize(x.dtype)]);
    copyToDense(x, copy_.get());
    data_ = copy_.get();
  }
  template <class T> const T *as() const { return static_cast<const T *>(data_); }
  const void *data() const { return data_; }

private:
  const void *data_;
  std::unique_ptr<char[]> copy_;
};

} // namespace tensorjit::eager
