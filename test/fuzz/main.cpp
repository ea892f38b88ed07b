// Random programs, made of the op records, in every mode against eager kernels on the CPU.
//   fuzz --seeds=0:100 [--modes=full,cuda] [--only=softmax] [--quick] [--print] [--go-on]
#include "Check.h"
#include "Generate.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::fuzz;

namespace {

char current[200]; // what runs, for a process that dies

void onSignal(int signal) {
  const char text[] = "\nthe process ends in ";
  (void)!write(2, text, sizeof text - 1);
  (void)!write(2, current, std::strlen(current));
  (void)!write(2, "\n", 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

const char *argument(int argc, char **argv, const char *name) {
  const size_t length = std::strlen(name);
  for (int i = 1; i < argc; ++i)
    if (!std::strncmp(argv[i], name, length)) {
      if (!argv[i][length]) return "";
      if (argv[i][length] == '=') return argv[i] + length + 1;
    }
  return nullptr;
}

bool listed(const char *list, const std::string &name) {
  const std::string all = "," + std::string(list) + ",";
  return all.find("," + name + ",") != all.npos;
}

} // namespace

int main(int argc, char **argv) {
  for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM}) std::signal(s, onSignal);
  const char *seeds = argument(argc, argv, "--seeds");
  char *end = nullptr;
  const uint64_t from = seeds ? std::strtoull(seeds, &end, 10) : 0;
  const uint64_t to = !seeds ? 50 : *end == ':' ? std::strtoull(end + 1, nullptr, 10) : from + 1;
  const char *modes = argument(argc, argv, "--modes");
  Wish wish;
  if (const char *only = argument(argc, argv, "--only")) wish.only = only;
  wish.quick = argument(argc, argv, "--quick");
  int failed = 0;
  for (uint64_t seed = from; seed < to; ++seed) {
    for (const Mode &mode : allModes()) {
      const bool cuda = mode.device.is_cuda();
      if (modes ? !listed(modes, mode.name) : cuda) continue;
      std::snprintf(current, sizeof current, "seed %llu, mode %s", static_cast<unsigned long long>(seed),
                    mode.name.c_str());
      alarm(300);
      wish.device = cuda;
      const Program program = generate(seed, wish);
      if (program.steps.empty()) continue;
      if (argument(argc, argv, "--print")) std::cout << current << '\n' << print(program) << std::flush;
      const std::string wrong = check(program, mode);
      if (wrong.empty()) continue;
      ++failed;
      std::cout << current << ": " << wrong << '\n';
      const Program smaller = shrink(program, mode);
      std::cout << print(smaller) << "  " << check(smaller, mode) << '\n' << std::flush;
      if (!argument(argc, argv, "--go-on")) return 1;
    }
  }
  std::cout << to - from << " programs, " << failed << " wrong\n";
  return failed ? 1 : 0;
}
