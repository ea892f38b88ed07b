/// Many threads on one compiled function and on each other's tensors; meant for the thread sanitizer:
///   cmake --preset tsan && ninja -C build-tsan test-runtime-trace && build-tsan/bin/test-runtime-trace --gtest_filter=Threads.*
#include "FakeCompiler.h"
#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"

#include <deque>
#include <mutex>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

using Threads = WithFakeCompiler;

constexpr int numThreads = 32, rounds = 60;

template <class F> static void onThreads(F body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) threads.emplace_back([&body, t] { body(t); });
  for (auto &t : threads) t.join();
}

TEST_F(Threads, OneFunctionWithChangingShapes) {
  Tensor weight = full({1}, 3.f);
  auto compiled = compile([&](const Tensor &x) { return (x * weight + 1.f).sqrt().sum(); });
  std::atomic<int> wrong{0};
  onThreads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      const int64_t n = 1 + (i + t) % 7;
      if (compiled(ones({n})).item<float>() != 2.f * static_cast<float>(n)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiles, 7);
  EXPECT_EQ(compiled.stats().calls, numThreads * rounds);
}

TEST_F(Threads, TensorsMadeHereAndDroppedThere) {
  std::mutex mutex;
  std::deque<Tensor> pool;
  auto compiled = compile([&](const Tensor &x) {
    Tensor pending = x + 1.f, half = narrow(pending, 0, 0, 1);
    {
      std::lock_guard lock(mutex);
      pool.push_back(half); // still pending: others may hold and drop it, not use it
      pool.push_back(x);
      if (pool.size() > 64) pool.pop_front();
    }
    return pending * 2.f;
  });
  std::atomic<int> wrong{0};
  onThreads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      Tensor got = compiled(full({2 + t % 3}, static_cast<float>(i)));
      if (floats(got)[0] != 2.f * static_cast<float>(i + 1)) ++wrong;
      Tensor taken;
      {
        std::lock_guard lock(mutex);
        if (!pool.empty()) {
          taken = std::move(pool.front());
          pool.pop_front();
        }
      }
      if (taken.defined() && taken.sizes().rank() != 1) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, AnEagerTensorIsReadByAllAndItsViewsEndAnywhere) {
  Tensor shared = view(arange(64, kFloat32), {8, 8});
  std::atomic<int> wrong{0};
  onThreads([&](int t) {
    for (int i = 0; i < rounds; ++i) {
      Tensor row = select(shared, 0, t % 8), copy = shared, sum = (row + 0.f).sum();
      if (sum.item<float>() != static_cast<float>(t % 8 * 64 + 28)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}
