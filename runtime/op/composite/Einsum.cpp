// einsum: diagonals and sums of single operands, then one matrix product after another, from the left.
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "tensorjit/ops.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace tensorjit {

using dispatch::CallScope;
using dispatch::fail;

namespace {

using Labels = std::vector<int>; ///< a letter, or `ellipsis` plus the distance from the last dim that "..." stands for
constexpr int ellipsis = 256;

/// An equation as text: letters of each operand and of the result; '.' stands for "...".
struct Equation {
  std::vector<std::string> operands;
  std::optional<std::string> result;
};

struct Term {
  Tensor values;
  Labels labels; ///< one a dim
};

class Einsum {
public:
  Einsum(const CallScope &scope, const std::string &equation) : scope_(scope), text_(equation) {}
  Tensor run(const std::vector<Tensor> &operands);

private:
  template <class E> [[noreturn]] void refuse(const std::string &why) const {
    fail<E>(scope_, "einsum \"" + text_ + "\": " + why);
  }
  Equation parse() const;
  Labels labelsOf(const std::string &subscripts, size_t ellipsisDims) const;
  Term term(const Tensor &x, const std::string &subscripts, size_t number) const;
  Labels resultLabels(const Equation &equation, const std::vector<Term> &terms) const;
  std::string nameOf(int label) const {
    return label >= ellipsis ? "a dim of ..." : std::string("'") + static_cast<char>(label) + "'";
  }
  std::map<int, int64_t> commonSizes(const std::vector<Term> &terms) const;

  const CallScope &scope_;
  const std::string &text_;
};

bool has(const Labels &labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }

Term permuted(const Term &t, const Labels &order) {
  Shape dims;
  for (int label : order) dims.push_back(std::find(t.labels.begin(), t.labels.end(), label) - t.labels.begin());
  bool moves = false;
  for (size_t i = 0; i < dims.rank(); ++i) moves |= dims[i] != static_cast<int64_t>(i);
  return {moves ? permute(t.values, dims) : t.values, order};
}

/// Dims i and j become one, the last, that walks along both.
Term diagonalOf(const Term &t, size_t i, size_t j) {
  Labels labels(t.labels);
  labels.erase(labels.begin() + static_cast<ptrdiff_t>(j));
  labels.erase(labels.begin() + static_cast<ptrdiff_t>(i));
  labels.push_back(t.labels[i]);
  return {diagonal(t.values, 0, static_cast<int64_t>(i), static_cast<int64_t>(j)), labels};
}

/// Sums of the dims that `keep` does not name.
Term summed(const Term &t, const Labels &keep) {
  Shape dims;
  Labels labels;
  for (size_t d = 0; d < t.labels.size(); ++d)
    if (has(keep, t.labels[d])) labels.push_back(t.labels[d]);
    else dims.push_back(static_cast<int64_t>(d));
  return dims.empty() ? t : Term{sum(t.values, dims, false, t.values.dtype()), labels};
}

/// Both operands as [batch x rows x inner] and [batch x inner x columns].
Term contracted(const Term &a, const Term &b, const Labels &keep) {
  Labels batch, inner, rows, columns;
  for (int label : a.labels)
    if (!has(b.labels, label)) rows.push_back(label);
    else if (has(keep, label)) batch.push_back(label);
    else inner.push_back(label);
  for (int label : b.labels)
    if (!has(a.labels, label)) columns.push_back(label);
  Labels labels;
  Shape sizes;
  auto count = [&](const Term &t, const Labels &part, bool isKept) {
    Shape own;
    for (int label : part) {
      own.push_back(t.values.size(std::find(t.labels.begin(), t.labels.end(), label) - t.labels.begin()));
      if (!isKept) continue;
      labels.push_back(label);
      sizes.push_back(own.back());
    }
    return own.numel();
  };
  const int64_t n = count(a, batch, true), m = count(a, rows, true), c = count(b, columns, true);
  const int64_t k = count(a, inner, false);
  auto joined = [](const Labels &x, const Labels &y, const Labels &z) {
    Labels all(x);
    all.insert(all.end(), y.begin(), y.end());
    all.insert(all.end(), z.begin(), z.end());
    return all;
  };
  const Tensor left = permuted(a, joined(batch, rows, inner)).values;
  const Tensor right = permuted(b, joined(batch, inner, columns)).values;
  Tensor y;
  if (inner.empty()) y = mul(reshape(left, {n, m, 1}), reshape(right, {n, 1, c}));
  else if (batch.empty()) y = mm(reshape(left, {m, k}), reshape(right, {k, c}));
  else y = bmm(reshape(left, {n, m, k}), reshape(right, {n, k, c}));
  return {reshape(y, sizes), labels};
}

Equation Einsum::parse() const {
  Equation e;
  std::string part;
  bool isResult = false;
  for (size_t i = 0; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == ' ') continue;
    if (c == '-' && text_.compare(i, 2, "->") == 0 && !isResult) {
      e.operands.push_back(part);
      part.clear();
      isResult = true;
      ++i;
    } else if (c == ',' && !isResult) {
      e.operands.push_back(part);
      part.clear();
    } else if (c == '.' && text_.compare(i, 3, "...") == 0 && part.find('.') == std::string::npos) {
      part += c;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(c))) {
      part += c;
    } else {
      refuse<value_error>(std::string("unexpected '") + c + "' at position " + std::to_string(i));
    }
  }
  if (isResult) e.result = part;
  else e.operands.push_back(part);
  return e;
}

