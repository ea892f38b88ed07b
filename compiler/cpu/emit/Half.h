#pragma once
/// f16 and bf16 in kernels: they lie in memory as 16-bit integers and are brought to f32 before anything is computed.
#include "cpu/emit/Emission.h"
#include "kernel/HalfType.h"

namespace tensorjit::cpu {

/// f16 or bf16 as f32.
mlir::Value widenHalf(Emission &emission, mlir::Value half);

/// f32 rounded to nearest even; denormals are kept, which the bf16 instruction of x86 does not do.
mlir::Value roundToHalf(Emission &emission, mlir::Value single, mlir::Type element);

} // namespace tensorjit::cpu
