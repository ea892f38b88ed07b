#include "eager/Cast.h"
#include "eager/Copy.h"
#include "eager/PointwiseKernels.h"
#include "execute/ThreadPool.h"

#include <memory>

namespace tensorjit {

using namespace eager;

void eagerCast(const EagerCall &call) {
  const TensorView &x = call.operands[0], &y = call.results[0];
  const int64_t n = y.sizes.numel();
  if (n == 0) return;
  const void *from = x.data;
  std::unique_ptr<char[]> dense;
  if (!x.isDense()) {
    dense.reset(new char[static_cast<size_t>(n) * itemSize(x.dtype)]);
    copyToDense(x, dense.get());
    from = dense.get();
  }
  parallelFor(n, 32 << 10, [&](int64_t lo, int64_t hi) {
    castDense(static_cast<const char *>(from) + static_cast<size_t>(lo) * itemSize(x.dtype), x.dtype,
              static_cast<char *>(y.data) + static_cast<size_t>(lo) * itemSize(y.dtype), y.dtype, hi - lo);
  });
}

} // namespace tensorjit
