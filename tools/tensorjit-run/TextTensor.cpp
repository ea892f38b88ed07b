#include "TextTensor.h"
#include "JsonValue.h"
#include "RawTensor.h"
#include "core/HalfBits.h"
#include "tensorjit/creation.h"
#include "tensorjit/data/npy.h"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace tensorjit::run {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class T> T parseNumber(std::string_view text) {
  T value{};
  if (text == "true" || text == "false") return static_cast<T>(text == "true");
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error("'" + std::string(text) + "' is not a number of this dtype");
  return value;
}

/// Writes one number at `to`.
void store(DType dtype, std::string_view text, std::byte *to) {
  auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
  switch (dtype) {
  case DType::Bool: return put(static_cast<uint8_t>(parseNumber<int>(text) != 0));
  case DType::U8: return put(parseNumber<uint8_t>(text));
  case DType::I8: return put(parseNumber<int8_t>(text));
  case DType::I16: return put(parseNumber<int16_t>(text));
  case DType::I32: return put(parseNumber<int32_t>(text));
  case DType::I64: return put(parseNumber<int64_t>(text));
  case DType::F32: return put(parseNumber<float>(text));
  case DType::F64: return put(parseNumber<double>(text));
  case DType::F16: return put(floatToHalf(parseNumber<float>(text)));
  case DType::BF16: return put(floatToBFloat(parseNumber<float>(text)));
  }
}

} // namespace

Tensor parseTensor(const std::string &text) {
  if (text.starts_with("@")) return data::read_npy(text.substr(1));
  size_t equals = text.find('=');
  if (equals == std::string::npos) throw Error("'" + text + "': expected 2x2xf32=1,2,3,4 or @file.npy");
  auto head = split(std::string_view(text).substr(0, equals), 'x');
  DType dtype = dtypeOf(std::string(head.back()));
  Shape sizes;
  for (size_t i = 0; i + 1 < head.size(); ++i) sizes.push_back(parseNumber<int64_t>(head[i]));

  Tensor t = empty(sizes, dtype);
  auto numbers = split(std::string_view(text).substr(equals + 1), ',');
  if (numbers.size() == 1 && numbers[0].empty()) numbers.clear();
  auto wanted = static_cast<size_t>(t.numel());
  if (numbers.size() != wanted && numbers.size() != 1)
    throw Error("'" + text + "': " + std::to_string(numbers.size()) + " numbers for " + std::to_string(wanted) +
                " elements");
  auto *to = static_cast<std::byte *>(t.data_ptr());
  for (size_t i = 0; i < wanted; ++i) store(dtype, numbers[numbers.size() == 1 ? 0 : i], to + i * itemSize(dtype));
  return t;
}

std::string formatTensor(const Tensor &t) {
  std::string out;
  for (int64_t s : t.sizes()) out.append(std::to_string(s)).append("x");
  out.append(name(t.dtype())).append("=");
  Tensor dense = t.contiguous();
  RawTensor elements = raw(dense);
  for (int64_t i = 0; i < t.numel(); ++i) {
    char buffer[40];
    if (isFloat(t.dtype()))
      std::snprintf(buffer, sizeof buffer, t.dtype() == DType::F64 ? "%.17g" : "%.9g", elements.number(i));
    else std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(elements.integer(i)));
    if (i) out += ',';
    out += buffer;
  }
  return out;
}

} // namespace tensorjit::run
