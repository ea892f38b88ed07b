#include "data/SafetensorsHeader.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace tensorjit::data {

using nlohmann::json;

namespace {

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

SafetensorsEntry parseEntry(const std::string &name, const json &j, uint64_t start, uint64_t fileSize) {
  SafetensorsEntry entry{name, {}, {}, 0, 0};
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

/// In order of their places, side by side to the end of the file.
void checkPlaces(std::vector<SafetensorsEntry> &entries, uint64_t start, uint64_t fileSize) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto &a, const auto &b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
  uint64_t at = start;
  for (const SafetensorsEntry &e : entries) {
    if (e.begin < at) throw io_error("tensor '" + e.name + "' overlaps the one before it");
    if (e.begin > at) throw io_error("there is a gap before tensor '" + e.name + "'");
    at = e.end;
  }
  if (at != fileSize) throw io_error("it has " + std::to_string(fileSize - at) + " bytes behind the last tensor");
}

} // namespace

SafetensorsHeader parseSafetensorsHeader(const std::string &text, uint64_t start, uint64_t fileSize) {
  SafetensorsHeader header;
  std::string where;
  try {
    const json all = parseStrict(text);
    if (!all.is_object()) throw io_error("it is not an object");
    for (const auto &[name, j] : all.items()) {
      where = name;
      if (name == "__metadata__") header.metadata = j.get<std::map<std::string, std::string>>();
      else header.entries.push_back(parseEntry(name, j, start, fileSize));
    }
  } catch (const std::exception &e) { // JSON's own and ours: shapes that overflow, numbers out of range
    throw io_error("bad header" + (where.empty() ? "" : ", tensor '" + where + "'") + ": " + e.what());
  }
  checkPlaces(header.entries, start, fileSize);
  return header;
}

std::string safetensorsHeaderText(const SafetensorsHeader &header) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) all["__metadata__"] = header.metadata;
  for (const SafetensorsEntry &e : header.entries) {
    const auto *type =
        std::find_if(std::begin(typeNames), std::end(typeNames), [&](auto &n) { return n.dtype == e.dtype; });
    all[e.name] = {{"dtype", type->name},
                   {"shape", std::vector<int64_t>(e.sizes.begin(), e.sizes.end())},
                   {"data_offsets", {e.begin, e.end}}};
  }
  try {
    return all.dump();
  } catch (const json::exception &) {
    throw value_error("write_safetensors: a name or the metadata is not UTF-8");
  }
}

} // namespace tensorjit::data
