#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

namespace tensorjit {

/// Gives `Derived` operator new and delete from a per-thread list of freed objects: a recorded op may cost tens of
/// nanoseconds and makes three small objects. An object may be freed by another thread than made it. Off under the
/// address sanitizer, which could not see a use after free through the list.
template <class Derived> class Pooled {
public:
#ifdef __SANITIZE_ADDRESS__
  static void operator delete(void *object, size_t) { ::operator delete(object); }
#else
  static void *operator new(size_t size) {
    Pool &p = pool;
    if (!p.head || size != sizeof(Derived)) [[unlikely]]
      return ::operator new(size);
    Cell *cell = p.head;
    p.head = cell->next;
    --p.count;
    return cell;
  }
  static void *operator new(size_t, void *at) { return at; }
  static void operator delete(void *object, size_t size) {
    Pool &p = pool;
    if (size != sizeof(Derived) || p.count >= p.limit) [[unlikely]] {
      if (p.limit || !p.open()) return ::operator delete(object);
    }
    Cell *cell = static_cast<Cell *>(object);
    cell->next = p.head;
    p.head = cell;
    ++p.count;
  }

private:
  struct Cell {
    Cell *next;
  };
  struct Pool {
    Cell *head;
    uint32_t count, limit;
    bool closed;
    /// The list is emptied at the thread's end; objects freed after that go to the heap.
    bool open();
  };
  struct Drain {
    ~Drain() {
      while (Cell *cell = pool.head) {
        pool.head = cell->next;
        ::operator delete(cell);
      }
      pool.count = pool.limit = 0;
      pool.closed = true;
    }
  };
  [[gnu::tls_model("initial-exec")]] static inline thread_local constinit Pool pool{};
#endif
};

#ifndef __SANITIZE_ADDRESS__
template <class Derived> [[gnu::noinline]] bool Pooled<Derived>::Pool::open() {
  if (closed) return false;
  static thread_local Drain drain;
  static_cast<void>(drain);
  limit = 4096;
  return true;
}
#endif

} // namespace tensorjit