Labels Einsum::labelsOf(const std::string &subscripts, size_t ellipsisDims) const {
  Labels labels;
  for (char c : subscripts) {
    if (c != '.') labels.push_back(c);
    for (size_t i = ellipsisDims; c == '.' && i-- > 0;) labels.push_back(ellipsis + static_cast<int>(i));
  }
  return labels;
}

Term Einsum::term(const Tensor &x, const std::string &subscripts, size_t number) const {
  dispatch::requireDefined(scope_, "einsum", "an operand", x);
  const bool hasEllipsis = subscripts.find('.') != std::string::npos;
  const size_t letters = subscripts.size() - hasEllipsis, rank = x.sizes().rank();
  if (hasEllipsis ? rank < letters : rank != letters)
    refuse<shape_error>("operand " + std::to_string(number) + " " + x.sizes().str() + " has " + std::to_string(rank) +
                        " dims for " + std::to_string(letters) + " letters");
  Term t{x, labelsOf(subscripts, rank - letters)};
  for (size_t i = 0; i < t.labels.size(); ++i)
    for (size_t j = i + 1; j < t.labels.size(); ++j) {
      if (t.labels[i] != t.labels[j]) continue;
      const int64_t first = t.values.size(static_cast<int64_t>(i)), second = t.values.size(static_cast<int64_t>(j));
      if (first != second)
        refuse<shape_error>(nameOf(t.labels[i]) + " is " + std::to_string(first) + " and " + std::to_string(second) +
                            " in operand " + std::to_string(number));
      t = diagonalOf(t, i, j);
      i = static_cast<size_t>(-1); // the dims have moved
      break;
    }
  return t;
}

Labels Einsum::resultLabels(const Equation &equation, const std::vector<Term> &terms) const {
  std::map<int, int> occurrences;
  size_t ellipsisDims = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    for (char c : equation.operands[i])
      if (c != '.') ++occurrences[c];
    for (int label : terms[i].labels)
      if (label >= ellipsis) ellipsisDims = std::max(ellipsisDims, static_cast<size_t>(label - ellipsis) + 1);
  }
  if (!equation.result) {
    std::string once = ".";
    for (auto [label, count] : occurrences)
      if (count == 1) once += static_cast<char>(label);
    return labelsOf(once, ellipsisDims);
  }
  std::set<char> seen;
  for (char c : *equation.result) {
    if (c != '.' && !occurrences.contains(c)) refuse<value_error>(nameOf(c) + " of the result is in no operand");
    if (!seen.insert(c).second) refuse<value_error>(nameOf(c) + " occurs twice in the result");
  }
  return labelsOf(*equation.result, ellipsisDims);
}

