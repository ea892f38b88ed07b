#include "execute/CodeImage.h"
#include "file/FileWriter.h"
#include "log/Environment.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace tensorjit {

namespace {

struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0) close(fd);
  }
};

bool writeAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return true;
}

/// The loader takes two paths with equal text for the same library, and file descriptors are reused: so each open
/// spells the path in its own way, with one "/" or "/./" for each bit of a counter.
std::string uniquePath(int fd) {
  static std::atomic<uint32_t> counter{0};
  std::string path = "/proc/self/fd";
  for (uint32_t n = counter.fetch_add(1, std::memory_order_relaxed) + 1; n; n >>= 1) path += n & 1 ? "/./" : "/";
  return path + "/" + std::to_string(fd);
}

void *openFromMemory(std::span<const std::byte> elf, const std::string &name) {
  File file{memfd_create(("tensorjit-" + name).substr(0, 200).c_str(), MFD_CLOEXEC)};
  if (file.fd < 0 || !writeAll(file.fd, elf)) return nullptr;
  return dlopen(uniquePath(file.fd).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// A file that stays, so that perf and gdb, which read symbols from the file that is mapped, can name the kernels.
void *openFromDump(std::span<const std::byte> elf, const std::string &name) {
  const std::string &folder = environment().dump;
  if (folder.empty()) return nullptr;
  static std::atomic<unsigned> counter{0};
  std::string file = name + "." + std::to_string(getpid()) + "-" + std::to_string(counter++) + ".so";
  std::replace(file.begin(), file.end(), '/', '_');
  const std::string path = std::filesystem::absolute(folder) / file;
  try {
    std::filesystem::create_directories(folder);
    FileWriter out(path);
    out.write(elf);
    out.commit();
  } catch (const std::exception &) {
    return nullptr; // the compiler's own dumps have failed alike, and said so
  }
  return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// For systems without memory files, or that forbid running them.
void *openFromFile(std::span<const std::byte> elf) {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/tensorjit-XXXXXX";
  File file{mkstemp(path.data())};
  if (file.fd < 0) throw io_error("cannot create a temporary file " + path + " for code: " + std::strerror(errno));
  void *handle = writeAll(file.fd, elf) ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  unlink(path.c_str());
  return handle;
}

} // namespace

CodeImage::CodeImage(std::span<const std::byte> elf, const std::string &name) {
  handle_ = openFromDump(elf, name);
  if (!handle_) handle_ = openFromMemory(elf, name);
  if (!handle_) handle_ = openFromFile(elf);
  if (!handle_) {
    const char *why = dlerror();
    throw io_error("cannot load the code of '" + name + "': " + (why ? why : "could not write it"));
  }
}

CodeImage::~CodeImage() {
  if (handle_) dlclose(handle_);
}

void *CodeImage::symbol(const std::string &name) const { return handle_ ? dlsym(handle_, name.c_str()) : nullptr; }

} // namespace tensorjit
