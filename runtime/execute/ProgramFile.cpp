#include "execute/Serialize.h"
#include "tensorjit/error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace tensorjit {

namespace {

[[noreturn]] void fail(const std::string &what, const std::string &path) {
  throw io_error("cannot " + what + " " + path + ": " + std::strerror(errno));
}

struct Closer {
  void operator()(FILE *f) const { std::fclose(f); }
};

/// Removes the file unless it has been renamed.
struct Temporary {
  std::string path;
  ~Temporary() {
    if (!path.empty()) unlink(path.c_str());
  }
};

} // namespace

void saveProgram(const SavedProgram &program, const std::string &path) {
  std::vector<std::byte> bytes = serialize(program);
  std::string name = path + ".XXXXXX";
  int fd = mkstemp(name.data());
  if (fd < 0) fail("create", path);
  Temporary temporary{name};
  std::unique_ptr<FILE, Closer> file(fdopen(fd, "wb"));
  if (!file) {
    close(fd);
    fail("write", path);
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0)
    fail("write", path);
  file.reset();
  if (std::rename(name.c_str(), path.c_str()) != 0) fail("replace", path);
  temporary.path.clear();
}

SavedProgram loadProgram(const std::string &path) {
  std::unique_ptr<FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail("open", path);
  std::vector<std::byte> bytes;
  std::byte chunk[1 << 16];
  while (size_t n = std::fread(chunk, 1, sizeof chunk, file.get())) bytes.insert(bytes.end(), chunk, chunk + n);
  if (std::ferror(file.get())) fail("read", path);
  file.reset();
  return deserialize(bytes, path);
}

} // namespace tensorjit
