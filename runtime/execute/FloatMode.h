#pragma once
#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace tensorjit {

/// While one lives, this thread computes in the default floating-point mode: rounding to nearest, denormals kept, no
/// traps. The program's own mode, exception flags included, comes back at the end.
class FloatMode {
public:
#if defined(__x86_64__)
  FloatMode() : before_(_mm_getcsr()) {
    if (isOther()) [[unlikely]]
      _mm_setcsr(defaults);
  }
  ~FloatMode() {
    if (isOther()) [[unlikely]]
      _mm_setcsr(before_);
  }

private:
  static constexpr unsigned defaults = 0x1f80, flags = 0x3f;
  bool isOther() const { return (before_ & ~flags) != defaults; }
  unsigned before_;
#else
  FloatMode() {
    fegetenv(&before_);
    fesetenv(FE_DFL_ENV);
  }
  ~FloatMode() { fesetenv(&before_); }

private:
  fenv_t before_;
#endif
public:
  FloatMode(const FloatMode &) = delete;
};

} // namespace tensorjit
