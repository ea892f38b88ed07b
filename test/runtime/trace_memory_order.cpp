/// Results that a compiled function leaves in another order than row-major: who may see it, and who must not.
#include "ReorderingCompiler.h"
#include "StaleCaptures.h"
#include "tensorjit/loaded_executable.h"
#include "tensorjit/tensorjit.h"

#include <filesystem>
#include <sstream>
#include <thread>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::testing;

using MemoryOrderTest = WithReorderingCompiler;

namespace {

auto twice() {
  return compile([](const Tensor &x) { return x * 2.f; });
}

/// Counts up, so that an element out of place is seen.
Tensor image() { return ramp({2, 3, 4, 5}); }

} // namespace

TEST_F(MemoryOrderTest, StridesFollowTheOrder) {
  MemoryOrder nhwc({0, 2, 3, 1});
  EXPECT_EQ(nhwc.strides({2, 3, 4, 5}), Shape({60, 1, 15, 3}));
  EXPECT_EQ(nhwc.dims(), Shape({0, 2, 3, 1}));
  EXPECT_TRUE(MemoryOrder({0, 1, 2}).isRowMajor());
  EXPECT_EQ(MemoryOrder().strides({2, 3}), Shape({3, 1}));
  EXPECT_TRUE(nhwc.reorders({2, 3, 4, 1}));
  EXPECT_FALSE(nhwc.reorders({2, 3, 1, 1}));
  EXPECT_FALSE(nhwc.reorders({2, 1, 4, 5}));
}

TEST_F(MemoryOrderTest, EagerReadersSeeRowMajor) {
  auto f = twice();
  Tensor x = image(), want = x * 2.f, y = f(x);
  ASSERT_TRUE(isReordered(y));
  EXPECT_TRUE(y.is_contiguous());
  EXPECT_NE(std::memcmp(bufferOf(y).storedData(), want.data_ptr(), bufferOf(y).bytes()), 0);
  expectSame(y + 1.f, want + 1.f, "op");
  expectSame(select(y, 1, 2), select(want, 1, 2), "view");
  expectSame(flatten(y, 1) * 1.f, flatten(want, 1), "reshape");
  expectSame(y.clone(), want, "clone");
  EXPECT_TRUE(equal(y, want));
  std::ostringstream a, b;
  a << y;
  b << want;
  EXPECT_EQ(a.str(), b.str());
  EXPECT_EQ(select(flatten(y), 0, 7).item<float>(), select(flatten(want), 0, 7).item<float>());
  EXPECT_TRUE(isReordered(y)); // reading changes nothing that another thread may hold
  EXPECT_EQ(std::memcmp(y.data_ptr(), want.data_ptr(), bufferOf(want).bytes()), 0);
  EXPECT_FALSE(isReordered(y)); // what may be written is row-major
}

TEST_F(MemoryOrderTest, DimsOfSizeOneReorderNothing) {
  auto f = twice();
  Tensor x = ramp({4, 6, 1, 1}), y = f(x);
  EXPECT_FALSE(isReordered(y));
  expectSame(y, x * 2.f);
}

TEST_F(MemoryOrderTest, TheNextFunctionReadsItAsItLies) {
  auto f = twice();
  auto g = compile([](const Tensor &x) { return x + 1.f; });
  Tensor x = image(), y = f(x);
  expectSame(g(y), x * 2.f + 1.f);
  ASSERT_EQ(lastGraph.inputOrders.size(), 1u);
  EXPECT_EQ(lastGraph.inputOrders[0], MemoryOrder({0, 2, 3, 1}));
  EXPECT_EQ(bufferOf(y).data() == bufferOf(y).storedData(), false);
  compiles = 0;
  expectSame(g(f(x)), x * 2.f + 1.f);
  EXPECT_EQ(compiles, 0);
  expectSame(g(x), x + 1.f, "row-major is another path");
  expectSame(g(f(x)), x * 2.f + 1.f);
  EXPECT_EQ(compiles, 1);
}