std::map<int, int64_t> Einsum::commonSizes(const std::vector<Term> &terms) const {
  std::map<int, int64_t> sizes;
  for (const Term &t : terms)
    for (size_t d = 0; d < t.labels.size(); ++d) {
      const int64_t size = t.values.size(static_cast<int64_t>(d));
      int64_t &common = sizes.try_emplace(t.labels[d], size).first->second;
      if (common == 1) common = size;
      else if (size != 1 && size != common)
        refuse<shape_error>(nameOf(t.labels[d]) + " is " + std::to_string(common) + " and " + std::to_string(size));
    }
  return sizes;
}

Tensor Einsum::run(const std::vector<Tensor> &operands) {
  const Equation equation = parse();
  if (equation.operands.size() != operands.size())
    refuse<value_error>(std::to_string(equation.operands.size()) + " operands expected, got " +
                        std::to_string(operands.size()));
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) terms.push_back(term(operands[i], equation.operands[i], i));
  const Labels result = resultLabels(equation, terms);
  const auto sizes = commonSizes(terms);
  // A dim of size 1 that meets a longer one is the same at all of its positions.
  for (Term &t : terms)
    for (size_t d = t.labels.size(); d-- > 0;)
      if (t.values.size(static_cast<int64_t>(d)) != sizes.at(t.labels[d])) {
        t.values = squeeze(t.values, static_cast<int64_t>(d));
        t.labels.erase(t.labels.begin() + static_cast<ptrdiff_t>(d));
      }
  auto keptBeyond = [&](size_t last) { // what the result and later operands name
    Labels keep = result;
    for (size_t i = last + 1; i < terms.size(); ++i)
      keep.insert(keep.end(), terms[i].labels.begin(), terms[i].labels.end());
    return keep;
  };
  Term sofar = summed(terms[0], keptBeyond(0));
  for (size_t i = 1; i < terms.size(); ++i) {
    const Labels keep = keptBeyond(i);
    Labels wanted = keep;
    wanted.insert(wanted.end(), sofar.labels.begin(), sofar.labels.end());
    const Term next = summed(terms[i], wanted);
    Labels met = keep;
    met.insert(met.end(), next.labels.begin(), next.labels.end());
    sofar = contracted(summed(sofar, met), next, keep);
  }
  return permuted(sofar, result).values;
}

} // namespace

/// The dtype at which all operands meet.
static DType commonType(const CallScope &scope, const std::vector<Tensor> &operands) {
  DType type = operands[0].dtype();
  Tensor met = operands[0];
  for (const Tensor &x : operands) {
    const Operand a(met), b(x);
    type = dispatch::promote(scope, "einsum", {&a, &b});
    if (met.dtype() != type || met.dim() == 0) met = cast(x, type);
  }
  return type;
}

Tensor einsum(const std::string &equation, const std::vector<Tensor> &operands, SourceLocation loc) {
  const CallScope scope(loc);
  if (operands.empty()) fail<value_error>(scope, "einsum: at least one operand expected");
  for (const Tensor &x : operands) dispatch::requireDefined(scope, "einsum", "an operand", x);
  const DType type = commonType(scope, operands);
  std::vector<Tensor> terms;
  for (const Tensor &x : operands) terms.push_back(dispatch::widened(cast(x, type), scope));
  const Tensor y = Einsum(scope, equation).run(terms);
  return isHalf(type) ? dispatch::narrowed(y, type, scope) : y;
}

} // namespace tensorjit
