#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tensorjit {

/// A regular file, read at any position. Everything throws `io_error` with the path and the reason.
class FileReader {
public:
  explicit FileReader(std::string path);
  ~FileReader();
  FileReader(const FileReader &) = delete;

  const std::string &path() const { return path_; }
  uint64_t size() const { return size_; }
  /// Fills `into` from position `at`; the file must have that many bytes.
  void read(uint64_t at, std::span<std::byte> into) const;
  [[noreturn]] void fail(const std::string &reason) const;

private:
  std::string path_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

} // namespace tensorjit
