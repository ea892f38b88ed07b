#include "trace/CompilerLoader.h"
#include "log/Environment.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>

namespace tensorjit::trace {

namespace {

struct Loaded {
  const CompilerInterface *compiler = nullptr;
  std::string why;
};

std::string libraryPath() {
  if (!environment().compiler.empty()) return environment().compiler;
  std::string folder;
  Dl_info self;
  if (dladdr(reinterpret_cast<const void *>(&libraryPath), &self) && self.dli_fname) {
    folder = self.dli_fname;
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
  }
  return folder + "libtensorjit_compiler.so";
}

/// The loader has no other way to say it.
bool saysShortage(const std::string &message) {
  for (int code : {ENOMEM, EMFILE, ENFILE})
    if (message.find(std::strerror(code)) != message.npos) return true;
  return false;
}

/// Throws `std::runtime_error` where memory or file descriptors were short: another try may find the library.
Loaded load() {
  Loaded result;
  std::string path = libraryPath();
  // Local symbols: the program may have another LLVM. Never closed: executables' code does not depend on it, LLVM's
  // static state does.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    result.why = std::string("the compiler cannot be opened: ") + dlerror();
    if (saysShortage(result.why)) throw std::runtime_error(result.why);
    return result;
  }
  auto entry = reinterpret_cast<const CompilerInterface *(*)()>(dlsym(library, "tensorjitCompiler"));
  const CompilerInterface *found = entry ? entry() : nullptr;
  if (!found) result.why = path + " is not a TensorJIT compiler";
  else if (found->version != CompilerInterface::current)
    result.why = path + " has interface version " + std::to_string(found->version) + ", this library needs " +
                 std::to_string(CompilerInterface::current);
  else result.compiler = found;
  return result;
}

std::atomic<const CompilerInterface *> forTest{nullptr};

} // namespace

const CompilerInterface *compiler(std::string *why) {
  if (auto *c = forTest.load()) return c;
  static const Loaded &loaded = *new Loaded(load());
  if (why) *why = loaded.why;
  return loaded.compiler;
}

std::string compilerPath() { return forTest.load() ? "" : libraryPath(); }

void setCompilerForTest(const CompilerInterface *compiler) { forTest = compiler; }

} // namespace tensorjit::trace
