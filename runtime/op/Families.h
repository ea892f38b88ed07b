#pragma once
/// The generated tables that `info` looks into, one a file of records.
#include "op/OpInfo.h"

namespace tensorjit {

#define TENSORJIT_FAMILY(Family) std::span<const OpInfo> opsOf##Family();
#include "op/Families.inc"
#undef TENSORJIT_FAMILY

} // namespace tensorjit
