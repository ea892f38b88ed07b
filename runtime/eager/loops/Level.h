#pragma once
/// The files of this folder hold inner loops over dense memory. Each is compiled once a CPU level (x86-64 baseline, v3
/// with AVX2, v4 with AVX-512) inside namespace TENSORJIT_LEVEL, and the runtime picks one level when it starts. All
/// levels give the same bits: contraction is off, and an fma stands where it is written. They use no inline function of
/// the standard library, since the linker would keep one level's copy for all.

namespace tensorjit::eager {

enum class CpuLevel { Base, V3, V4 };
CpuLevel cpuLevel();

template <class F> F *pickLevel(F *base, F *v3, F *v4) {
  switch (cpuLevel()) {
  case CpuLevel::V4: return v4;
  case CpuLevel::V3: return v3;
  default: return base;
  }
}

} // namespace tensorjit::eager

/// Declares a function of the loops folder at every level, and `name##Best`, the one for this machine.
#define TENSORJIT_LOOP(Result, name, ...)                                                                              \
  namespace base {                                                                                                     \
  Result name(__VA_ARGS__);                                                                                            \
  }                                                                                                                    \
  namespace v3 {                                                                                                       \
  Result name(__VA_ARGS__);                                                                                            \
  }                                                                                                                    \
  namespace v4 {                                                                                                       \
  Result name(__VA_ARGS__);                                                                                            \
  }                                                                                                                    \
  inline Result (*const name##Best)(__VA_ARGS__) = pickLevel(base::name, v3::name, v4::name);
