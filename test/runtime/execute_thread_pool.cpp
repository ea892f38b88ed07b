#include "execute/ThreadPool.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tensorjit;

namespace {

/// How often each unit of [0, extent) was run.
std::vector<int> visits(int64_t extent, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(extent));
  parallelFor(extent, grain, [&](int64_t lo, int64_t hi) {
    for (; lo < hi; ++lo) ++seen[static_cast<size_t>(lo)];
  });
  return {seen.begin(), seen.end()};
}

} // namespace

TEST(ThreadPool, EveryUnitRunsOnce) {
  for (int threads : {1, 2, 3, 8}) {
    setNumThreads(threads);
    for (int64_t extent : {0, 1, 2, 7, 8, 9, 1000})
      for (int64_t grain : {1, 3, 500, 5000})
        EXPECT_EQ(visits(extent, grain), std::vector<int>(static_cast<size_t>(extent), 1));
  }
}

TEST(ThreadPool, ChunksAreNotShorterThanTheGrain) {
  setNumThreads(4);
  std::mutex mutex;
  std::vector<int64_t> lengths;
  parallelFor(100, 40, [&](int64_t lo, int64_t hi) {
    std::lock_guard lock(mutex);
    lengths.push_back(hi - lo);
  });
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0], 50);
}

TEST(ThreadPool, TheLastChunksAreShort) {
  setNumThreads(2);
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> chunks;
  parallelFor(3200, 1, [&](int64_t lo, int64_t hi) {
    std::lock_guard lock(mutex);
    chunks.push_back({lo, hi});
  });
  std::sort(chunks.begin(), chunks.end());
  std::vector<int64_t> lengths;
  for (auto [lo, hi] : chunks) lengths.push_back(hi - lo);
  EXPECT_EQ(lengths, (std::vector<int64_t>{800, 800, 400, 400, 200, 200, 100, 100, 100, 100}));
}

TEST(ThreadPool, NestedCallsRunOnTheCallersThread) {
  setNumThreads(2);
  std::atomic<int> units{0};
  parallelFor(4, 1, [&](int64_t lo, int64_t hi) {
    for (; lo < hi; ++lo) {
      auto outer = std::this_thread::get_id();
      parallelFor(10, 1, [&](int64_t a, int64_t b) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        units += static_cast<int>(b - a);
      });
    }
  });
  EXPECT_EQ(units, 40);
}

TEST(ThreadPool, ConcurrentCallersAndResizesDoNotDisturbEachOther) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        parallelFor(100, 1, [&](int64_t lo, int64_t hi) {
          for (; lo < hi; ++lo) sum += lo;
        });
    });
  for (int i = 0; i < 50; ++i) setNumThreads(1 + i % 4);
  for (auto &t : callers) t.join();
  EXPECT_EQ(sum, int64_t(4) * 500 * 4950);
  EXPECT_EQ(numThreads(), 2);
}

TEST(ThreadPool, WakesAfterSleeping) {
  setNumThreads(2);
  visits(10, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(visits(10, 1), std::vector<int>(10, 1));
}

TEST(ThreadPool, AForkedChildRunsSerially) {
  setNumThreads(2);
  visits(10, 1);
  pid_t child = fork();
  if (child == 0) _exit(visits(100, 1) == std::vector<int>(100, 1) ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(ThreadPool, RefusesNoThreads) { EXPECT_THROW(setNumThreads(0), value_error); }
