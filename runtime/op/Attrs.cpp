#include "op/OpInfo.h"

#include <algorithm>
#include <bit>

namespace tensorjit {

void Attrs::push(int64_t v) {
  if (overflow_.empty() && count_ < inlineWords) {
    inline_[count_++] = v;
    return;
  }
  if (overflow_.empty()) overflow_.assign(inline_, inline_ + count_);
  overflow_.push_back(v);
  ++count_;
}

void Attrs::addFloat(double v) { push(std::bit_cast<int64_t>(v)); }

void Attrs::addScalar(Scalar v) {
  push(static_cast<int64_t>(v.kind()));
  push(v.kind() == Scalar::Kind::Float ? std::bit_cast<int64_t>(v.toDouble()) : v.toInt());
}

bool operator==(const Attrs &a, const Attrs &b) { return std::ranges::equal(a.words(), b.words()); }

double AttrReader::number() { return std::bit_cast<double>(integer()); }

Scalar AttrReader::scalar() {
  const auto kind = static_cast<Scalar::Kind>(integer());
  const int64_t bits = integer();
  switch (kind) {
  case Scalar::Kind::Bool: return Scalar(bits != 0);
  case Scalar::Kind::Int: return Scalar(static_cast<long long>(bits));
  case Scalar::Kind::Float: break;
  }
  return Scalar(std::bit_cast<double>(bits));
}

Shape AttrReader::ints() {
  const auto count = static_cast<size_t>(integer());
  Shape list(words_.subspan(at_, count));
  at_ += count;
  return list;
}

} // namespace tensorjit
