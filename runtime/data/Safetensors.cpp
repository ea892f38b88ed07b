#include "tensorjit/data/safetensors.h"
#include "core/TensorAccess.h"
#include "file/FileReader.h"
#include "file/FileWriter.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace tensorjit::data {

using nlohmann::json;

namespace {

constexpr uint64_t mostHeaderBytes = 100'000'000; // as in the format's own reader

struct TypeName {
  const char *name;
  DType dtype;
};
constexpr TypeName typeNames[] = {
    {"BOOL", DType::Bool}, {"U8", DType::U8},   {"I8", DType::I8},     {"I16", DType::I16}, {"I32", DType::I32},
    {"I64", DType::I64},   {"F16", DType::F16}, {"BF16", DType::BF16}, {"F32", DType::F32}, {"F64", DType::F64}};

/// JSON with an object that has a key twice is refused: readers would disagree on which one counts.
json parseStrict(const std::string &text) {
  std::vector<std::set<std::string>> keys;
  return json::parse(text, [&](int, json::parse_event_t event, json &value) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw io_error("the key '" + value.get<std::string>() + "' stands twice");
    return true;
  });
}

uint64_t naturalNumber(const json &j) {
  if (!j.is_number_unsigned() || j.get<uint64_t>() > uint64_t(1) << 62) throw io_error("bad number " + j.dump());
  return j.get<uint64_t>();
}

SafetensorsFile::Entry parseEntry(const std::string &name, const json &j, uint64_t start, uint64_t fileSize) {
  SafetensorsFile::Entry entry{name, {}, {}, 0, 0};
  const auto dtype = j.at("dtype").get<std::string>();
  const auto *type = std::find_if(std::begin(typeNames), std::end(typeNames), [&](auto &t) { return dtype == t.name; });
  if (type == std::end(typeNames)) throw io_error("dtype " + dtype + " is not supported");
  entry.dtype = type->dtype;
  for (const json &size : j.at("shape")) {
    if (entry.sizes.rank() == Shape::maxRank) throw io_error("more than 8 dims");
    entry.sizes.push_back(static_cast<int64_t>(naturalNumber(size)));
  }
  if (j.at("data_offsets").size() != 2) throw io_error("data_offsets are not two numbers");
  const uint64_t begin = naturalNumber(j["data_offsets"][0]), end = naturalNumber(j["data_offsets"][1]);
  if (begin > end || end > fileSize - start) throw io_error("it lies outside the file, which may be truncated");
  const auto numel = static_cast<uint64_t>(entry.sizes.numel());
  uint64_t bytes;
  if (__builtin_mul_overflow(numel, itemSize(entry.dtype), &bytes) || bytes != end - begin)
    throw io_error(entry.sizes.str() + " of " + dtype + " does not have " + std::to_string(end - begin) + " bytes");
  entry.begin = start + begin;
  entry.end = start + end;
  return entry;
}

} // namespace

SafetensorsFile::SafetensorsFile(const std::string &path) : file_(std::make_unique<FileReader>(path)) {
  if (file_->size() < 8) file_->fail("truncated: not a safetensors file");
  unsigned char length[8];
  file_->read(0, std::as_writable_bytes(std::span(length)));
  uint64_t headerBytes = 0;
  for (int i = 8; i-- > 0;) headerBytes = headerBytes << 8 | length[i];
  if (headerBytes > mostHeaderBytes)
    file_->fail("not a safetensors file: a header of " + std::to_string(headerBytes) + " bytes");
  if (headerBytes > file_->size() - 8) file_->fail("truncated header");
  std::string header(headerBytes, '\0');
  file_->read(8, std::as_writable_bytes(std::span(header)));
  parse(header, 8 + headerBytes);
}

SafetensorsFile::~SafetensorsFile() = default;

