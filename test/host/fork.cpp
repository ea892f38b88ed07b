// A child of a fork before the library's first use has all of it; one of a fork after it computes on one thread.
#include "Work.h"

#include <sys/wait.h>

template <class F> static void inChild(F body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    std::exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  inChild([&] {
    tj::set_num_threads(2);
    Work().run();
    REQUIRE(tj::get_num_threads() == 2);
  });
  tj::set_num_threads(2);
  Work work;
  work.run();
  inChild([&] {
    work.run();
    Work().run();
    REQUIRE(tj::get_num_threads() == 1);
  });
  work.run();
}
