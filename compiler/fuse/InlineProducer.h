#pragma once
#include "nest/NestParts.h"

namespace tensorjit::fuse_nests {

using namespace mlir; // NOLINT
using kernel::NestOp;

/// Whether the nest is a copy of a whole tensor with its dims in another order: what lies outside of one lies outside
/// of the other.
bool isReordering(NestOp producer);

/// Why `consumer` cannot compute what it reads of `producer` by itself; empty where it can.
std::string whyNotInlined(NestOp producer, NestOp consumer);

/// `consumer` with `producer`'s body in place of each read of its results. The producer stays; the old consumer is
/// gone.
NestOp inlineProducer(OpBuilder &builder, NestOp producer, NestOp consumer);

} // namespace tensorjit::fuse_nests
