#include "file/FileWriter.h"
#include "tensorjit/error.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tensorjit {

FileWriter::FileWriter(std::string path) : path_(std::move(path)), target_(path_) {
  struct stat existing;
  const bool exists = stat(path_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (exists && !S_ISREG(existing.st_mode)) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("write");
    return;
  }
  if (exists) target_ = std::filesystem::canonical(path_);
  static std::atomic<unsigned> counter{0};
  do {
    temporary_ = target_ + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(counter++);
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (fd_ < 0 && errno == EEXIST);
  if (fd_ < 0) {
    temporary_.clear();
    fail("create");
  }
  if (exists && fchmod(fd_, existing.st_mode & 07777) != 0) {
    // The new file then has the permissions of any new file.
  }
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write");
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

void FileWriter::commit() {
  if (!temporary_.empty() && fsync(fd_) != 0) fail("write");
  const int fd = fd_;
  fd_ = -1;
  if (close(fd) != 0) fail("write");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace");
  temporary_.clear();
}

void FileWriter::fail(const char *what) const {
  throw io_error(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(errno));
}

} // namespace tensorjit
