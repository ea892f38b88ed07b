#pragma once
#include "tensorjit/data/safetensors_entry.h"
#include "tensorjit/ordered_dict.h"
#include "tensorjit/tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tensorjit {

class FileReader;

namespace data {

/// A safetensors file (https://huggingface.co/docs/safetensors): named tensors, read one by one from their places. The
/// whole header is checked when the file is opened: known dtypes, at most 8 dims, tensors that fill the file without
/// gap or overlap.
class SafetensorsFile {
public:
  using Entry = SafetensorsEntry;

  /// Throws `io_error` with the path and the reason for a file that is missing, damaged or foreign.
  explicit SafetensorsFile(const std::string &path);
  ~SafetensorsFile();

  /// In the order of their places in the file.
  const std::vector<Entry> &entries() const { return entries_; }
  const std::map<std::string, std::string> &metadata() const { return metadata_; }
  /// Throws `io_error` where there is no tensor of this name.
  const Entry &at(const std::string &name) const;
  /// Copies the elements as they are in the file, little-endian and row-major, into `end - begin` bytes.
  void read(const Entry &entry, void *into) const;
  /// Throws `not_supported` for a dtype that the library does not compute with.
  Tensor tensor(const Entry &entry) const;

private:
  std::unique_ptr<FileReader> file_;
  std::vector<Entry> entries_;
  std::map<std::string, std::string> metadata_;
};

/// All tensors of a file. Throws as `SafetensorsFile` does.
OrderedDict<Tensor> read_safetensors(const std::string &path);

/// Writes the tensors, dense and row-major, by way of a temporary name: `path` keeps its old contents where anything
/// fails. Throws `io_error`, and `value_error` for a name that is taken twice, empty or "__metadata__".
void write_safetensors(const std::string &path, const OrderedDict<Tensor> &tensors,
                       const std::map<std::string, std::string> &metadata = {});

} // namespace data
} // namespace tensorjit
