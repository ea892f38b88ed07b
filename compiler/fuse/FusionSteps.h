#pragma once
/// The passes of this folder. Each returns whether it changed anything.
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tensorjit::fuse_nests {

using namespace mlir; // NOLINT

void removeUnitReductions(func::FuncOp function);

void absorbViews(func::FuncOp function);

/// Producers and consumers whose points are the same become one nest with the results of both that are still needed:
/// elementwise chains, epilogues of contractions and reductions, dependent reductions of a row. Once memory orders are
/// chosen, a contraction takes in nothing more: it writes along the last dim of its results alone.
bool mergeProducers(func::FuncOp function, bool intoContractions = true);

/// Reads through an argument whose dims were only brought in another order become reads of the argument as it lies.
void readArgumentsAsTheyLie(func::FuncOp function);

/// Pointwise producers disappear into all of their consumers.
bool inlineProducers(func::FuncOp function);

/// Nests over the same points that read the same tensor become one.
bool mergeSiblings(func::FuncOp function);

/// Ops whose results nobody needs; nests lose the results that nobody needs.
bool removeDead(func::FuncOp function);

/// Independent nests with the same body become one kernel.group.
void groupNests(func::FuncOp function);

/// Why the nests that are left were not fused, one line for each pair.
std::vector<std::string> explainFusion(func::FuncOp function);

} // namespace tensorjit::fuse_nests
