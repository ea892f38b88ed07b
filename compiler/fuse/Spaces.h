#pragma once
#include "nest/NestParts.h"

#include <string>

namespace tensorjit::fuse_nests {

using namespace mlir; // NOLINT
using kernel::NestOp;

/// For each dim of `second` the dim of `first` that it is, or a constant 0 for a dim of one point.
using DimMatch = SmallVector<AffineExpr>;

/// Finds how the points of `second` lie in the space of `first`, so that both can be one nest: each dim of `second` is
/// a dim of `first` of the same size, and what `second` reads of `first` it reads at the very point where `first`
/// writes it. Correspondences come from those reads and from tensors that both read. Reduction dims must agree where
/// both reduce. Empty, and `why` set, where there is no match.
std::optional<DimMatch> matchSpaces(NestOp first, NestOp second, std::string &why);

/// One nest with the results of both, `first`'s before `second`'s, placed at `second`. The old nests stay, without
/// users.
NestOp mergeNests(OpBuilder &builder, NestOp first, NestOp second, const DimMatch &match);

} // namespace tensorjit::fuse_nests
