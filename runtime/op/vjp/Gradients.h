#pragma once
/// What the derivatives of op records are written with, besides the public ops.
#include "autograd/Vjp.h"
#include "tensorjit/operand.h"

namespace tensorjit {

/// `g` reduced over the dims that broadcasting repeated, at the operand's dtype.
Tensor sumTo(const Tensor &g, const TensorType &operand);

/// A gradient of zeros.
Tensor zerosOf(const TensorType &operand);

/// `g`, the gradient of a reduction of `sizes` over `dims` (with or without the reduced dims), repeated over `sizes`.
Tensor expand_reduced(const Tensor &g, const Shape &sizes, const Shape &dims);

/// The dims that undo a permute.
Shape inverse_permutation(const Shape &dims);

inline IntPair pairOf(const Shape &two) { return {two[0], two[1]}; }

// Derivatives that are more than one expression.
#include "op/Vjps.inc"

} // namespace tensorjit
