#pragma once
#include "driver/Objects.h"

namespace cudasim {

CUresult checkCopy(const CopyWork &work);
CUresult checkFill(const FillWork &work);
/// False where the copy names an array, or nothing.
bool copyFrom3D(const CUDA_MEMCPY3D *parameters, CopyWork &work);

} // namespace cudasim
