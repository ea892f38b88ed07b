#pragma once

namespace tensorjit {

/// One `T` for each thread, made at its first use and deleted at the thread's end. Destructors of static objects run
/// after that on the main thread, and may use it again: they get a new one, which then stays.
template <class T, class Tag> class ThreadObject {
public:
  static T &get() {
    if (!object) [[unlikely]]
      make();
    return *object;
  }

private:
  struct Delete {
    ~Delete() {
      T *last = object;
      object = nullptr;
      delete last;
    }
  };
  [[gnu::noinline]] static void make() {
    object = new T;
    static thread_local Delete atEnd;
    static_cast<void>(atEnd);
  }
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local T *object = nullptr;
};

} // namespace tensorjit