void SafetensorsFile::parse(const std::string &header, uint64_t start) {
  std::string where;
  try {
    const json all = parseStrict(header);
    if (!all.is_object()) throw io_error("it is not an object");
    for (const auto &[name, j] : all.items()) {
      where = name;
      if (name == "__metadata__") metadata_ = j.get<std::map<std::string, std::string>>();
      else entries_.push_back(parseEntry(name, j, start, file_->size()));
    }
  } catch (const std::exception &e) { // JSON's own and ours: shapes that overflow, numbers out of range
    file_->fail("bad header" + (where.empty() ? "" : ", tensor '" + where + "'") + ": " + e.what());
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t at = start;
  for (const Entry &e : entries_) {
    if (e.begin < at) file_->fail("tensor '" + e.name + "' overlaps the one before it");
    if (e.begin > at) file_->fail("there is a gap before tensor '" + e.name + "'");
    at = e.end;
  }
  if (at != file_->size())
    file_->fail("it has " + std::to_string(file_->size() - at) + " bytes behind the last tensor");
}

const SafetensorsFile::Entry &SafetensorsFile::at(const std::string &name) const {
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.name == name; });
  if (found == entries_.end()) file_->fail("no tensor '" + name + "'");
  return *found;
}

void SafetensorsFile::read(const Entry &entry, void *into) const {
  file_->read(entry.begin, {static_cast<std::byte *>(into), entry.end - entry.begin});
}

Tensor SafetensorsFile::tensor(const Entry &entry) const {
  checkDType(entry.dtype);
  Tensor t = allocateTensor(entry.dtype, entry.sizes);
  auto *data = static_cast<uint8_t *>(viewOf(t).data);
  read(entry, data);
  if (entry.dtype == DType::Bool)
    for (uint64_t i = 0; i < entry.end - entry.begin; ++i) data[i] = data[i] != 0;
  return t;
}

OrderedDict<Tensor> read_safetensors(const std::string &path) {
  SafetensorsFile file(path);
  OrderedDict<Tensor> tensors;
  for (const auto &entry : file.entries()) tensors.insert(entry.name, file.tensor(entry));
  return tensors;
}

void write_safetensors(const std::string &path, const OrderedDict<Tensor> &tensors,
                       const std::map<std::string, std::string> &metadata) {
  std::vector<const OrderedDict<Tensor>::Item *> order;
  std::set<std::string> names;
  for (const auto &item : tensors) {
    if (item.name.empty() || item.name == "__metadata__" || !names.insert(item.name).second)
      throw value_error("write_safetensors: '" + item.name + "' cannot name a tensor, or names two");
    checkDefined(item.held, "write_safetensors");
    trace::materialise(item.held, "write_safetensors", SourceLocation::current());
    order.push_back(&item);
  }
  // Wide elements first: each tensor is then aligned to its own elements.
  std::stable_sort(order.begin(), order.end(),
                   [](auto *a, auto *b) { return itemSize(a->held.dtype()) > itemSize(b->held.dtype()); });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t at = 0;
  for (const auto *item : order) {
    const Tensor &t = item->held;
    const auto *type =
        std::find_if(std::begin(typeNames), std::end(typeNames), [&](auto &n) { return n.dtype == t.dtype(); });
    const uint64_t bytes = static_cast<uint64_t>(t.numel()) * itemSize(t.dtype());
    header[item->name] = {{"dtype", type->name},
                          {"shape", std::vector<int64_t>(t.sizes().begin(), t.sizes().end())},
                          {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception &) {
    throw value_error("write_safetensors: a name or the metadata is not UTF-8");
  }
  text.append((64 - (8 + text.size()) % 64) % 64, ' '); // data starts at a multiple of 64 bytes
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(static_cast<uint64_t>(text.size()) >> 8 * i);

  FileWriter out(path);
  out.write(length + text);
  for (const auto *item : order) {
    const trace::SuspendRecording eager;
    const Tensor dense = item->held.detach().cpu().contiguous();
    const TensorView view = viewOf(dense);
    out.write(
        {static_cast<const std::byte *>(view.data), static_cast<size_t>(dense.numel()) * itemSize(dense.dtype())});
  }
  out.commit();
}

} // namespace tensorjit::data
