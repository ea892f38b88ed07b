#include "op/Normalize.h"

#include <algorithm>
#include <string>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

static std::string number(int64_t v) { return std::to_string(v); }

int64_t normalizeDim(const CallScope &scope, const char *op, int64_t dim, const Shape &sizes) {
  const int64_t rank = std::max<int64_t>(1, static_cast<int64_t>(sizes.rank()));
  if (dim < -rank || dim >= rank)
    fail<index_error>(scope, std::string(op) + ": dim " + number(dim) + " is out of range for " + sizes.str() +
                                 ": expected " + number(-rank) + " to " + number(rank - 1));
  return dim < 0 ? dim + rank : dim;
}

static void refuseDuplicates(const CallScope &scope, const char *op, Shape dims) {
  std::sort(dims.begin(), dims.end());
  const auto *twice = std::adjacent_find(dims.begin(), dims.end());
  if (twice != dims.end()) fail<shape_error>(scope, std::string(op) + ": dim " + number(*twice) + " is given twice");
}

static Shape allDims(const Shape &sizes) {
  Shape all;
  for (size_t i = 0; i < sizes.rank(); ++i) all.push_back(static_cast<int64_t>(i));
  return all;
}

Shape normalizeDims(const CallScope &scope, const char *op, const Shape &dims, const Shape &sizes) {
  if (dims.empty()) return allDims(sizes);
  Shape result;
  for (int64_t d : dims) result.push_back(normalizeDim(scope, op, d, sizes));
  refuseDuplicates(scope, op, result);
  if (sizes.empty()) return {};
  std::sort(result.begin(), result.end());
  return result;
}

Shape normalizeOneOrAllDims(const CallScope &scope, const char *op, std::optional<int64_t> dim, const Shape &sizes) {
  if (!dim) return allDims(sizes);
  const int64_t d = normalizeDim(scope, op, *dim, sizes);
  return sizes.empty() ? Shape() : Shape({d});
}

Shape normalizeTriple(const CallScope &scope, const char *op, const Shape &numbers, const Shape & /*sizes*/) {
  if (numbers.rank() == 1) return {numbers[0], numbers[0], numbers[0]};
  if (numbers.rank() != 3)
    fail<value_error>(scope, std::string(op) + ": one number or three expected, got " + numbers.str());
  return numbers;
}

Shape normalizePermutation(const CallScope &scope, const char *op, const Shape &dims, const Shape &sizes) {
  if (dims.rank() != sizes.rank())
    fail<shape_error>(scope, std::string(op) + ": " + number(static_cast<int64_t>(dims.rank())) + " dims given for " +
                                 sizes.str() + " of rank " + number(static_cast<int64_t>(sizes.rank())));
  Shape result;
  for (int64_t d : dims) result.push_back(normalizeDim(scope, op, d, sizes));
  refuseDuplicates(scope, op, result);
  return result;
}

Shape normalizeReshape(const CallScope &scope, const char *op, const Shape &wanted, const Shape &sizes) {
  Shape result = wanted;
  int64_t *open = nullptr;
  Shape others;
  for (int64_t &d : result) {
    if (d >= 0) {
      others.push_back(d);
      continue;
    }
    if (d != -1) fail<shape_error>(scope, std::string(op) + ": size " + number(d) + " in " + wanted.str());
    if (open) fail<shape_error>(scope, std::string(op) + ": more than one -1 in " + wanted.str());
    open = &d;
  }
  if (!open) return result;
  const int64_t known = others.numel(), numel = sizes.numel();
  if (known == 0)
    fail<shape_error>(scope, std::string(op) + ": the -1 in " + wanted.str() + " cannot be inferred beside a size 0");
  if (numel % known != 0)
    fail<shape_error>(scope, std::string(op) + ": " + sizes.str() + " has " + number(numel) +
                                 " elements, which do not divide into " + wanted.str());
  *open = numel / known;
  return result;
}

Shape normalizeBroadcast(const CallScope &scope, const char *op, const Shape &wanted, const Shape &sizes) {
  Shape result = wanted;
  const auto missing = static_cast<int64_t>(wanted.rank()) - static_cast<int64_t>(sizes.rank());
  for (size_t i = 0; i < result.rank(); ++i) {
    if (result[i] != -1) continue;
    const int64_t own = static_cast<int64_t>(i) - missing;
    if (own < 0)
      fail<shape_error>(scope, std::string(op) + ": -1 in " + wanted.str() + " at a dim that " + sizes.str() +
                                   " does not have");
    result[i] = sizes[static_cast<size_t>(own)];
  }
  return result;
}

SliceRange normalizeSlice(const CallScope &scope, const char *op, int64_t dim, std::optional<int64_t> start,
                          std::optional<int64_t> stop, int64_t step, const Shape &sizes) {
  if (sizes.empty()) fail<index_error>(scope, std::string(op) + ": a 0-d tensor has no dim to slice");
  dim = normalizeDim(scope, op, dim, sizes);
  if (step == 0) fail<value_error>(scope, std::string(op) + ": step must not be 0");
  const int64_t size = sizes[static_cast<size_t>(dim)];
  // Walking down, the legal positions are size - 1 ... 0 and the end before 0 is -1.
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  auto place = [&](std::optional<int64_t> v, int64_t omitted) {
    if (!v) return omitted;
    const int64_t wrapped = *v < 0 ? *v + size : *v;
    return std::clamp(wrapped, lowest, highest);
  };
  return {dim, place(start, step > 0 ? lowest : highest), place(stop, step > 0 ? highest : lowest), step};
}

} // namespace tensorjit
