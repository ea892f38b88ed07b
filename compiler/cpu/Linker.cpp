#include "cpu/Linker.h"
#include "FatalErrors.h"

#include "tensorjit/error.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace tensorjit::cpu {

namespace {
// lld reads and writes files: a folder of this link alone, removed with everything in it.
class LinkFolder {
public:
  LinkFolder() {
    if (auto error = llvm::sys::fs::createUniqueDirectory("tensorjit-link", path_))
      throw io_error("cannot make a folder for linking: " + error.message());
  }
  ~LinkFolder() { remove(); }
  LinkFolder(const LinkFolder &) = delete;

  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> path(path_);
    llvm::sys::path::append(path, name);
    return std::string(path);
  }

private:
  void remove() { llvm::sys::fs::remove_directories(path_); }
  llvm::SmallString<128> path_;
  OnFatalError atFatalError_{[this] { remove(); }};
};
} // namespace

static void writeFile(const std::string &path, const ObjectBytes &bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream.write(bytes.data(), bytes.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error) throw io_error("cannot write " + path + ": " + error.message());
}

static std::vector<std::byte> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) throw io_error("cannot read " + path + ": " + buffer.getError().message());
  std::vector<std::byte> bytes((*buffer)->getBufferSize());
  std::memcpy(bytes.data(), (*buffer)->getBufferStart(), bytes.size());
  return bytes;
}

// By its soname's own file, so that the development package is not needed.
static std::string findLibm() {
  for (const char *path : {"/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib64/libm.so.6",
                           "/usr/lib/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"})
    if (llvm::sys::fs::exists(path)) return path;
  return "";
}

namespace {
// lld has its output removed where a signal ends the process, and for that LLVM takes over the program's handlers. They
// are given back after the link, unless they were LLVM's before it.
class SignalHandlers {
public:
  SignalHandlers() { sigaction(SIGHUP, nullptr, &before_); }
  ~SignalHandlers() { giveBack(); }
  SignalHandlers(const SignalHandlers &) = delete;

private:
  void giveBack() const {
    struct sigaction after;
    sigaction(SIGHUP, nullptr, &after);
    if (after.sa_sigaction != before_.sa_sigaction) llvm::sys::unregisterHandlers();
  }
  struct sigaction before_;
  OnFatalError atFatalError_{[this] { giveBack(); }};
};
} // namespace

std::function<void()> insideLinkForTest;

namespace {
// lld keeps its state in globals: one link at a time, and none any more after one that did not come to its end.
class LinkerTurn {
public:
  LinkerTurn() {
    std::unique_lock lock(mutex);
    ended.wait(lock, [] { return !running; });
    if (!usable) throw compile_error("the linker failed earlier and cannot run again in this process");
    running = true;
  }
  ~LinkerTurn() { end(); }
  LinkerTurn(const LinkerTurn &) = delete;
  void setUnusable() { failed_ = true; }

private:
  void end() {
    {
      std::lock_guard lock(mutex);
      running = false;
      usable = !failed_;
    }
    ended.notify_all();
  }
  static inline std::mutex mutex;
  static inline std::condition_variable ended;
  static inline bool running = false, usable = true;

  bool failed_ = false;
  OnFatalError atFatalError_{[this] {
    setUnusable();
    end();
  }};
};
} // namespace

static void runLinker(const std::vector<std::string> &args) {
  std::vector<const char *> argv;
  for (const std::string &arg : args) argv.push_back(arg.c_str());
  std::string out, err;
  llvm::raw_string_ostream outStream(out), errStream(err);
  LinkerTurn turn;
  const SignalHandlers handlers;
  if (insideLinkForTest) insideLinkForTest();
  lld::Result result = lld::lldMain(argv, outStream, errStream, {{lld::Gnu, &lld::elf::link}});
  if (!result.canRunAgain) turn.setUnusable();
  if (result.retCode == 0) return;
  for (int code : {ENOSPC, EDQUOT, EFBIG, EACCES, EROFS, ENOENT, EMFILE, ENOMEM})
    if (err.find(std::strerror(code)) != err.npos) throw io_error("linking failed: " + err);
  throw compile_error("linking failed: " + err);
}

std::vector<std::byte> linkSharedObject(llvm::ArrayRef<ObjectBytes> objects,
                                        llvm::ArrayRef<std::pair<std::string, std::string>> aliases, bool needsLibm) {
  LinkFolder folder;
  std::string output = folder.file("kernels.so");
  std::vector<std::string> args{
      "ld.lld",      "-shared", "--build-id=none", "--hash-style=gnu",       "--threads=1", "-z",
      "noexecstack", "-z",      "separate-code",   "--no-undefined-version", "-o",          output};
  for (size_t i = 0; i < objects.size(); ++i) {
    args.push_back(folder.file("kernels" + llvm::Twine(i) + ".o"));
    writeFile(args.back(), objects[i]);
  }
  for (const auto &[alias, symbol] : aliases) args.push_back("--defsym=" + alias + "=" + symbol);
  if (std::string libm = needsLibm ? findLibm() : ""; !libm.empty()) args.push_back(libm);
  runLinker(args);
  return readFile(output);
}

} // namespace tensorjit::cpu
