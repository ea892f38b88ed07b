#include "eager/RunKernel.h"
#include "core/TensorAccess.h"
#include "eager/Pointwise.h"
#include "eager/PointwiseKernels.h"
#include "op/MovesElements.h"
#include "op/PointwiseIds.h"

#include <array>

namespace tensorjit::eager {

namespace {

bool converts(const TensorView &t) { return computeType(t.dtype) != t.dtype; }

/// Kernels that do not look at elements, or convert them tile by tile.
bool readsStored(const OpInfo &o) { return o.eager == pointwise || o.eager == eagerCast || movesElements(o); }

void convert(const TensorView &from, const TensorView &to) {
  const Attrs none{};
  eagerCast({opid::Cast, {&from, 1}, {&to, 1}, none, nullptr});
}

} // namespace

void runKernel(const EagerCall &call) {
  const OpInfo &o = info(call.op);
  bool any = false;
  for (const TensorView &t : call.operands) any |= converts(t);
  for (const TensorView &t : call.results) any |= converts(t);
  if (!any || readsStored(o)) return o.eager(call);

  std::array<TensorBase, mostOperands + mostResults> memory;
  std::array<TensorView, mostOperands + mostResults> views;
  size_t count = 0;
  auto wide = [&](const TensorView &t) {
    TensorView &view = views[count];
    view = t;
    if (converts(t)) {
      memory[count] = allocateTensor(computeType(t.dtype), t.sizes);
      view = viewOf(memory[count]);
    }
    ++count;
    return view;
  };
  for (const TensorView &t : call.operands)
    if (const TensorView view = wide(t); view.data != t.data) convert(t, view);
  for (const TensorView &t : call.results) wide(t);
  const size_t inputs = call.operands.size();
  const std::span<const TensorView> all(views.data(), count);
  o.eager({call.op, all.first(inputs), all.subspan(inputs), call.attrs, call.error});
  for (size_t k = 0; k < call.results.size(); ++k)
    if (all[inputs + k].data != call.results[k].data) convert(all[inputs + k], call.results[k]);
}

} // namespace tensorjit::eager
