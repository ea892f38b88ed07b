#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tensorjit {

/// Writes a file without a name, which takes the path's place at the end: until `commit` has returned, the path keeps
/// its old contents, and nothing is left where writing fails or the process is killed. (A file system without nameless
/// files gets one with a temporary name, which a killed process leaves.) A link stays, the file that it leads to is
/// replaced. A path that is no regular file (a device, a pipe) is written to as it is. Everything throws `io_error`
/// with the path and the system's reason.
class FileWriter {
public:
  explicit FileWriter(std::string path);
  /// Removes what has been written, unless it was committed.
  ~FileWriter();
  FileWriter(const FileWriter &) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// `Safely`: the contents have reached the disk when this returns. `Quickly`: after a crash of the system the file
  /// may hold anything.
  enum class Commit { Safely, Quickly };
  void commit(Commit how = Commit::Safely);

private:
  [[noreturn]] void fail(const char *what) const;
  bool openNameless();
  bool takeName(const std::function<bool(const char *)> &make);
  std::string path_;
  std::string target_;    ///< `path_` without links
  std::string temporary_; ///< the name beside it; empty where there is none
  bool replaces_ = true;  ///< false where the path itself is written
  int fd_ = -1;
};

} // namespace tensorjit
