#pragma once
/// The library that serves f32 contractions in eager mode. It is a shared object of its own, opened at the first
/// contraction: its OpenMP runtime reads how its threads should wait when it is loaded, and threads that spin would
/// take the cores from the pool that runs everything else.
#include <cstddef>
#include <cstdint>

namespace tensorjit::eager {

/// c[m x n] (dense) = a[m x k] b[k x n] + bias[n]; one stride of each operand is 1.
struct GemmCall {
  int64_t m, n, k;
  const float *a, *b, *bias; ///< bias may be null
  int64_t aRow, aColumn, bRow, bColumn;
  float *c;
};

/// A convolution of dense [n x c x d x h x w], or of images, whose depth is 1; which of the three tensors is the result
/// depends on the function.
struct ConvCall {
  bool isImage;
  int64_t n, c, in[3];
  int64_t o, out[3];
  int64_t kernel[3], stride[3], padding[3], dilation[3], groups;
  void *x, *weight, *y;
  const void *bias; ///< forward only; may be null
};

struct ContractionLibrary {
  /// Each returns false where the library cannot serve the call; nothing has been written then.
  bool (*gemm)(const GemmCall &call);
  bool (*conv)(const ConvCall &call);
  bool (*convInputGrad)(const ConvCall &call);
  bool (*convWeightGrad)(const ConvCall &call);
};

/// What the library uses of the runtime. It does not link to it, so that the runtime can be built after it.
struct ContractionHost {
  void *(*allocate)(size_t bytes);
  void (*release)(void *block, size_t bytes);
  int (*numThreads)();
};

/// Null where it is not built.
const ContractionLibrary *contractionLibrary();

} // namespace tensorjit::eager
