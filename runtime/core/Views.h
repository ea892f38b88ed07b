#pragma once
#include "core/TensorImpl.h"

#include <optional>

namespace tensorjit {

struct ViewGeometry {
  Shape sizes, strides;
  int64_t offset = 0; ///< in elements, on the storage
};

/// Where a view op's result lies on the storage of `t`; nothing when no strides describe it (reshape of strided
/// data). `result`: the sizes that the op's shape rule gave.
std::optional<ViewGeometry> viewGeometry(const TensorImpl &t, OpId op, const Attrs &attrs, const Shape &result);

} // namespace tensorjit