TEST_F(MemoryOrderTest, WholeViewsEnterThroughTheirBaseOthersAsWindows) {
  auto f = twice();
  auto g = compile([](const Tensor &x) { return x + 1.f; });
  Tensor x = image(), want = x * 2.f, y = f(x);
  expectSame(g(flatten(y, 1)), flatten(want, 1) + 1.f);
  ASSERT_FALSE(lastGraph.inputOrders[0].isRowMajor());
  expectSame(g(permute(y, {1, 0, 3, 2})), permute(want, {1, 0, 3, 2}) + 1.f);
  compiles = 0;
  for (int64_t i : {0, 1}) expectSame(g(select(y, 0, i)), select(want, 0, i) + 1.f);
  EXPECT_EQ(compiles, 1); // which row it is, is no part of the path
  EXPECT_TRUE(lastGraph.inputOrders[0].isRowMajor());
}

TEST_F(MemoryOrderTest, ViewsOfAPendingBase) {
  Tensor kept, row;
  auto f = compile([&](const Tensor &x) {
    kept = x * 2.f;
    row = select(kept, 0, 1);
    return flatten(kept, 1);
  });
  Tensor x = image(), want = x * 2.f, flat = f(x);
  ASSERT_TRUE(isReordered(kept));
  expectSame(flat, flatten(want, 1));
  expectSame(row, select(want, 0, 1));
  row.zero_(); // reaches the base and its other views
  select(want, 0, 1).zero_();
  expectSame(kept, want);
  expectSame(flat, flatten(want, 1));
}

TEST_F(MemoryOrderTest, WritesOutsideKeepSavedValues) {
  auto f = twice();
  Tensor x = image().requires_grad_(), y = f(x);
  Tensor loss = (y * y).sum(), alias = y.detach();
  ASSERT_TRUE(isReordered(alias));
  alias.add_(1.f);
  expectSame(alias, x.detach() * 2.f + 1.f);
  expectSame(y.detach(), alias);
  loss.backward();
  expectSame(x.grad(), x.detach() * 2.f * 2.f * 2.f);
}

TEST_F(MemoryOrderTest, StateThatIsReorderedIsUpdatedAsItLies) {
  auto f = twice();
  Tensor x = image(), state = f(x), want = x * 2.f, read;
  auto g = compile([&](const Tensor &d) {
    read = state * 1.f;
    state.add_(d);
  });
  const void *memory = bufferOf(state).storedData();
  for (int i = 0; i < 3; ++i) {
    g(x);
    expectSame(read, want, "before");
    want = want + x;
    Tensor outside = state + 0.f; // makes the row-major copy, which the next update has to drop
    expectSame(outside, want, "after");
    EXPECT_EQ(bufferOf(state).storedData(), memory);
  }
  EXPECT_TRUE(isReordered(state));
}

TEST_F(MemoryOrderTest, UpdatesOfSharedStateLeaveTheOtherHolderAlone) {
  auto f = twice();
  Tensor x = image(), state = f(x), want = x * 2.f, copy = zeros(state.sizes());
  copy.copy_(state); // shares the buffer
  auto g = compile([&] { state.mul_(3.f); });
  g();
  expectSame(copy, want);
  expectSame(state, want * 3.f);
  copy.add_(1.f);
  expectSame(state, want * 3.f);
}

TEST_F(MemoryOrderTest, SwapsOfStatesInDifferentOrders) {
  auto f = twice();
  Tensor x = image(), a = f(x), b = ramp(x.sizes(), 3), wantA = x * 2.f, wantB = b.clone();
  auto swap = compile([&] {
    Tensor t = a.clone();
    a.copy_(b.clone());
    b.copy_(t);
  });
  for (int i = 0; i < 3; ++i) {
    swap();
    std::swap(wantA, wantB);
    expectSame(a, wantA);
    expectSame(b, wantB);
  }
}

