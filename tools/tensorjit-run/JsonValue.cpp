#include "JsonValue.h"
#include "tensorjit/error.h"
#include "tensorjit/shape.h"

#include <limits>
#include <nlohmann/json.hpp>

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

template <class T> static T convert(const nlohmann::json &j);

template <> int64_t convert(const nlohmann::json &j) {
  return j.is_array() && j.size() == 1 ? j[0].get<int64_t>() : j.get<int64_t>();
}
template <> double convert(const nlohmann::json &j) { return scalarOf(j).toDouble(); }
template <> std::vector<double> convert(const nlohmann::json &j) {
  return j.is_number() ? std::vector{j.get<double>()} : j.get<std::vector<double>>();
}
template <> bool convert(const nlohmann::json &j) { return j.get<bool>(); }
template <> std::string convert(const nlohmann::json &j) { return j.get<std::string>(); }
template <> DType convert(const nlohmann::json &j) { return dtypeOf(j.get<std::string>()); }
template <> Scalar convert(const nlohmann::json &j) { return scalarOf(j); }
template <> Shape convert(const nlohmann::json &j) {
  if (j.is_number()) return {j.get<int64_t>()};
  return Shape(j.get<std::vector<int64_t>>());
}
template <> Dims convert(const nlohmann::json &j) { return convert<Shape>(j); }
template <> IntPair convert(const nlohmann::json &j) {
  auto values = convert<Shape>(j);
  if (values.rank() == 1) return IntPair(values[0]);
  if (values.rank() != 2) throw not_supported("a list of " + std::to_string(values.rank()) + " for two dims");
  return {values[0], values[1]};
}
template <> Reduction convert(const nlohmann::json &j) {
  if (j == "mean") return Reduction::Mean;
  if (j == "sum") return Reduction::Sum;
  if (j == "none") return Reduction::None;
  if (j == "batchmean") throw not_supported("reduction batchmean");
  throw value_error("no reduction is called " + j.dump()); // the enumeration has no such value
}

template <class T> T fromJson(const nlohmann::json &j, const char *name) {
  try {
    return convert<T>(j);
  } catch (const nlohmann::json::type_error &) {
    throw not_supported(std::string(name) + " in this form");
  }
}

template int64_t fromJson(const nlohmann::json &, const char *);
template double fromJson(const nlohmann::json &, const char *);
template std::vector<double> fromJson(const nlohmann::json &, const char *);
template bool fromJson(const nlohmann::json &, const char *);
template std::string fromJson(const nlohmann::json &, const char *);
template DType fromJson(const nlohmann::json &, const char *);
template Scalar fromJson(const nlohmann::json &, const char *);
template Shape fromJson(const nlohmann::json &, const char *);
template IntPair fromJson(const nlohmann::json &, const char *);
template Reduction fromJson(const nlohmann::json &, const char *);
template Dims fromJson(const nlohmann::json &, const char *);

} // namespace tensorjit::run
