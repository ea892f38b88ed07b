// A child of a fork before the library's first use has all of it; one of a fork after it computes on one thread.
#include "Work.h"

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