TEST_F(MemoryOrderTest, AnExceptionRunsTheRestWithEagerKernels) {
  auto f = twice();
  Tensor x = image(), y = f(x), kept;
  auto g = compile([&] {
    kept = y + 1.f;
    y.mul_(2.f);
    throw std::runtime_error("the user's own");
  });
  EXPECT_THROW(g(), std::runtime_error);
  expectSame(kept, x * 2.f + 1.f);
  expectSame(y, x * 2.f * 2.f);
}

TEST_F(MemoryOrderTest, AcrossAGraphBreak) {
  Tensor x = image();
  auto f = [](const Tensor &in) {
    Tensor y = in * 2.f;
    float first = select(flatten(y), 0, 1).item<float>();
    return y + first;
  };
  auto compiled = compile(f);
  for (int i = 0; i < 3; ++i) expectSame(compiled(x), f(x));
}

TEST_F(MemoryOrderTest, ThreadsThatReadAtOnceMakeOneCopy) {
  auto f = compile([](const Tensor &x) { return x * 2.f; });
  Tensor x = ramp({8, 16, 32, 32}), want = x * 2.f;
  for (int round = 0; round < 20; ++round) {
    Tensor y = f(x);
    std::vector<const void *> seen(4);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < seen.size(); ++t) threads.emplace_back([&, t] { seen[t] = bufferOf(y).data(); });
    for (std::thread &t : threads) t.join();
    for (const void *p : seen) EXPECT_EQ(p, seen[0]);
    EXPECT_EQ(std::memcmp(seen[0], want.data_ptr(), bufferOf(want).bytes()), 0);
  }
}

TEST_F(MemoryOrderTest, EveryDtypeIsBroughtInOrder) {
  auto f = compile([](const Tensor &x) { return x.clone(); });
  for (DType t : {kFloat32, kFloat64, kInt64, kInt32, kUInt8, DType::I8, kBool}) {
    Tensor x = ramp({3, 7, 9, 20}, 1).to(t), y = f(x);
    ASSERT_TRUE(isReordered(y)) << name(t);
    expectSame(y, x, name(t));
  }
  Tensor none = zeros({2, 0, 3, 4});
  expectSame(f(none), none);
}

TEST_F(MemoryOrderTest, SavedProgramsTakeAndGiveRowMajorTensors) {
  auto f = twice();
  Tensor x = image(), state = f(x), before = state.clone();
  auto g = compile([&](const Tensor &d, Tensor target) {
    state.add_(d);
    target.mul_(2.f);
    return state * 1.f;
  });
  std::string path = std::filesystem::temp_directory_path() / ("tensorjit-order-" + std::to_string(getpid()));
  Tensor argument = f(x), target = f(x); // in an order of their own when saved
  ASSERT_TRUE(isReordered(argument));
  g.save(path, argument, target);
  expectSame(state, before + x * 2.f);
  LoadedExecutable loaded(path);
  Tensor plain = ramp(x.sizes(), 5), updated = ramp(x.sizes(), 7);
  Tensor want = before + x * 2.f + plain;
  expectSame(loaded.run({plain, updated})[0], want, "row-major argument");
  expectSame(updated, ramp(x.sizes(), 7) * 2.f);
  Tensor again = f(plain);
  want = want + plain * 2.f;
  expectSame(loaded.run({again, updated})[0], want, "argument as it lies");
  std::filesystem::remove(path);
}

TEST_F(MemoryOrderTest, EveryStaleCaptureIsSeen) {
  forEachStaleCapture([](const std::string &name, auto world) {
    decltype(world) plain, traced;
    auto compiled = compile([&traced] { return traced.run(); });
    for (int k : {0, 1, 0, 1, 1, 0}) {
      plain.prepare(k);
      traced.prepare(k);
      Tensors want = plain.run(), got = compiled();
      ASSERT_EQ(want.size(), got.size()) << name;
      for (size_t i = 0; i < want.size(); ++i) expectSame(got[i], want[i], name);
    }
  });
}
