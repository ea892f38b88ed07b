#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace tensorjit {

template <class> class FunctionRef;
/// A borrowed callable: two words, no allocation. Lives no longer than the call it is passed to.
template <class R, class... Args> class FunctionRef<R(Args...)> {
public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>) FunctionRef(F &&f)
      : object_(const_cast<void *>(static_cast<const void *>(std::addressof(f)))),
        call_([](void *o, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F> *>(o))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

private:
  void *object_;
  R (*call_)(void *, Args...);
};

/// Runs `body(lo, hi)` over disjoint ranges that cover [0, extent), on the pool's threads and the caller's. One range a
/// thread, or a few where each is still several times `grain`, which no range falls short of (except the only one), so
/// that a thread that lost its core to another program holds up little. Returns when all are done. Nested calls run
/// serially; of concurrent callers one gets the pool and the others run serially. `body` must not throw.
void parallelFor(int64_t extent, int64_t grain, FunctionRef<void(int64_t lo, int64_t hi)> body);

/// Inside `body`: which of the pool's threads runs it, in [0, numThreads()); 0 outside.
int threadIndex();

/// Threads that `parallelFor` uses, the caller's included; at first the number of CPUs of the process.
int numThreads();
/// Throws `value_error` below 1. Waits for a running `parallelFor`.
void setNumThreads(int n);

} // namespace tensorjit
