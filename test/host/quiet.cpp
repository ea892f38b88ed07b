// The process stays as it was: nothing on its output, no signal handlers, no variables, no other folder or umask.
#include "Work.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <string>
#include <sys/stat.h>
#include <vector>

extern char **environ;

namespace {

struct Process {
  std::map<int, std::pair<void *, int>> handlers;
  std::vector<std::string> variables;
  std::string folder = std::filesystem::current_path();
  std::string locale = std::setlocale(LC_ALL, nullptr);
  mode_t mask;
  std::vector<int> blocked;
  static constexpr int restorer = 0x04000000; // the C library's own flag, once a handler has been set

  Process() {
    for (int s = 1; s < NSIG; ++s) {
      struct sigaction a {};
      if (sigaction(s, nullptr, &a) == 0)
        handlers[s] = {reinterpret_cast<void *>(a.sa_handler), a.sa_flags & ~restorer};
    }
    for (char **v = environ; *v; ++v) variables.emplace_back(*v);
    mask = umask(0);
    umask(mask);
    sigset_t set;
    sigemptyset(&set);
    sigprocmask(SIG_SETMASK, nullptr, &set);
    for (int s = 1; s < NSIG; ++s)
      if (sigismember(&set, s) == 1) blocked.push_back(s);
  }
};

/// A file in place of a descriptor.
struct Captured {
  explicit Captured(int fd) : fd(fd), before(dup(fd)), file(std::tmpfile()) { dup2(fileno(file), fd); }
  std::string end() {
    dup2(before, fd);
    std::string text(static_cast<size_t>(std::ftell(file) < 0 ? 0 : lseek(fileno(file), 0, SEEK_END)), '\0');
    REQUIRE(pread(fileno(file), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    return text;
  }
  int fd, before;
  FILE *file;
};

} // namespace

int main() {
  const Process before;
  Captured out(1), err(2);
  {
    Work work;
    work.run();
    auto fails = tj::compile([](const tj::Tensor &x) { return x + tj::ones({7}); }, testOptions());
    try {
      fails(tj::ones({3}));
    } catch (const tj::shape_error &) {
    }
  }
  const std::string text = out.end(), errors = err.end();
  if (!text.empty() || !errors.empty()) std::fprintf(stderr, "stdout: %s\nstderr: %s\n", text.c_str(), errors.c_str());
  REQUIRE(text.empty() && errors.empty());
  const Process after;
  for (auto &[signal, handler] : before.handlers)
    if (after.handlers.at(signal) != handler) {
      std::fprintf(stderr, "signal %d has another handler\n", signal);
      _exit(1);
    }
  REQUIRE(before.variables == after.variables);
  REQUIRE(before.folder == after.folder && before.locale == after.locale && before.mask == after.mask);
  REQUIRE(before.blocked == after.blocked);
}
