#pragma once
#include "op/OpInfo.h"

namespace tensorjit {

/// Whether the op only moves elements, or fills memory with them: it works on a dtype that is only stored (f16, bf16,
/// i16) as on any other.
inline bool movesElements(const OpInfo &op) {
  return op.cls == OpClass::E &&
         (op.family == OpFamily::View || op.family == OpFamily::Shape || op.family == OpFamily::Creation);
}

} // namespace tensorjit
