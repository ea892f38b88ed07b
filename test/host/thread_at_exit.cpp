// A program may end while its threads are computing.
#include "Work.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>

static int once() {
  static std::atomic<int> rounds{0};
  for (int i = 0; i < 2; ++i)
    std::thread([] {
      Work work;
      while (true) {
        work.run();
        ++rounds;
      }
    }).detach();
  while (rounds < 3) std::this_thread::yield();
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1) return once();
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      execl(argv[0], argv[0], "child", nullptr);
      _exit(127);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
}
