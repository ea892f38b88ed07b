// Memory that runs out while the compiler works: the call runs with eager kernels and says why, nothing of the failure
// is kept, and the same function compiles once there is memory again.
#include "Work.h"

#include <cstring>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

rlim_t addressSpace() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// While this lives, no more than about `bytes` can be allocated: there is no more address space, and what the heap
/// holds free is taken.
class LittleMemory {
public:
  explicit LittleMemory(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlim_t used = addressSpace();
    limitTo(used);
    for (size_t size = 1 << 20; size >= 256; size /= 2)
      while (void *block = std::malloc(size)) {
        *static_cast<void **>(block) = taken_;
        taken_ = block;
      }
    limitTo(used + bytes);
  }
  ~LittleMemory() {
    setrlimit(RLIMIT_AS, &before_);
    while (taken_) std::free(std::exchange(taken_, *static_cast<void **>(taken_)));
  }
  LittleMemory(const LittleMemory &) = delete;

private:
  void limitTo(rlim_t bytes) {
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  rlimit before_;
  void *taken_ = nullptr;
};

/// Kernels of several kinds, another function for each `n`.
tj::Tensor model(const tj::Tensor &x, int n) {
  tj::Tensor t = x;
  for (int i = 0; i < 8; ++i) {
    t = tj::matmul(t, t.t()) * (0.01f * static_cast<float>(n + 1));
    t = tj::softmax(t.tanh(), 1) + t.mean(0).sigmoid();
  }
  return t.sum();
}

} // namespace

int main() {
  mallopt(M_ARENA_MAX, 1);
  std::vector<std::string> warnings;
  tj::set_log_sink([&](std::string_view line) { warnings.emplace_back(line); });
  const tj::Tensor x = tj::ones({24, 24}) * 0.1f;
  tj::compile([](const tj::Tensor &t) { return model(t, 0); })(x).item(); // libraries are open, threads are there
  REQUIRE(warnings.empty());

  int n = 1, failed = 0;
  for (rlim_t bytes = 1 << 16; bytes < rlim_t(1) << 27; bytes += bytes / 2, ++n) {
    auto f = tj::compile([n](const tj::Tensor &t) { return model(t, n); });
    const double wanted = model(x, n).item();
    warnings.clear();
    double limited = wanted;
    bool ranAtAll = true; // recording and computing need some memory too
    try {
      const LittleMemory memory(bytes);
      limited = f(x).item();
    } catch (const tj::out_of_memory &) {
      ranAtAll = false;
    } catch (const std::bad_alloc &) {
      ranAtAll = false;
    }
    const bool compiled = f.stats().compiles == 1;
    failed += ranAtAll && !compiled;
    for (const std::string &w : warnings) std::fprintf(stderr, "%zu: %s\n", size_t(bytes), w.c_str());
    REQUIRE(!ranAtAll || compiled == warnings.empty());
    REQUIRE(std::abs(limited - wanted) < 1e-3 * std::abs(wanted));
    REQUIRE(std::abs(f(x).item() - wanted) < 1e-3 * std::abs(wanted));
    REQUIRE(f.stats().compiles == 1);
  }
  REQUIRE(failed > 8);
}
