#pragma once
#include <cstdint>

namespace tensorjit {

/// A host number given to an op: bool, integer (kept as i64) or floating (kept as f64). It never widens the dtype
/// of a tensor inside its category (integer, floating).
class Scalar {
public:
  enum class Kind : uint8_t { Bool, Int, Float };
  Scalar(bool v) : kind_(Kind::Bool), int_(v) {}
  Scalar(int v) : kind_(Kind::Int), int_(v) {}
  Scalar(long v) : kind_(Kind::Int), int_(v) {}
  Scalar(long long v) : kind_(Kind::Int), int_(v) {}
  Scalar(float v) : kind_(Kind::Float), float_(v) {}
  Scalar(double v) : kind_(Kind::Float), float_(v) {}
  Kind kind() const { return kind_; }
  int64_t toInt() const { return kind_ == Kind::Float ? static_cast<int64_t>(float_) : int_; }
  double toDouble() const { return kind_ == Kind::Float ? float_ : static_cast<double>(int_); }

private:
  Kind kind_;
  union {
    int64_t int_;
    double float_;
  };
};

} // namespace tensorjit
