/// The steady state of a compiled function: once its path is compiled, a call asks the heap for nothing.
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <tensorjit/tensorjit.h>

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};
void count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

} // namespace

// In place of the C library's, for this program and its libraries; operator new goes through malloc.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void *malloc(size_t n) { return count(), __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return count(), __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return count(), __libc_realloc(p, n); }
void *aligned_alloc(size_t alignment, size_t n) { return count(), __libc_memalign(alignment, n); }
}

namespace tensorjit {
namespace {

template <class F> int allocationsOfACall(F call) {
  for (int i = 0; i < 5; ++i) call();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 10; ++i) call();
  counting = false;
  return allocations;
}

TEST(SteadyState, TheCounterCounts) {
  EXPECT_GE(allocationsOfACall([] { std::vector<int> v(100); }), 10);
}

TEST(SteadyState, AFunctionOfItsArgument) {
  NoGradGuard noGrad;
  Tensor x = ones({4});
  auto f = compile([](const Tensor &x) { return x + 1; });
  EXPECT_EQ(allocationsOfACall([&] { f(x); }), 0);
}

TEST(SteadyState, ALongChainWithALargeArena) {
  NoGradGuard noGrad;
  Tensor x = ones({512, 512}), y = ones({512, 512});
  auto f = compile([&](const Tensor &x) {
    Tensor t = x;
    for (int i = 0; i < 10; ++i) t = matmul(t + y, y).tanh();
    return t.sum();
  });
  EXPECT_EQ(allocationsOfACall([&] { f(x); }), 0);
}

TEST(SteadyState, ViewsStateAndANumberThatVaries) {
  NoGradGuard noGrad;
  Tensor state = zeros({64, 8}), x = ones({8, 64});
  double rate = 0;
  auto f = compile([&](const Tensor &x) {
    state.add_(t(x) * (rate += 0.5));
    select(state, 0, 3).copy_(select(x, 1, 0));
    return narrow(state, 0, 2, 4) * 2;
  });
  EXPECT_EQ(allocationsOfACall([&] { f(x); }), 0);
}

TEST(SteadyState, AGraphBreak) {
  NoGradGuard noGrad;
  Tensor x = ones({16});
  auto f = compile([](const Tensor &x) {
    Tensor s = x.sum();
    return s.item<float>() > 0 ? x * s : x;
  });
  EXPECT_EQ(allocationsOfACall([&] { f(x); }), 0);
}

} // namespace
} // namespace tensorjit
