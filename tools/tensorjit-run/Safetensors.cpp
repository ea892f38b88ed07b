#include "Safetensors.h"
#include "tensorjit/creation.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tensorjit::run {
namespace {

template <class T> T load(std::span<const std::byte> bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

float fromHalf(uint16_t h) {
  uint32_t sign = uint32_t{h} >> 15 << 31, exponent = h >> 10 & 31, mantissa = h & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  float value = static_cast<float>(mantissa) * 0x1p-24f;
  return sign ? -value : value;
}

DType dtypeOf(const std::string &name) {
  static const std::map<std::string, DType> types{
      {"BOOL", DType::Bool}, {"U8", DType::U8},   {"I8", DType::I8},     {"I16", DType::I16}, {"I32", DType::I32},
      {"I64", DType::I64},   {"F16", DType::F16}, {"BF16", DType::BF16}, {"F32", DType::F32}, {"F64", DType::F64}};
  auto found = types.find(name);
  if (found == types.end()) throw io_error("unknown dtype " + name);
  return found->second;
}

} // namespace

double RawTensor::number(int64_t i) const {
  switch (dtype) {
  case DType::F64: return load<double>(bytes, i);
  case DType::F32: return static_cast<double>(load<float>(bytes, i));
  case DType::F16: return static_cast<double>(fromHalf(load<uint16_t>(bytes, i)));
  case DType::BF16: return static_cast<double>(std::bit_cast<float>(uint32_t{load<uint16_t>(bytes, i)} << 16));
  default: return static_cast<double>(integer(i));
  }
}

int64_t RawTensor::integer(int64_t i) const {
  switch (dtype) {
  case DType::Bool:
  case DType::U8: return load<uint8_t>(bytes, i);
  case DType::I8: return load<int8_t>(bytes, i);
  case DType::I16: return load<int16_t>(bytes, i);
  case DType::I32: return load<int32_t>(bytes, i);
  case DType::I64: return load<int64_t>(bytes, i);
  default: return static_cast<int64_t>(number(i));
  }
}

RawTensor raw(const Tensor &t) {
  auto bytes = static_cast<size_t>(t.numel()) * itemSize(t.dtype());
  return {t.dtype(), t.sizes(), {static_cast<const std::byte *>(t.data_ptr()), bytes}};
}

Tensor toTensor(const RawTensor &raw) {
  Tensor t = empty(raw.sizes, raw.dtype);
  if (!raw.bytes.empty()) std::memcpy(t.data_ptr(), raw.bytes.data(), raw.bytes.size());
  return t;
}

SafetensorsFile::SafetensorsFile(const std::string &path) : path_(path) {
  auto fail = [&](const std::string &reason) { throw io_error(path + ": " + reason); };
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) fail("cannot be opened");
  bytes_.resize(static_cast<size_t>(in.tellg()));
  in.seekg(0).read(reinterpret_cast<char *>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
  if (!in) fail("cannot be read");
  if (bytes_.size() < 8) fail("truncated");
  auto headerBytes = load<uint64_t>(bytes_, 0);
  if (headerBytes > bytes_.size() - 8) fail("truncated header");
  std::span<const std::byte> content = std::span<const std::byte>(bytes_).subspan(8 + headerBytes);
  try {
    auto *text = reinterpret_cast<const char *>(bytes_.data()) + 8;
    const auto header = nlohmann::json::parse(text, text + headerBytes);
    for (auto &[name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      RawTensor t{dtypeOf(entry.at("dtype")), Shape(entry.at("shape").get<std::vector<int64_t>>()), {}};
      auto offsets = entry.at("data_offsets").get<std::array<uint64_t, 2>>();
      auto size = static_cast<uint64_t>(t.numel()) * itemSize(t.dtype);
      if (offsets[0] > offsets[1] || offsets[1] > content.size() || offsets[1] - offsets[0] != size)
        fail("tensor " + name + " lies outside the file");
      t.bytes = content.subspan(offsets[0], size);
      tensors_.emplace(name, t);
    }
  } catch (const nlohmann::json::exception &e) {
    fail(std::string("bad header: ") + e.what());
  }
}

const RawTensor &SafetensorsFile::at(const std::string &name) const {
  auto found = tensors_.find(name);
  if (found == tensors_.end()) throw io_error(path_ + ": no tensor " + name);
  return found->second;
}

} // namespace tensorjit::run
