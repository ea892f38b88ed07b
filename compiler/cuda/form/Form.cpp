#include "cuda/form/Form.h"

#include "cuda/form/Contraction.h"
#include "kernel/Uniform.h"

using namespace mlir;

namespace tensorjit::cuda {

bool Form::isReducedAlong(unsigned output) const {
  return kernel::usesReductionDims(nest(), nest().getOutputMap(output));
}

std::string Form::accumulator(Operation *reduction) const {
  return "a" + std::to_string(llvm::find(body_.reductions(), reduction) - body_.reductions().begin());
}

std::unique_ptr<Form> chooseForm(kernel::NestOp nest) {
  nest::Space space = nest::makeSpace(nest);
  nest::mergeDims(space);
  if (auto form = makeContractionForm(space)) return form;
  if (auto form = makeTransposeForm(space)) return form;
  if (auto form = makeRowsForm(space)) return form;
  return makeLanesForm(space);
}

} // namespace tensorjit::cuda
