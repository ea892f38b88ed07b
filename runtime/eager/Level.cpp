#include "eager/loops/Level.h"

namespace tensorjit::eager {

CpuLevel cpuLevel() {
  static const CpuLevel level = [] {
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v3 && v4 ? CpuLevel::V4 : v3 ? CpuLevel::V3 : CpuLevel::Base;
  }();
  return level;
}

} // namespace tensorjit::eager
