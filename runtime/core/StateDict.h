#pragma once
#include "tensorjit/ordered_dict.h"
#include "tensorjit/tensor.h"

#include <string>

namespace tensorjit {

/// Throws `value_error` listing every entry of `own` that `from` lacks, has beyond, or has of other sizes or dtype.
void requireSameEntries(const std::string &what, const OrderedDict<Tensor> &own, const OrderedDict<Tensor> &from,
                        SourceLocation loc);

/// Copies the elements of each entry into the tensor of that name in `own`. All must be there and fit. The tensors stay
/// who they are, so that optimizers keep them and what was compiled for them still serves.
void copyEntries(const OrderedDict<Tensor> &own, const OrderedDict<Tensor> &from);

} // namespace tensorjit
