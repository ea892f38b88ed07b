#include "CallArgs.h"

#include <nlohmann/json.hpp>

namespace tensorjit::run {

const Value &CallArgs::next() {
  if (next_ >= operands_.size()) throw not_supported("the case has only " + std::to_string(next_) + " operands");
  return operands_[next_++];
}

const Tensor &CallArgs::tensor() {
  if (auto *t = std::get_if<Tensor>(&next())) return *t;
  throw not_supported("operand " + std::to_string(next_ - 1) + " is not a tensor");
}

std::optional<Tensor> CallArgs::optionalTensor() {
  if (next_ >= operands_.size()) return std::nullopt;
  const Value &v = next();
  if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
  return std::get<Tensor>(v);
}

static std::vector<Tensor> tensorsOf(const Value &list) {
  if (!std::holds_alternative<List>(list)) throw not_supported("an operand is not a list");
  std::vector<Tensor> out;
  for (const Value &v : std::get<List>(list)) out.push_back(std::get<Tensor>(v));
  return out;
}

std::vector<Tensor> CallArgs::tensors() { return tensorsOf(next()); }

std::vector<std::vector<Tensor>> CallArgs::listsOfTensors() {
  std::vector<std::vector<Tensor>> out;
  for (const Value &list : std::get<List>(next())) out.push_back(tensorsOf(list));
  return out;
}

std::optional<Operand> CallArgs::optionalOperand() {
  if (next_ >= operands_.size()) return std::nullopt;
  const Value &v = next();
  if (std::holds_alternative<std::monostate>(v)) return std::nullopt;
  if (auto *t = std::get_if<Tensor>(&v)) return *t;
  return std::get<Scalar>(v);
}

Operand CallArgs::operand(const char *name) {
  if (has(name)) return scalarOf(attr(name));
  const Value &v = next();
  if (auto *t = std::get_if<Tensor>(&v)) return *t;
  if (auto *s = std::get_if<Scalar>(&v)) return *s;
  throw not_supported(std::string(name) + " is left out");
}

Scalar CallArgs::number(const char *name) {
  if (has(name)) return scalarOf(attr(name));
  if (auto *s = std::get_if<Scalar>(&next())) return *s;
  throw not_supported(std::string(name) + " is not a host number");
}

const char *CallArgs::find(const char *name) const {
  auto named = [&](const char *key) { return attrs_.contains(key) && !attrs_.at(key).is_null(); };
  if (named(name)) return name;
  // Where a record's name is not the one of torch's documentation.
  static constexpr std::pair<std::string_view, const char *> torchNames[] = {
      {"dims", "dim"}, {"kernel", "kernel_size"}, {"sizes", "size"}, {"sizes", "shape"}};
  for (auto [ours, torch] : torchNames)
    if (ours == name && named(torch)) return torch;
  return nullptr;
}

const nlohmann::json &CallArgs::attr(const char *name) {
  const char *key = find(name);
  if (!key) throw not_supported(std::string("the case does not name ") + name);
  taken_.insert(key);
  return attrs_.at(key);
}

bool CallArgs::isString(const char *name) const {
  const char *key = find(name);
  return key && attrs_.at(key).is_string();
}

bool CallArgs::isEmptyList(const char *name) { return has(name) && attr(name).is_array() && attr(name).empty(); }

std::vector<std::optional<int64_t>> CallArgs::optionalInts(const char *name) {
  const nlohmann::json &j = attr(name);
  std::vector<std::optional<int64_t>> all;
  for (const auto &item : j.is_array() ? j : nlohmann::json::array({j}))
    all.push_back(item.is_null() ? std::nullopt : std::optional(item.get<int64_t>()));
  return all;
}

void CallArgs::requireAllTaken() const {
  for (auto &[name, value] : attrs_.items())
    if (!value.is_null() && !taken_.contains(name)) throw not_supported("the function has no argument " + name);
  for (size_t i = next_; i < operands_.size(); ++i)
    if (!std::holds_alternative<std::monostate>(operands_[i]))
      throw not_supported("the function takes no operand " + std::to_string(i));
}

} // namespace tensorjit::run
