#include "file/FileReader.h"
#include "tensorjit/error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tensorjit {

FileReader::FileReader(std::string path) : path_(std::move(path)) {
  // Not blocking: opening a pipe would wait for its writer.
  fd_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) fail(std::strerror(errno));
  struct stat status;
  if (fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd_);
    fail("not a regular file");
  }
  size_ = static_cast<uint64_t>(status.st_size);
}

FileReader::~FileReader() { close(fd_); }

void FileReader::read(uint64_t at, std::span<std::byte> into) const {
  while (!into.empty()) {
    const ssize_t n = pread(fd_, into.data(), into.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(std::strerror(errno));
    if (n == 0) fail("truncated");
    at += static_cast<uint64_t>(n);
    into = into.subspan(static_cast<size_t>(n));
  }
}

void FileReader::fail(const std::string &reason) const { throw io_error(path_ + ": " + reason); }

} // namespace tensorjit
