#include "eager/Run.h"
#include "core/TensorAccess.h"
#include "device/EagerOp.h"
#include "eager/Cast.h"
#include "eager/IndexError.h"
#include "eager/RunKernel.h"
#include "execute/FloatMode.h"
#include "trace/Recorder.h"

#include <array>

namespace tensorjit::eager {

void run(OpId op, std::span<const TensorBase *const> operands, const Attrs &attrs, std::span<TensorBase> results,
         const SourceLocation &loc) {
  if (const Device device = device::deviceOf(op, operands); !device.is_cpu()) [[unlikely]]
    return device::runEager(op, operands, attrs, results, loc, device);
  const OpInfo &o = info(op);
  std::array<TensorType, mostOperands> types;
  std::array<TensorView, mostOperands> in;
  const size_t n = operands.size();
  for (size_t i = 0; i < n; ++i) {
    if (!operands[i] || !operands[i]->defined()) continue;
    if (trace::isPending(*operands[i])) trace::materialise(*operands[i], o.name, loc);
    types[i] = typeOf(*operands[i]);
    in[i] = viewOf(*operands[i]);
  }
  std::array<TensorType, mostResults> resultTypes;
  o.infer({types.data(), n}, attrs, {resultTypes.data(), o.numResults});
  std::array<TensorView, mostResults> out;
  for (size_t k = 0; k < o.numResults; ++k) {
    results[k] = allocateTensor(resultTypes[k].dtype, resultTypes[k].sizes);
    out[k] = viewOf(results[k]);
  }
  ErrorSlot error;
  const FloatMode mode;
  runKernel({op, {in.data(), n}, {out.data(), o.numResults}, attrs, &error});
  if (o.checksIndex && error.set)
    throw index_error(indexErrorText(o.name, o.indexCheck.name, error.value, error.position,
                                     indexBound(o, {types.data(), n}, attrs)));
}

TensorBase scalarTensor(Scalar value, DType type) {
  const FloatMode mode;
  TensorBase t = allocateTensor(type, {});
  void *data = viewOf(t).data;
  if (value.kind() == Scalar::Kind::Float) {
    const double v = value.toDouble();
    castDense(&v, DType::F64, data, type, 1);
  } else {
    const int64_t v = value.toInt();
    castDense(&v, DType::I64, data, type, 1);
  }
  return t;
}

} // namespace tensorjit::eager
