#include "RawTensor.h"
#include "core/HalfBits.h"
#include "tensorjit/data/safetensors.h"

#include <cstring>

namespace tensorjit::run {
namespace {

template <class T> T load(std::span<const std::byte> bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

} // namespace

double RawTensor::number(int64_t i) const {
  switch (dtype) {
  case DType::F64: return load<double>(bytes, i);
  case DType::F32: return static_cast<double>(load<float>(bytes, i));
  case DType::F16: return static_cast<double>(halfToFloat(load<uint16_t>(bytes, i)));
  case DType::BF16: return static_cast<double>(bfloatToFloat(load<uint16_t>(bytes, i)));
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

RawTensor raw(const TensorBase &t) {
  auto bytes = static_cast<size_t>(t.numel()) * itemSize(t.dtype());
  return {t.dtype(), t.sizes(), {static_cast<const std::byte *>(t.data_ptr()), bytes}};
}

CaseTensors::CaseTensors(const std::string &path) : path_(path) {
  data::SafetensorsFile file(path);
  for (const auto &entry : file.entries()) {
    auto &bytes = memory_[entry.name];
    bytes.resize(entry.end - entry.begin);
    file.read(entry, bytes.data());
    tensors_.emplace(entry.name, RawTensor{entry.dtype, entry.sizes, bytes});
  }
}

const RawTensor &CaseTensors::at(const std::string &name) const {
  auto found = tensors_.find(name);
  if (found == tensors_.end()) throw io_error(path_ + ": no tensor " + name);
  return found->second;
}

} // namespace tensorjit::run
