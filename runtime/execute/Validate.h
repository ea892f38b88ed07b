#pragma once
#include "execute/Executable.h"

namespace tensorjit {

/// Throws `io_error` unless everything in the executable that can be checked without running its code holds: each
/// reference lies inside its memory, each eager call has the operands, attributes and result types that the op's own
/// shape rule gives. Safe on any contents.
void validate(const Executable &executable);

/// Whether the words are attributes of this op: read back by its record they end where the words end.
bool wellFormed(const Attrs &attrs, std::span<const AttrSpec> specs);

} // namespace tensorjit
