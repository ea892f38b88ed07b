#include "cpu/emit/PlannedNest.h"

using namespace mlir;

namespace tensorjit::cpu {

PlannedNest::PlannedNest(Space space, const Target &target) : contraction_(matchContraction(space, target)) {
  if (contraction_) return;
  space_ = std::move(space);
  mergeDims(space_);
  body_.emplace(space_);
  plan_ = makePlan(space_, *body_, target);
}

void PlannedNest::emit(Emission &emission, Value lo, Value hi) const {
  contraction_ ? emitContraction(emission, *contraction_, lo, hi)
               : emitPlanned(emission, space_, *body_, plan_, lo, hi);
}

} // namespace tensorjit::cpu
