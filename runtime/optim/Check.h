#pragma once
#include "core/NumberText.h"
#include "tensorjit/error.h"

#include <string>

namespace tensorjit::optim {

/// NaN is refused too.
inline void requireNotNegative(const char *optimizer, const char *what, double value) {
  if (!(value >= 0))
    throw value_error(std::string(optimizer) + ": the " + what + " must not be negative, got " + numberText(value));
}

} // namespace tensorjit::optim
