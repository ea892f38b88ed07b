// device-at-exit KIND: how a program ends that has CUDA tensors, streams, compiled functions and threads that use them.
// The driver shuts down before objects are destroyed that are older than it.
#include "Suite.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace device_suite;

namespace {

void requireAtExit(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  _exit(1);
}

/// Some of everything that a program keeps.
struct Kept {
  tj::Device device{tj::kCUDA};
  tj::Tensor x = tj::ones({1000}).to(device), pinned = tj::cuda::pin_memory(tj::ones({10}));
  tj::Tensor inFlight = pinned.to(device, true);
  tj::nn::Linear layer{tj::nn::LinearOptions(4, 2)};
  tj::CompiledFunction<tj::Tensor (*)(const tj::Tensor &)> compiled =
      tj::compile(+[](const tj::Tensor &t) { return (t * 2.0 + 1.0).sum(); });
  tj::cuda::Event event{true};

  Kept() {
    layer->to(device);
    event.record();
    require(compiled(x).item() == 3000, "a compiled function");
  }
};

/// Constructed before the driver is opened, so destroyed after the driver has shut down.
struct Last {
  std::optional<Kept> kept;
  bool isLate = false;

  ~Last() {
    if (!kept && !isLate) return;
    std::string text;
    try {
      if (isLate) kept.emplace();
      (kept->x + 1.0).cpu();
      tj::cuda::synchronize();
    } catch (const tj::device_error &e) {
      text = e.what();
    }
    if (!isLate) requireAtExit(text.find("CUDA_ERROR_DEINITIALIZED") != text.npos, "the driver's error is told");
    std::thread([&] { // a thread that has no context yet
      try {
        if (kept) kept->compiled(kept->x).item();
      } catch (const tj::device_error &) {
      }
    })
        .join();
    kept.reset();
    requireAtExit(tj::ones({3}).sum().item() == 3, "the CPU works on");
  }
} last;

void statics() {
  static thread_local std::optional<Kept> ofThread;
  static std::optional<Kept> inMain;
  ofThread.emplace();
  inMain.emplace();
  last.kept.emplace();
}

/// The first use of CUDA is in a destructor.
void late() { last.isLate = true; }

void work() {
  try {
    Kept kept;
    tj::Tensor w = tj::ones({4, 4}).to(kept.device).requires_grad_();
    while (true) {
      tj::matmul(w, w).sum().backward();
      kept.compiled(kept.x).item();
      kept.x = kept.x * 1.0;
    }
  } catch (const tj::device_error &) { // the driver has shut down
  }
}

void threads() {
  static std::atomic<int> started{0};
  for (int i = 0; i < 2; ++i)
    std::thread([] {
      work();
      ++started; // never ends before the program does
    }).detach();
  for (int i = 0; i < 200 && !started; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  require(!started, "a thread has ended");
}

const std::map<std::string, void (*)()> kinds = {{"statics", statics}, {"late", late}, {"threads", threads}};

} // namespace

int main(int argc, char **argv) {
  const auto kind = kinds.find(argc > 1 ? argv[1] : "");
  if (kind == kinds.end()) return 2;
  if (argc == 2) { // several times: ends differ
    for (int i = 0; i < 4; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        execl(argv[0], argv[0], argv[1], "child", nullptr);
        _exit(127);
      }
      int status = 0;
      if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) {
        std::printf("%s: the program ended with status %d\n", argv[1], status);
        return 1;
      }
    }
    return 0;
  }
  try {
    kind->second();
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", argv[1], e.what());
    return 1;
  }
}
