#pragma once
/// What the runtime knows of an op: one `OpInfo` a record of dialects/tensor/ops, generated at build time.
#include "tensorjit/dtype.h"
#include "tensorjit/scalar.h"
#include "tensorjit/shape.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tensorjit {

/// Names an op. The enumerators are generated and live in op/OpId.h.
enum class OpId : uint16_t;

struct TensorType {
  DType dtype = DType::F32;
  Shape sizes;
  friend bool operator==(const TensorType &, const TensorType &) = default;
};

/// Attributes of a call, as one sequence of 64-bit words in the order of the op's record: an integer, bool or
/// dtype is a word; a float its f64 bits; a host scalar its kind, then its bits; a list its length, then its elements.
/// Two calls have the same attributes exactly when the words are equal.
class Attrs {
public:
  Attrs() = default;
  void addInt(int64_t v) { push(v); }
  void addFloat(double v);
  void addScalar(Scalar v);
  void addDType(DType t) { push(static_cast<int64_t>(t)); }
  void addInts(std::span<const int64_t> v) {
    push(static_cast<int64_t>(v.size()));
    for (int64_t x : v) push(x);
  }
  std::span<const int64_t> words() const { return {overflow_.empty() ? inline_ : overflow_.data(), count_}; }
  friend bool operator==(const Attrs &a, const Attrs &b);

private:
  void push(int64_t v);
  static constexpr size_t inlineWords = 8;
  int64_t inline_[inlineWords];
  std::vector<int64_t> overflow_;
  size_t count_ = 0;
};

/// Reads attributes back in record order.
class AttrReader {
public:
  explicit AttrReader(const Attrs &a) : words_(a.words()) {}
  int64_t integer() { return words_[at_++]; }
  bool boolean() { return integer() != 0; }
  DType dtype() { return static_cast<DType>(integer()); }
  double number();
  Scalar scalar();
  Shape ints();

private:
  std::span<const int64_t> words_;
  size_t at_ = 0;
};

enum class AttrKind : uint8_t { Int, Bool, Float, Scalar, DType, Ints };
struct AttrSpec {
  const char *name;
  AttrKind kind;
};

/// The largest numbers of any op's record; a record beyond them does not build.
inline constexpr size_t mostOperands = 12, mostResults = 3;

/// OPS families: what a lowering or a dispatcher may assume of the op.
enum class OpFamily : uint8_t { Pointwise, View, Shape, Reduction, Contraction, Window, Loss, Creation, Optimizer };
/// Promise about bits: exact, math (a scalar function's own error), tolerance.
enum class OpClass : uint8_t { E, M, T };

/// What an op with index checks looks at: the values of one operand are positions along a dim of another.
struct IndexCheckRule {
  int8_t operand = 0;
  int8_t of = 0;         ///< -1: none; the op's first attribute is the bound
  int8_t dim = 0;        ///< -1: the op's first attribute says it
  const char *name = ""; ///< of the checked operand
};

struct EagerCall; // eager/EagerCall.h
struct VjpCall;   // autograd/Vjp.h

struct OpInfo {
  const char *name; ///< dialect mnemonic: "conv"
  OpFamily family;
  OpClass cls;
  uint8_t numResults;
  uint8_t minOperands, maxOperands; ///< they differ where operands at the end may be left out
  bool checksIndex;                 ///< may raise index_error from the values of a tensor; never removed as dead
  IndexCheckRule indexCheck;
  bool isView; ///< eager result aliases operand 0
  std::span<const AttrSpec> attrs;
  /// Result types of operands that are already promoted. Throws the op's shape_error, type_error or value_error,
  /// the text without a source line (the caller adds it).
  void (*infer)(std::span<const TensorType> operands, const Attrs &attrs, std::span<TensorType> results);
  void (*eager)(const EagerCall &call);
  void (*vjp)(VjpCall &call); ///< null where the record says NoVjp
  const char *noVjpReason;
  /// What the vjp reads, in the order of `VjpCall::saved`: operand i as i, result j as -1 - j.
  std::span<const int8_t> saves;
};

const OpInfo &info(OpId op);
/// Size of the dim that bounds the checked positions of a call.
int64_t indexBound(const OpInfo &op, std::span<const TensorType> operands, const Attrs &attrs);
/// The op of a dialect mnemonic.
std::optional<OpId> opByName(std::string_view name);
/// Every op, family by family.
std::span<const OpId> allOps();

} // namespace tensorjit
