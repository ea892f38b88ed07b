#include "core/NumberText.h"
#include "op/infer/Infer.h"

#include "tensorjit/error.h"

namespace tensorjit::infer {

static void requireDim(const InferCall &c, int64_t dim) {
  const size_t rank = c.sizes(0).rank();
  if (dim < 0 || static_cast<size_t>(dim) >= (rank ? rank : 1))
    fail<index_error>(c, "dim " + std::to_string(dim) + " is out of range for " + c.sizes(0).str());
}

void softmax(const InferCall &c) {
  if (!c.accepted.contains(c.dtype(0)))
    fail<type_error>(c, std::string("expected a float, got ") + name(c.dtype(0)) + "; give dtype= to cast first");
  requireDim(c, AttrReader(c.attrs).integer());
  c.results[0] = c.operands[0];
}

void softmaxGrad(const InferCall &c) {
  requireSameDType(c);
  requireDType(c, 0, c.accepted);
  if (c.sizes(0) != c.sizes(1))
    fail<shape_error>(c, "gradient " + c.sizes(0).str() + " and result " + c.sizes(1).str() + " differ");
  requireDim(c, AttrReader(c.attrs).integer());
  c.results[0] = c.operands[1];
}

/// Checks logits (or log-probabilities) `x` against `target`, and the reduction; returns the sizes of the loss.
static Shape lossSizes(const InferCall &c, size_t x, size_t target, int64_t reduction) {
  requireDType(c, x, dtypes::floating);
  if (!dtypes::index.contains(c.dtype(target)))
    fail<type_error>(c, std::string("targets of i64 or i32 expected, got ") + name(c.dtype(target)));
  requireRank(c, x, 2, "an input [n x classes]");
  requireRank(c, target, 1, "a target [n]");
  const int64_t rows = c.sizes(x)[0];
  if (c.sizes(target)[0] != rows)
    fail<shape_error>(c, "input " + c.sizes(x).str() + " has " + std::to_string(rows) + " rows, target " +
                             c.sizes(target).str() + " has " + std::to_string(c.sizes(target)[0]));
  if (reduction < 0 || reduction > 2) fail<value_error>(c, "unknown reduction " + std::to_string(reduction));
  return reduction == 0 ? Shape({rows}) : Shape();
}

static void requireSmoothing(const InferCall &c, double e) {
  if (!(e >= 0 && e <= 1)) fail<value_error>(c, "label_smoothing must lie in [0, 1], got " + numberText(e));
}

void nllLoss(const InferCall &c) { c.results[0] = {c.dtype(0), lossSizes(c, 0, 1, AttrReader(c.attrs).integer())}; }

void crossEntropy(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const int64_t reduction = attrs.integer();
  attrs.integer();
  requireSmoothing(c, attrs.number());
  c.results[0] = {c.dtype(0), lossSizes(c, 0, 1, reduction)};
  c.results[1] = {c.dtype(0), Shape({c.sizes(0)[0]})};
}

void crossEntropyGrad(const InferCall &c) {
  AttrReader attrs(c.attrs);
  const int64_t reduction = attrs.integer();
  attrs.integer();
  requireSmoothing(c, attrs.number());
  const Shape loss = lossSizes(c, 1, 3, reduction);
  if (c.sizes(0) != loss) fail<shape_error>(c, "gradient " + loss.str() + " expected, got " + c.sizes(0).str());
  if (c.sizes(2) != Shape({c.sizes(1)[0]}))
    fail<shape_error>(c, "logsumexp " + Shape({c.sizes(1)[0]}).str() + " expected, got " + c.sizes(2).str());
  for (size_t i : {0, 2})
    if (c.dtype(i) != c.dtype(1))
      fail<type_error>(c, std::string("operands of one dtype expected, got ") + name(c.dtype(i)) + " and " +
                              name(c.dtype(1)));
  c.results[0] = c.operands[1];
}

} // namespace tensorjit::infer
