#include "trace/CompileJob.h"
#include "cache/ExecutableCache.h"
#include "core/ExitGate.h"
#include "execute/FloatMode.h"
#include "tensorjit/error.h"
#include "trace/CompilerLoader.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace tensorjit::trace {

namespace {

Executable compileGraph(const CompileJob &job, CompileReport &report) {
  const ExitGate<CompilerInterface>::Pass pass;
  if (!pass) throw std::runtime_error("the program is ending");
  std::string why;
  const CompilerInterface *interface = compiler(&why);
  if (!interface) throw compile_error(why);
  const FloatMode mode; // constants are folded on the host
  return interface->compile(job.graph, job.options, &report);
}

/// Never destroyed: its thread outlives the objects of the program.
class BackgroundThread {
public:
  /// A forked child has no thread, and a lock that may never be given back: it starts anew.
  static BackgroundThread &ofProcess() {
    static std::atomic<BackgroundThread *> current{nullptr};
    BackgroundThread *found = current.load();
    while (!found || found->process_ != getpid()) {
      auto *made = new BackgroundThread;
      if (current.compare_exchange_strong(found, made)) return *made;
      delete made;
    }
    return *found;
  }

  void add(const std::shared_ptr<CompileJob> &job) {
    std::lock_guard lock(mutex_);
    jobs_.push_back(job);
    if (!started_) {
      std::thread([this] { work(); }).detach();
      started_ = true;
    }
    changed_.notify_all();
  }

  void wait(const CompileJob &job) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return job.done.load(std::memory_order_acquire); });
  }

private:
  void work() {
    // Of this thread, and of those that the compiler starts from it. Lower, and calls that keep every core busy would
    // never let it end.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 10);
    while (true) {
      std::shared_ptr<CompileJob> job = next();
      job->run();
      { std::lock_guard lock(mutex_); } // for one who waits and has just looked
      changed_.notify_all();
    }
  }

  std::shared_ptr<CompileJob> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !jobs_.empty(); });
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<CompileJob>> jobs_;
  bool started_ = false;
};

} // namespace

void CompileJob::run() noexcept {
  const auto start = std::chrono::steady_clock::now();
  try {
    executable = compileGraph(*this, report);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!cacheKey.empty())
      cache::ExecutableCache::shared()->store(cacheKey, {executable, report.fusionNotes, report.libraries});
  } catch (...) {
    failure = std::current_exception();
  }
  done.store(true, std::memory_order_release);
}

void CompileJob::runInBackground(const std::shared_ptr<CompileJob> &job) {
  job->process_ = getpid();
  BackgroundThread::ofProcess().add(job);
}

void CompileJob::wait() const {
  if (!isLost()) BackgroundThread::ofProcess().wait(*this);
}

bool CompileJob::isLost() const { return !done.load(std::memory_order_acquire) && process_ != getpid(); }

} // namespace tensorjit::trace
