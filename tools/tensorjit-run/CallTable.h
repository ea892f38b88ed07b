#pragma once
#include "CallArgs.h"

#include <concepts>
#include <span>
#include <string>

namespace tensorjit::run {

/// Calls a public function with the arguments of a case; tuples and lists of results are flattened. A function that
/// takes nothing but tensors is called by its address: the code that takes the arguments is then compiled once.
class Call {
public:
  using Body = std::vector<Tensor> (*)(CallArgs &args);
  using Unary = Tensor (*)(const Tensor &, SourceLocation);
  using Binary = Tensor (*)(const Operand &, const Operand &, SourceLocation);
  using UnaryInPlace = Tensor &(Tensor::*)(SourceLocation);
  using BinaryInPlace = Tensor &(Tensor::*)(const Operand &, SourceLocation);

  /// Of the operands that it takes by name, a binary function has `names`.
  struct Names {
    const char *first, *second;
  };
  template <std::convertible_to<Body> F> Call(F body) : function_(static_cast<Body>(body)) {}
  Call(Unary f) : function_(f) {}
  Call(UnaryInPlace f) : function_(f) {}
  Call(Binary f, Names names) : function_(f), names_(names) {}
  Call(BinaryInPlace f, Names names) : function_(f), names_(names) {}

  std::vector<Tensor> operator()(CallArgs &args) const;

private:
  std::variant<Body, Unary, Binary, UnaryInPlace, BinaryInPlace> function_;
  Names names_{};
};

/// The call of a function by its torch name; null when nothing of that name is built. Functions of op records come
/// from a generated table, those written by hand from `handwrittenCalls`.
const Call *findCall(const std::string &name);

struct NamedCall {
  const char *name;
  Call call;
};

/// Functions without a record of their own: creation, composites, optimizers, and the spellings of the cases that are
/// no function (`index`, `uniform`).
std::span<const NamedCall> handwrittenCalls();

inline std::vector<Tensor> flat(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> flat(std::vector<Tensor> list) { return list; }
template <class... T> std::vector<Tensor> flat(std::tuple<T...> tuple) {
  return std::apply([](auto &...t) { return std::vector<Tensor>{t...}; }, tuple);
}

} // namespace tensorjit::run
