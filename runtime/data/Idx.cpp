#include "tensorjit/data/idx.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <zlib.h>

namespace tensorjit::data {
namespace {

[[noreturn]] void fail(const std::string &path, const std::string &reason) { throw io_error(path + ": " + reason); }

/// A plain or gzip-compressed file; zlib tells them apart.
class File {
public:
  explicit File(const std::string &path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) fail(path_, errno ? std::strerror(errno) : "out of memory");
  }

  /// Appends up to `count` bytes; returns how many there were.
  size_t read(std::vector<uint8_t> &into, size_t count) {
    size_t start = into.size();
    // Grown piece by piece: a header may promise more than the file has.
    for (size_t left = count; left > 0;) {
      size_t piece = std::min<size_t>(left, 1 << 22), at = into.size();
      into.resize(at + piece);
      int got = gzread(file_.get(), into.data() + at, static_cast<unsigned>(piece));
      into.resize(at + static_cast<size_t>(std::max(got, 0)));
      if (got < 0) failRead();
      if (got == 0) break;
      left -= static_cast<size_t>(got);
    }
    return into.size() - start;
  }

  /// zlib tells only here that the end of the compressed data, with its check sum, was missing.
  void close() {
    if (gzclose(file_.release()) != Z_OK) fail(path_, "truncated: the compressed data ends early");
  }

private:
  void failRead() {
    int code = Z_OK;
    const char *text = gzerror(file_.get(), &code);
    fail(path_, code == Z_ERRNO       ? std::strerror(errno)
                : code == Z_BUF_ERROR ? std::string("truncated: the compressed data ends early")
                                      : "damaged compressed data (" + std::string(text) + ")");
  }

  struct Close {
    void operator()(gzFile f) const { gzclose(f); }
  };
  const std::string &path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

std::vector<uint8_t> readHeader(File &file, const std::string &path, size_t count) {
  std::vector<uint8_t> bytes;
  if (file.read(bytes, count) != count) fail(path, "truncated: the header is incomplete");
  return bytes;
}

} // namespace

IdxArray read_idx(const std::string &path) {
  errno = 0;
  File file(path);
  auto magic = readHeader(file, path, 4);
  if (magic[0] != 0 || magic[1] != 0) fail(path, "not an IDX file");
  if (magic[2] != 0x08) fail(path, "IDX element type " + std::to_string(magic[2]) + " is not unsigned byte (8)");
  if (magic[3] == 0 || magic[3] > Shape::maxRank)
    fail(path, "IDX with " + std::to_string(magic[3]) + " dims; 1 to 8 are supported");

  IdxArray array;
  auto sizes = readHeader(file, path, size_t{4} * magic[3]);
  for (size_t i = 0; i < sizes.size(); i += 4)
    array.sizes.push_back(int64_t{sizes[i]} << 24 | sizes[i + 1] << 16 | sizes[i + 2] << 8 | sizes[i + 3]);
  int64_t expected = 0;
  try {
    expected = array.sizes.numel();
  } catch (const shape_error &) {
    fail(path, "sizes " + array.sizes.str() + " overflow");
  }

  auto got = file.read(array.bytes, static_cast<size_t>(expected));
  if (got != static_cast<size_t>(expected))
    fail(path, "truncated: " + array.sizes.str() + " needs " + std::to_string(expected) + " bytes, found " +
                   std::to_string(got));
  std::vector<uint8_t> rest;
  if (file.read(rest, 1) != 0) fail(path, "more data than " + array.sizes.str() + " needs");
  file.close();
  return array;
}

} // namespace tensorjit::data
