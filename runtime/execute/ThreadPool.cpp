#include "execute/ThreadPool.h"
#include "execute/FloatMode.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace tensorjit {

namespace {

constexpr auto spinTime = std::chrono::microseconds(40);

[[gnu::tls_model("initial-exec")]] constinit thread_local int indexOfThread = 0;
[[gnu::tls_model("initial-exec")]] constinit thread_local bool insideBody = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Calls `ready` until it is true, for about `spinTime`; false when the time is over.
template <class F> bool spin(F ready) {
  for (int i = 0; i < 64; ++i) {
    if (ready()) return true;
    pause();
  }
  auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

int cpusOfProcess() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

using Body = FunctionRef<void(int64_t, int64_t)>;

/// `ticket_` holds the job's number, its count of chunks and the next chunk to take, so that taking a chunk also proves
/// that the job read before is still the one that runs: a job cannot change before all its chunks are done.
class Pool {
public:
  bool tryRun(int64_t extent, int64_t grain, const Body &body) {
    std::unique_lock lock(user_, std::try_to_lock);
    if (!lock) return false;
    if (static_cast<int>(workers_.size()) + 1 < size_) start();
    int64_t pieces = piecesOf(extent, grain), chunks = chunksOf(pieces);
    if (chunks < 2) return false;
    body_.store(&body, std::memory_order_relaxed);
    extent_.store(extent, std::memory_order_relaxed);
    pieces_.store(pieces, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    uint64_t job = (ticket_.load(std::memory_order_relaxed) >> 32) + 1;
    ticket_.store(job << 32 | static_cast<uint64_t>(chunks) << 16, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) {
      { std::lock_guard sleep(sleep_); }
      wake_.notify_all();
    }
    takeChunks();
    auto finished = [&] { return done_.load(std::memory_order_acquire) == chunks; };
    while (!spin(finished)) std::this_thread::yield();
    return true;
  }

  int size() const { return size_; }

  void resize(int n) {
    std::lock_guard lock(user_);
    stop();
    size_ = n;
  }

private:
  static constexpr int64_t maxChunks = 0xffff;

  struct Range {
    int64_t lo, hi;
  };

  /// Pieces of equal size that chunks are made of, none shorter than the grain. Short jobs have one for each thread.
  int64_t piecesOf(int64_t extent, int64_t grain) const {
    int64_t most = extent / grain;
    return std::min<int64_t>({most, most >= 8 * size_ ? 16 * size_ : size_, maxChunks});
  }

  /// Each round of as many chunks as threads gives out half of the pieces that are left: the first chunks are few and
  /// large, and the last are short, so that the threads end together even where one of them is held up.
  Range piecesOfChunk(int64_t pieces, int64_t chunk) const {
    int64_t lo = 0;
    while (true) {
      int64_t length = std::max<int64_t>(1, (pieces - lo + 2 * size_ - 1) / (2 * size_));
      if (chunk < size_ || lo >= pieces)
        return {std::min(pieces, lo + chunk * length), std::min(pieces, lo + (chunk + 1) * length)};
      lo += size_ * length;
      chunk -= size_;
    }
  }

  int64_t chunksOf(int64_t pieces) const {
    int64_t chunks = 0;
    for (int64_t lo = 0; lo < pieces; lo = piecesOfChunk(pieces, chunks).lo) chunks += size_;
    // The last round may have too little for all of its chunks.
    while (chunks && piecesOfChunk(pieces, chunks - 1).lo >= pieces) --chunks;
    return chunks;
  }

  void start() {
    stopping_ = false;
    uint64_t job = ticket_.load(std::memory_order_relaxed) >> 32;
    try {
      while (static_cast<int>(workers_.size()) + 1 < size_)
        workers_.emplace_back([this, job, i = static_cast<int>(workers_.size()) + 1] { work(i, job); });
    } catch (const std::system_error &) {
      // The chunks that a missing thread does not take are taken by the others.
    }
  }

  void stop() {
    {
      std::lock_guard sleep(sleep_);
      stopping_ = true;
      wake_.notify_all();
    }
    for (std::thread &t : workers_) t.join();
    workers_.clear();
  }

  void work(int index, uint64_t seen) {
    const FloatMode mode; // a thread starts with the mode of the one that made it
    indexOfThread = index;
    auto changed = [&] {
      return ticket_.load(std::memory_order_acquire) >> 32 != seen || stopping_.load(std::memory_order_relaxed);
    };
    while (true) {
      if (!spin(changed)) {
        std::unique_lock lock(sleep_);
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        wake_.wait(lock, [&] { return ticket_.load(std::memory_order_seq_cst) >> 32 != seen || stopping_; });
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
      }
      if (stopping_) return;
      seen = takeChunks();
    }
  }

  /// Runs chunks of the present job until none is left to take; returns the job's number.
  uint64_t takeChunks() {
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (true) {
      const Body *body = body_.load(std::memory_order_relaxed);
      int64_t extent = extent_.load(std::memory_order_relaxed), pieces = pieces_.load(std::memory_order_relaxed);
      uint32_t chunks = ticket >> 16 & 0xffff, chunk = ticket & 0xffff;
      if (chunk >= chunks) return ticket >> 32;
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
      insideBody = true;
      Range taken = piecesOfChunk(pieces, chunk);
      (*body)(startOf(extent, pieces, taken.lo), startOf(extent, pieces, taken.hi));
      insideBody = false;
      done_.fetch_add(1, std::memory_order_release);
      ticket = ticket_.load(std::memory_order_acquire);
    }
  }

  static int64_t startOf(int64_t extent, int64_t pieces, int64_t piece) {
    return extent / pieces * piece + std::min(piece, extent % pieces);
  }

  std::mutex user_;
  int size_ = cpusOfProcess();
  std::vector<std::thread> workers_;

  alignas(64) std::atomic<uint64_t> ticket_{0};
  std::atomic<const Body *> body_{nullptr};
  std::atomic<int64_t> extent_{0}, pieces_{0};
  alignas(64) std::atomic<int64_t> done_{0};

  alignas(64) std::mutex sleep_;
  std::condition_variable wake_;
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopping_{false};
};

/// The pool's threads do not exist in a forked child, and its locks may be held: the child runs serially.
std::atomic<bool> unusable{false};

/// Never destroyed: while the program ends, its other threads and destructors of static objects may still compute.
/// Threads that sleep or spin then end with the process.
Pool &pool() {
  static Pool &pool = []() -> Pool & {
    pthread_atfork(nullptr, nullptr, [] { unusable = true; });
    return *new Pool;
  }();
  return pool;
}

} // namespace

void parallelFor(int64_t extent, int64_t grain, Body body) {
  if (extent <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (extent / grain < 2 || insideBody || unusable.load(std::memory_order_relaxed) ||
      !pool().tryRun(extent, grain, body))
    body(0, extent);
}

int threadIndex() { return indexOfThread; }

int numThreads() { return unusable ? 1 : pool().size(); }

void setNumThreads(int n) {
  if (n < 1) throw value_error("set_num_threads: " + std::to_string(n) + " threads asked for; at least 1 is needed");
  if (insideBody) throw Error("set_num_threads: called from inside a parallel region");
  if (!unusable) pool().resize(n);
}

} // namespace tensorjit
