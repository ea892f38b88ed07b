/// Many threads on one compiled function and on each other's tensors; meant for the thread sanitizer:
///   cmake --preset tsan && ninja -C build-tsan test-runtime-trace && build-tsan/bin/test-runtime-trace
///   --gtest_filter=Threads.*
#include "FakeCompiler.h"
#include "tensorjit/autograd.h"
#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/data/dataloader.h"
#include "tensorjit/ops.h"

#include <barrier>
#include <deque>
#include <mutex>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

using Threads = WithFakeCompiler;

constexpr int numThreads = 32;
#ifdef __SANITIZE_THREAD__
constexpr int rounds = 60;
#else
constexpr int rounds = 20;
#endif

template <class F> static void onThreads(int number, F body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < number; ++t) threads.emplace_back([&body, t] { body(t); });
  for (auto &t : threads) t.join();
}
template <class F> static void onThreads(F body) { onThreads(numThreads, body); }

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
  EXPECT_EQ(compiles, 7) << compiled.explain();
  EXPECT_EQ(compiled.stats().calls, numThreads * rounds);
}

// Host numbers of a path that many threads make at once are constants, as they do not vary.
TEST_F(Threads, OnePathOfManyNumbersIsCompiledOnce) {
  const Tensor x = zeros({1});
  for (int round = 0; round < rounds; ++round) {
    auto compiled = compile([](const Tensor &start) {
      Tensor sum = start;
      for (int i = 1; i <= 1000; ++i) sum = sum + i;
      return sum;
    });
    std::atomic<int> wrong{0};
    std::barrier together(4);
    onThreads(4, [&](int) {
      together.arrive_and_wait();
      wrong += compiled(x).item<float>() != 500500.f;
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(compiled.stats().compiles, 1) << compiled.explain();
  }
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

namespace {

struct Numbers : data::Dataset {
  data::Example get(int64_t i) override { return {full({4}, static_cast<float>(i)), tensor(i)}; }
  int64_t size() const override { return 12; }
};

} // namespace

// What a thread does depends on its number and the round, so that each kind of work meets each other kind.
TEST_F(Threads, EverythingAtOnce) {
  Tensor weight = full({4}, 3.f).requires_grad_();
  auto shared = compile([&](const Tensor &x) { return (x * weight).sum(); });
  auto loader = [] {
    return data::make_data_loader(Numbers(), data::DataLoaderOptions().batch_size(3).num_workers(2).shuffle(true));
  };
  std::atomic<int> wrong{0};
  onThreads([&](int t) {
    const auto number = static_cast<float>(t);
    Tensor own = full({4}, number).requires_grad_();
    auto step = compile([&](const Tensor &x) {
      Tensor loss = (x * own * weight.detach()).sum();
      own.mutable_grad() = {};
      loss.backward();
      return loss;
    });
    const Tensor big = ones({1 << 16});
    for (int i = 0; i < rounds; ++i) {
      switch ((t + i) % 5) {
      case 0: // one function
        wrong += shared(full({4}, number)).item<float>() != 12.f * number;
        break;
      case 1: // one of many
        wrong += step(ones({4})).item<float>() != 12.f * number;
        wrong += own.grad().sum().item<float>() != 12.f;
        break;
      case 2: // the pool
        wrong += (big + big).sum().item<float>() != 2.f * (1 << 16);
        break;
      case 3: // a tape across a function, from a parameter that all share
        wrong += autograd::grad({shared(ones({4})) * 2.f}, {weight})[0].sum().item<float>() != 8.f;
        break;
      case 4:
        auto batches = loader();
        float sum = 0;
        for (auto [x, y] : *batches) sum += x.sum().item<float>();
        wrong += sum != 4.f * 66.f;
        break;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(weight.grad().defined());
}
