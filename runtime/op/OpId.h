#pragma once
/// The enumerators of `OpId`. Apart from op/OpInfo.h, so that a new op rebuilds only the files that name ops.
#include "op/OpInfo.h"

namespace tensorjit {

/// A family's number times 256, plus the record's place in its family.
enum class OpId : uint16_t {
#define TENSORJIT_OP(Enumerator, name, number) Enumerator = number,
#include "tensorjit/ops/OpId.inc"
#undef TENSORJIT_OP
};

} // namespace tensorjit
