#pragma once
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <pthread.h>
#include <thread>

namespace tensorjit {

/// Calls into a library that is opened at run time. Its static objects are destroyed early in the program's end, while
/// other threads and later destructors may still want to call it: calls that run then are waited for, later ones find
/// the gate closed and must do without the library. `Library` tells the gates apart.
template <class Library> class ExitGate {
public:
  class Pass {
  public:
    Pass() {
      static_cast<void>(whenForked);
      ++running;
      ++inThisThread;
    }
    ~Pass() {
      --inThisThread;
      --running;
      // The library makes static objects in its calls too, so `close` is registered anew, to come before their
      // destructors.
      if (registered < mostRegistered && registered++ < mostRegistered) std::atexit(close);
    }
    Pass(const Pass &) = delete;
    explicit operator bool() const { return !closed; }
  };

private:
  static constexpr int mostRegistered = 64;

  static void close() {
    closed = true;
    // Not for ever: what runs may itself have asked for the end.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (running > inThisThread && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }

  static inline std::atomic<int> running{0}, registered{0};
  static inline std::atomic<bool> closed{false};
  static inline thread_local int inThisThread = 0;
  /// Calls of other threads do not go on in a forked child.
  static void inForkedChild() { running = inThisThread; }
  static inline const int whenForked = pthread_atfork(nullptr, nullptr, inForkedChild);
};

} // namespace tensorjit
