// Every op whose record has scalar expressions: one nest over the sizes of its results.
#include "lower/Lowering.h"
#include "lower/ScalarBodies.h"

namespace tensorjit::lower_ops {

bool hasScalarBody(StringRef mnemonic) { return scalarBodyOf(mnemonic); }

// What the expressions work on: the first operand that is no condition or flag, or bool where all are.
static Type workingType(Lowering &l) {
  for (unsigned i = 0; l.has(i); ++i)
    if (!l.type(i).getElementType().isInteger(1)) return l.type(i).getElementType();
  return l.builder.getI1Type();
}

Values lowerPointwise(Lowering &l) {
  const ScalarBody *body = scalarBodyOf(l.op->getName().stripDialect());
  NestBuilder nest = l.nest();
  SmallVector<AffineExpr> dims = nest.parallel(l.resultType().getShape());
  for (unsigned i = 0; l.has(i); ++i) nest.input(l.operand(i), broadcastIndex(dims, l.shape(i), l.context()));
  for (unsigned i = 0; i < l.op->getNumResults(); ++i) nest.output(l.resultType(i).getElementType(), dims);
  std::string lacks;
  auto create = [&](OpBuilder &b, Location loc, ValueRange in) {
    Type type = workingType(l);
    ScalarBuilder builder(b, loc, kernel::scalarType(type), type.isUnsignedInteger());
    SmallVector<Value> values = body->build(builder, in);
    lacks = builder.lacks();
    return values;
  };
  Operation *made = nest.create(create);
  if (lacks.empty()) return Values(made->getResults());
  made->erase();
  return l.refuse("no code for " + lacks + " of f64");
}

} // namespace tensorjit::lower_ops
