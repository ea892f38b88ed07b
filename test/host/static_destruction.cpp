// Static objects that are destroyed before and after the library's own statics still compute.
#include "Work.h"

#include <iostream>
#include <sstream>

/// Constructed before anything of the library has run, so destroyed last.
struct Last {
  Work *work = nullptr;
  ~Last() {
    work->run();
    std::ostringstream text;
    text << tj::ones({2}) << work->compiled.explain();
    REQUIRE(text.str().find("[1, 1]") == 0);
    tj::set_logs("+compile");
    delete work;
    auto fresh = tj::compile([](const tj::Tensor &x) { return x + 3.f; }, testOptions());
    REQUIRE(fresh(tj::ones({2})).sum().item() == 8);
  }
} last;

tj::Tensor early = tj::arange(5); // also before main
static std::unique_ptr<Work> early2 = std::make_unique<Work>();

Work &inMain() {
  static Work work;
  return work;
}

int main() {
  std::atexit([] { early2->run(); });
  inMain().run();
  std::atexit([] { inMain().run(); });
  static tj::Tensor late = early + 1;
  static thread_local tj::Tensor ofThread = tj::ones({3});
  last.work = new Work;
  REQUIRE(late.sum().item() + ofThread.sum().item() == 18);
}
