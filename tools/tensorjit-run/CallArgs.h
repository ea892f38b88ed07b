#pragma once
#include "JsonValue.h"
#include "tensorjit/ops.h"

#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace tensorjit::run {

/// An argument of a case: nothing, a tensor, a host number, or a list.
struct Value;
using List = std::vector<Value>;
struct Value : std::variant<std::monostate, Tensor, Scalar, List> {
  using variant::variant;
};

/// The arguments of one call by the names of the op's record: operands come in order, all others by name.
class CallArgs {
public:
  /// Refers to both.
  CallArgs(const List &operands, const nlohmann::json &attrs) : operands_(operands), attrs_(attrs) {}

  /// The next operand, which must be a tensor.
  const Tensor &tensor();
  std::optional<Tensor> optionalTensor();
  std::vector<Tensor> tensors();
  std::vector<std::vector<Tensor>> listsOfTensors();
  /// The next operand, or none where it is left out.
  std::optional<Operand> optionalOperand();
  /// A tensor or host number: by name where the case names it, else the next operand.
  Operand operand(const char *name);
  Operand operand(const char *name, Scalar fallback) { return given(name) ? operand(name) : Operand(fallback); }
  /// The same, where the function takes a host number only.
  Scalar number(const char *name);
  Scalar number(const char *name, Scalar fallback) { return given(name) ? number(name) : fallback; }

  /// An attribute that the case must, or may, name.
  template <class T> T get(const char *name) { return fromJson<T>(attr(name), name); }
  template <class T> T get(const char *name, T fallback) { return has(name) ? get<T>(name) : std::move(fallback); }
  template <class T> std::optional<T> optional(const char *name) {
    return has(name) ? std::optional<T>(get<T>(name)) : std::nullopt;
  }
  bool has(const char *name) const { return find(name) != nullptr; }
  bool isString(const char *name) const;
  /// Takes the attribute where it is an empty list.
  bool isEmptyList(const char *name);
  /// A list of integers and nulls, or one integer.
  std::vector<std::optional<int64_t>> optionalInts(const char *name);

  /// Throws `not_supported` where an argument has not been taken: the function that is built has none of that name.
  void requireAllTaken() const;

private:
  const Value &next();
  bool given(const char *name) const { return has(name) || next_ < operands_.size(); }
  /// The key under which the case names the argument: the record's name or torch's; null when it does not.
  const char *find(const char *name) const;
  const nlohmann::json &attr(const char *name);

  const List &operands_;
  const nlohmann::json &attrs_;
  size_t next_ = 0;
  std::set<std::string> taken_;
};

} // namespace tensorjit::run
