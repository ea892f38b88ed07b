#pragma once
#include "CallArgs.h"

#include <map>
#include <string>

namespace tensorjit::run {

/// Calls a public function with the arguments of a case; tuples and lists of results are flattened.
using Call = std::vector<Tensor> (*)(CallArgs &args);

/// The call of a function by its torch name; null when nothing of that name is built. Functions of op records come
/// from a generated table, those written by hand from `handwrittenCalls`.
Call findCall(const std::string &name);

/// Functions without a record of their own: creation, composites, optimizers, and the spellings of the cases that are
/// no function (`index`, `uniform`).
const std::map<std::string, Call> &handwrittenCalls();

inline std::vector<Tensor> flat(Tensor t) { return {std::move(t)}; }
inline std::vector<Tensor> flat(std::vector<Tensor> list) { return list; }
template <class... T> std::vector<Tensor> flat(std::tuple<T...> tuple) {
  return std::apply([](auto &...t) { return std::vector<Tensor>{t...}; }, tuple);
}

} // namespace tensorjit::run
