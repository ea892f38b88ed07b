#include "FatalErrors.h"

#include "tensorjit/error.h"

#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace tensorjit {

namespace {

constexpr int mostParked = 8; ///< each keeps a thread and its memory
std::atomic<int> parkedThreads{0};

struct Job {
  std::promise<void> end;
  bool isParked = false;
};
thread_local Job *currentJob = nullptr;
thread_local OnFatalError *innermostAction = nullptr;

template <class Exception> void endJob(void *, const char *reason, bool) {
  if (!currentJob) {
    std::fprintf(stderr, "LLVM ERROR: %s\n", reason);
    return; // LLVM ends the process
  }
  ++parkedThreads;
  currentJob->isParked = true;
  OnFatalError::runAll();
  currentJob->end.set_exception(std::make_exception_ptr(Exception(std::string("LLVM: ") + reason)));
  while (true) pause();
}

// While at least one is alive, fatal errors are ours.
class HandlerUse {
public:
  HandlerUse() {
    std::lock_guard lock(mutex);
    if (uses++) return;
    llvm::install_fatal_error_handler(endJob<compile_error>);
    llvm::install_bad_alloc_error_handler(endJob<out_of_memory>);
  }
  ~HandlerUse() {
    std::lock_guard lock(mutex);
    if (--uses) return;
    llvm::remove_fatal_error_handler();
    llvm::remove_bad_alloc_error_handler();
  }
  HandlerUse(const HandlerUse &) = delete;

private:
  static inline std::mutex mutex;
  static inline int uses = 0;
};

// A parked thread keeps its job alive, and touches nothing else.
void runJob(std::shared_ptr<Job> job, const std::function<void()> &body) {
  currentJob = job.get();
  try {
    body();
    job->end.set_value();
  } catch (...) {
    job->end.set_exception(std::current_exception());
  }
}

} // namespace

OnFatalError::OnFatalError(std::function<void()> action) : action_(std::move(action)), outer_(innermostAction) {
  innermostAction = this;
}
OnFatalError::~OnFatalError() { innermostAction = outer_; }
void OnFatalError::runAll() {
  while (innermostAction) std::exchange(innermostAction, innermostAction->outer_)->action_();
}

void runGuarded(const std::vector<std::function<void()>> &bodies) {
  if (parkedThreads >= mostParked) throw compile_error("LLVM has failed too often in this process");
  HandlerUse use;
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::future<void>> ends;
  std::vector<std::thread> threads(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    ends.push_back(jobs.emplace_back(std::make_shared<Job>())->end.get_future());
    try {
      threads[i] = std::thread(runJob, jobs[i], std::cref(bodies[i]));
    } catch (const std::system_error &) {
      jobs[i]->end.set_exception(std::current_exception());
    }
  }
  for (auto &end : ends) end.wait();
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (!threads[i].joinable()) continue;
    if (jobs[i]->isParked) threads[i].detach();
    else threads[i].join();
  }
  for (auto &end : ends) end.get();
}

} // namespace tensorjit
