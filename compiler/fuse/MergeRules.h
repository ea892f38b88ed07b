#pragma once
#include "fuse/Spaces.h"

namespace tensorjit::fuse_nests {

/// Why the two are not made one nest; empty, and `match` set, where they can and should.
std::string whyNotMerged(NestOp first, NestOp second, DimMatch &match);

} // namespace tensorjit::fuse_nests
