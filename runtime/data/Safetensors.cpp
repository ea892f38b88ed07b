#include "tensorjit/data/safetensors.h"
#include "core/TensorAccess.h"
#include "data/SafetensorsHeader.h"
#include "file/FileReader.h"
#include "file/FileWriter.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace tensorjit::data {

SafetensorsFile::SafetensorsFile(const std::string &path) : file_(std::make_unique<FileReader>(path)) {
  if (file_->size() < 8) file_->fail("truncated: not a safetensors file");
  unsigned char length[8];
  file_->read(0, std::as_writable_bytes(std::span(length)));
  uint64_t headerBytes = 0;
  for (int i = 8; i-- > 0;) headerBytes = headerBytes << 8 | length[i];
  constexpr uint64_t mostHeaderBytes = 100'000'000; // as in the format's own reader
  if (headerBytes > mostHeaderBytes)
    file_->fail("not a safetensors file: a header of " + std::to_string(headerBytes) + " bytes");
  if (headerBytes > file_->size() - 8) file_->fail("truncated header");
  std::string text(headerBytes, '\0');
  file_->read(8, std::as_writable_bytes(std::span(text)));
  try {
    SafetensorsHeader header = parseSafetensorsHeader(text, 8 + headerBytes, file_->size());
    entries_ = std::move(header.entries);
    metadata_ = std::move(header.metadata);
  } catch (const io_error &e) {
    file_->fail(e.what());
  }
}

SafetensorsFile::~SafetensorsFile() = default;

const SafetensorsFile::Entry &SafetensorsFile::at(const std::string &name) const {
  auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.name == name; });
  if (found == entries_.end()) file_->fail("no tensor '" + name + "'");
  return *found;
}

void SafetensorsFile::read(const Entry &entry, void *into) const {
  file_->read(entry.begin, {static_cast<std::byte *>(into), entry.end - entry.begin});
}

Tensor SafetensorsFile::tensor(const Entry &entry) const {
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

  SafetensorsHeader header{{}, metadata};
  uint64_t at = 0;
  for (const auto *item : order) {
    const Tensor &t = item->held;
    const uint64_t bytes = static_cast<uint64_t>(t.numel()) * itemSize(t.dtype());
    header.entries.push_back({item->name, t.dtype(), t.sizes(), at, at + bytes});
    at += bytes;
  }
  std::string text = safetensorsHeaderText(header);
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
