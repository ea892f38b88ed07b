#include "file/FileWriter.h"
#include "tensorjit/error.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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
    replaces_ = false;
    return;
  }
  if (exists) target_ = std::filesystem::canonical(path_);
  auto create = [&](const char *name) {
    fd_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return fd_ >= 0;
  };
  if (!openNameless() && !takeName(create)) fail("create");
  if (exists && fchmod(fd_, existing.st_mode & 07777) != 0) {
    // The new file then has the permissions of any new file.
  }
}

/// The name in /proc by which the file can be given one in its folder.
static std::string nameOf(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

bool FileWriter::openNameless() {
  const std::filesystem::path folder = std::filesystem::path(target_).parent_path();
  fd_ = open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (fd_ < 0 || access(nameOf(fd_).c_str(), F_OK) == 0) return fd_ >= 0;
  close(std::exchange(fd_, -1));
  return false;
}

/// Finds a temporary name that `make` can take.
bool FileWriter::takeName(const std::function<bool(const char *)> &make) {
  static std::atomic<unsigned> counter{0};
  while (true) {
    std::string name = target_ + ".tmp" + std::to_string(getpid()) + "-" + std::to_string(counter++);
    const bool made = make(name.c_str());
    if (made) temporary_ = std::move(name);
    if (made || errno != EEXIST) return made;
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

void FileWriter::commit(Commit how) {
  if (replaces_ && how == Commit::Safely && fsync(fd_) != 0) fail("write");
  auto link = [&](const char *name) {
    return linkat(AT_FDCWD, nameOf(fd_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  };
  if (replaces_ && temporary_.empty() && !takeName(link)) fail("create");
  if (close(std::exchange(fd_, -1)) != 0) fail("write");
  if (!replaces_) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace");
  temporary_.clear();
}

void FileWriter::fail(const char *what) const {
  throw io_error(std::string("cannot ") + what + " " + path_ + ": " + std::strerror(errno));
}

} // namespace tensorjit
