#pragma once
/// The JSON of a safetensors file. Apart from the tensors: the JSON library takes ten seconds to compile.
#include "tensorjit/data/safetensors_entry.h"

#include <map>
#include <string>
#include <vector>

namespace tensorjit::data {

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;
  std::map<std::string, std::string> metadata;
};

/// Reads a header. Bytes of tensors begin at `start` of a file of `fileSize` bytes; entries come in the order of their
/// places. Throws `io_error`, without the path, for anything but known dtypes, at most 8 dims and tensors that fill the
/// file without gap or overlap.
SafetensorsHeader parseSafetensorsHeader(const std::string &text, uint64_t start, uint64_t fileSize);

/// The JSON of a header whose entries' bytes count from the first tensor's. Throws `value_error` where a name or the
/// metadata is not UTF-8.
std::string safetensorsHeaderText(const SafetensorsHeader &header);

} // namespace tensorjit::data
