/// The steady state of a compiled function: once its path is compiled, a call asks the heap for nothing and takes no
/// lock.
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mutex>
#include <pthread.h>
#include <tensorjit/tensorjit.h>

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0}, locks{0};
void count() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

/// Counts, and goes on in the function of the C library that has this name.
template <class Lock> int countLock(const char *name, Lock *lock) {
  if (counting.load(std::memory_order_relaxed)) locks.fetch_add(1, std::memory_order_relaxed);
  return reinterpret_cast<int (*)(Lock *)>(dlsym(RTLD_NEXT, name))(lock);
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
// What can wait. Trying does not: the pool tries, and a call that finds it busy computes alone.
int pthread_mutex_lock(pthread_mutex_t *m) noexcept { return countLock("pthread_mutex_lock", m); }
int pthread_rwlock_rdlock(pthread_rwlock_t *l) noexcept { return countLock("pthread_rwlock_rdlock", l); }
int pthread_rwlock_wrlock(pthread_rwlock_t *l) noexcept { return countLock("pthread_rwlock_wrlock", l); }
}

namespace tensorjit {
namespace {

template <class F> void count(F call) {
  for (int i = 0; i < 5; ++i) call();
  allocations = locks = 0;
  counting = true;
  for (int i = 0; i < 10; ++i) call();
  counting = false;
}

template <class F> void expectNothing(F call) {
  count(call);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(locks, 0);
}

TEST(SteadyState, TheCounterCounts) {
  std::mutex mutex;
  count([&] {
    std::lock_guard lock(mutex);
    std::vector<int> v(100);
  });
  EXPECT_GE(allocations, 10);
  EXPECT_EQ(locks, 10);
}

TEST(SteadyState, AFunctionOfItsArgument) {
  NoGradGuard noGrad;
  Tensor x = ones({4});
  auto f = compile([](const Tensor &x) { return x + 1; });
  expectNothing([&] { f(x); });
}

TEST(SteadyState, ALongChainWithALargeArena) {
  NoGradGuard noGrad;
  set_num_threads(1); // waking a thread that sleeps takes a lock
  Tensor x = ones({512, 512}), y = ones({512, 512});
  auto f = compile([&](const Tensor &x) {
    Tensor t = x;
    for (int i = 0; i < 10; ++i) t = matmul(t + y, y).tanh();
    return t.sum();
  });
  expectNothing([&] { f(x); });
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
  expectNothing([&] { f(x); });
}

TEST(SteadyState, AForwardPassWithGradients) {
  Tensor x = ones({16}), w = ones({16}).requires_grad_();
  auto f = compile([&](const Tensor &x) { return ((x * w).tanh() + w * 2).sum(); });
  expectNothing([&] { f(x); });
}

TEST(SteadyState, ATrainStep) {
  Tensor x = ones({16}), w = ones({16}).requires_grad_();
  optim::SGD sgd({w}, 0.01);
  auto f = compile([&](const Tensor &x) {
    Tensor loss = ((x * w).tanh() + w * 2).sum();
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss;
  });
  expectNothing([&] { f(x); });
}

TEST(SteadyState, AGraphBreak) {
  NoGradGuard noGrad;
  Tensor x = ones({16});
  auto f = compile([](const Tensor &x) {
    Tensor s = x.sum();
    return s.item<float>() > 0 ? x * s : x;
  });
  expectNothing([&] { f(x); });
}

} // namespace
} // namespace tensorjit
