#pragma once
/// The enumerators of `OpId`, every op's. A new op rebuilds what includes this; code that names ops of a family or two
/// includes their generated op/<Family>Ids.h, where `OpId::Add` is `opid::Add`.
#include "op/OpInfo.h"

namespace tensorjit {

/// A family's number times 256, plus the record's place in its family.
enum class OpId : uint16_t {
#define TENSORJIT_OP(Enumerator, name, number) Enumerator = number,
#include "tensorjit/ops/OpId.inc"
#undef TENSORJIT_OP
};

} // namespace tensorjit
