// A compiler library that is missing, no library, none of ours or of another version: a program runs with eager kernels
// after one warning that says which; a strict one gets the reason as an error. One that cannot be opened at the moment
// is opened by the next call.
#include "Work.h"

#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <vector>

static int run(const char *expected) {
  std::vector<std::string> lines;
  tj::set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
  auto f = tj::compile([](const tj::Tensor &x) { return x * 2.f + 1.f; });
  auto g = tj::compile([](const tj::Tensor &x) { return x * 3.f; });
  for (int i = 0; i < 3; ++i) REQUIRE(f(tj::ones({2})).sum().item() == 6 && g(tj::ones({2})).sum().item() == 6);
  for (const std::string &line : lines)
    if (line.find(expected) == line.npos) {
      std::fprintf(stderr, "%s\nexpected: %s\n", line.c_str(), expected);
      return 1;
    }
  REQUIRE(lines.size() == 2); // one a function
  tj::Options strict;
  strict.strict = true;
  auto h = tj::compile([](const tj::Tensor &x) { return x * 4.f; }, strict);
  std::string error;
  try {
    h(tj::ones({2}));
  } catch (const tj::compile_error &e) {
    error = e.what();
  }
  REQUIRE(error.find(expected) != error.npos);
  return 0;
}

#ifdef TENSORJIT_TEST_COMPILER
static int withoutDescriptors() {
  std::vector<std::string> lines;
  tj::set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
  auto f = tj::compile([](const tj::Tensor &x) { return x * 2.f + 1.f; });
  std::vector<int> taken;
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;) taken.push_back(fd);
  for (int i = 0; i < 2; ++i) REQUIRE(f(tj::ones({2})).sum().item() == 6);
  REQUIRE(lines.size() == 2 && lines[0].find("Too many open files") != lines[0].npos);
  for (int fd : taken) close(fd);
  REQUIRE(f(tj::ones({2})).sum().item() == 6 && f.stats().compiles == 1);
  REQUIRE(lines.size() == 2);
  return 0;
}
#endif

int main(int argc, char **argv) {
#ifdef TENSORJIT_TEST_COMPILER
  if (argc == 1) {
    const pid_t child = fork();
    if (child == 0) _exit(withoutDescriptors());
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
#endif
  if (argc == 2) return run(argv[1]);
  const struct {
    const char *library, *expected;
  } rows[] = {{"/nonexistent/libtensorjit_compiler.so", "No such file"},
              {"/etc/passwd", "the compiler cannot be opened"},
              {"/", "the compiler cannot be opened"},
              {"libz.so.1", "is not a TensorJIT compiler"},
              {OTHER_VERSION, "this library needs"}};
  for (const auto &row : rows) {
    setenv("TENSORJIT_COMPILER", row.library, 1);
    const pid_t child = fork();
    if (child == 0) {
      execl(argv[0], argv[0], row.expected, nullptr);
      _exit(127);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}
