#pragma once
#include "execute/KernelAbi.h"
#include "op/OpInfo.h"

#include <string>

namespace tensorjit::eager {

/// "cross_entropy: target 12 at [3] is out of range for 10 classes"-style text of a failed index check, without a
/// source line: what eager kernels and compiled programs both report.
std::string indexErrorText(const std::string &op, const std::string &operand, int64_t value, int64_t position,
                           int64_t bound);

} // namespace tensorjit::eager
