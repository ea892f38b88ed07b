// What a function keeps of its calls is bounded: the paths that have not been used for longest are dropped.
#include "FakeCompiler.h"
#include "core/TensorImpl.h"
#include "trace/CompiledState.h"
#include "trace/Lines.h"

#include <barrier>
#include <tensorjit/tensorjit.h>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

namespace {

constexpr size_t limit = 100'000;

struct TraceTreeMemory : WithFakeCompiler {
  std::shared_ptr<trace::CompiledState> state = std::make_shared<trace::CompiledState>(Options());
  void SetUp() override {
    WithFakeCompiler::SetUp();
    state->forward.setLimit(limit);
  }
  size_t bytes() const { return state->forward.bytes(); }

  template <class F> Tensor call(F f) {
    detail::Recording recording(state);
    Tensor result = f();
    recording.finish();
    return result;
  }
  /// Another path for each length.
  Tensor squares(int64_t length) {
    Tensor x = full({length}, double(length));
    return call([&] { return (x + x) * x; });
  }
  void expectSquares(int64_t length) {
    Tensor result = squares(length);
    ASSERT_EQ(result.sizes(), Shape({length}));
    EXPECT_EQ(result.select(0, length - 1).item(), 2.0 * double(length) * double(length));
  }
};

} // namespace

TEST_F(TraceTreeMemory, StaysBelowItsLimit) {
  size_t most = 0;
  for (int64_t length = 1; length <= 500; ++length) {
    expectSquares(length);
    most = std::max(most, bytes());
  }
  EXPECT_EQ(compiles, 500);
  // What is dropped goes when the call ends that dropped it.
  EXPECT_LT(most, limit + limit / 4);
  EXPECT_GT(most, limit / 2);
}

TEST_F(TraceTreeMemory, APathInUseStays) {
  for (int64_t length = 1; length <= 300; ++length) {
    expectSquares(length);
    expectSquares(7);
  }
  EXPECT_EQ(compiles, 300);
  expectSquares(300); // the latest
  EXPECT_EQ(compiles, 300);
  expectSquares(100); // dropped long ago
  EXPECT_EQ(compiles, 301);
  expectSquares(100);
  EXPECT_EQ(compiles, 301);
}

TEST_F(TraceTreeMemory, APathGoesWithItsBreaksAndItsBranches) {
  auto loop = [&](int64_t length) {
    return call([&] {
      Tensor x = ones({length});
      for (int64_t i = 0; i < length % 10; ++i)
        if (x.sum().item() > 0) x = x + x;
      return x;
    });
  };
  for (int64_t length = 1; length <= 300; ++length) {
    EXPECT_EQ(loop(length).select(0, 0).item(), double(1 << length % 10)) << length;
    ASSERT_LT(bytes(), limit + limit / 4) << length;
  }
}

TEST_F(TraceTreeMemory, ACallInProgressKeepsWhatItReads) {
  Tensor x = ones({3});
  auto body = [&](auto inBetween) {
    return call([&] {
      Tensor y = x + x;
      inBetween();
      Tensor z = y * x;
      inBetween();
      return z - x;
    });
  };
  body([] {}); // the path is known
  const size_t before = bytes();
  std::barrier turn(2);
  std::thread other([&] {
    int number = 0;
    Tensor result = body([&] {
      turn.arrive_and_wait();
      if (number++ == 0) turn.arrive_and_wait();
    });
    EXPECT_EQ(result.sum().item(), 3.0);
  });
  turn.arrive_and_wait();
  for (int64_t length = 10; length <= 400; ++length) expectSquares(length); // drops the path that the call is on
  EXPECT_GT(bytes(), limit + limit / 4);                                    // and frees none
  EXPECT_LT(bytes(), 2 * limit + limit / 4);
  turn.arrive_and_wait();
  turn.arrive_and_wait();
  other.join();
  expectSquares(401);
  EXPECT_LT(bytes(), limit + limit / 4);
  EXPECT_GT(bytes(), before);
}

TEST_F(TraceTreeMemory, ManyThreadsDropEachOthersPaths) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < 400; ++i) expectSquares(1 + (i * (t + 1)) % 150);
    });
  for (std::thread &thread : threads) thread.join();
  expectSquares(1000);
  expectSquares(1001);
  EXPECT_LT(bytes(), limit + limit / 4);
}

TEST_F(TraceTreeMemory, ACallThatIsLongerGoesOnByEagerKernels) {
  Tensor x = ones({5});
  auto body = [&] {
    Tensor y = x;
    for (int i = 0; i < 2000; ++i) y = y + x;
    return y;
  };
  EXPECT_EQ(call(body).sum().item(), 5.0 * 2001);
  const size_t once = bytes(); // the limit's part of the call, and what runs that
  EXPECT_LT(once, 4 * limit);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(call(body).sum().item(), 5.0 * 2001);
  EXPECT_EQ(bytes(), once);
  EXPECT_NE(state->explain().find("has reached its limit"), std::string::npos) << state->explain();
  expectSquares(5);
}

// Another thread may be about to name the line of a value that it found pending.
TEST_F(TraceTreeMemory, TheLineOfAPendingValueOutlastsItsPath) {
  const SourceLine *where = nullptr;
  const uint32_t line = __LINE__ + 2;
  call([&] {
    Tensor x = ones({3}) + 1.f;
    where = &x.impl()->storage->buffer->where();
    return x;
  });
  state = nullptr;
  EXPECT_EQ(trace::text(*where), "trace_tree.cpp:" + std::to_string(line));
}
