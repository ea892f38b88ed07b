#include "CallArgs.h"

#include <limits>

namespace tensorjit::run {

Scalar scalarOf(const nlohmann::json &j) {
  if (j.is_boolean()) return Scalar(j.get<bool>());
  if (j.is_number_integer()) return Scalar(static_cast<long long>(j.get<int64_t>()));
  if (j.is_number_float()) return Scalar(j.get<double>());
  auto text = j.at("f").get<std::string>();
  if (text == "nan") return Scalar(std::numeric_limits<double>::quiet_NaN());
  return Scalar(text == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity());
}

DType dtypeOf(const std::string &text) {
  for (auto t : {DType::Bool, DType::U8, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::BF16,
                 DType::F32, DType::F64})
    if (text == name(t)) return t;
  throw Error("no dtype is called " + text);
}

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

void CallArgs::requireAllTaken() const {
  for (auto &[name, value] : attrs_.items())
    if (!value.is_null() && !taken_.contains(name)) throw not_supported("the function has no argument " + name);
  for (size_t i = next_; i < operands_.size(); ++i)
    if (!std::holds_alternative<std::monostate>(operands_[i]))
      throw not_supported("the function takes no operand " + std::to_string(i));
}

template <> int64_t CallArgs::convert(const nlohmann::json &j) { return j.get<int64_t>(); }
template <> double CallArgs::convert(const nlohmann::json &j) { return scalarOf(j).toDouble(); }
template <> std::vector<double> CallArgs::convert(const nlohmann::json &j) { return j.get<std::vector<double>>(); }
template <> bool CallArgs::convert(const nlohmann::json &j) { return j.get<bool>(); }
template <> std::string CallArgs::convert(const nlohmann::json &j) { return j.get<std::string>(); }
template <> DType CallArgs::convert(const nlohmann::json &j) { return dtypeOf(j.get<std::string>()); }
template <> Scalar CallArgs::convert(const nlohmann::json &j) { return scalarOf(j); }
template <> Shape CallArgs::convert(const nlohmann::json &j) {
  if (j.is_number()) return {j.get<int64_t>()};
  return Shape(j.get<std::vector<int64_t>>());
}
template <> Dims CallArgs::convert(const nlohmann::json &j) { return convert<Shape>(j); }
template <> IntPair CallArgs::convert(const nlohmann::json &j) {
  auto values = convert<Shape>(j);
  if (values.rank() == 1) return IntPair(values[0]);
  if (values.rank() != 2) throw not_supported("a list of " + std::to_string(values.rank()) + " for two dims");
  return {values[0], values[1]};
}
template <> Reduction CallArgs::convert(const nlohmann::json &j) {
  if (j == "mean") return Reduction::Mean;
  if (j == "sum") return Reduction::Sum;
  if (j == "none") return Reduction::None;
  if (j == "batchmean") throw not_supported("reduction batchmean");
  throw value_error("no reduction is called " + j.dump()); // the enumeration has no such value
}

} // namespace tensorjit::run
