#pragma once
#include "driver/Objects.h"

namespace cudasim {

/// Checks everything about a launch that does not depend on a stream.
CUresult makeKernelWork(CUfunction function, const LaunchShape &shape, void **parameters, void **extra,
                        KernelWork &work);

} // namespace cudasim
