#pragma once
#include <atomic>
#include <cstdint>
#include <utility>

namespace tensorjit {

/// Base of objects counted from within; `Derived` is deleted when the last `Ref` goes.
template <class Derived> class RefCounted {
public:
  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  void release() const {
    // A count of one is ours, and nobody else can raise it: the common case needs no locked instruction.
    if (count_.load(std::memory_order_acquire) == 1 || count_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      delete const_cast<Derived *>(static_cast<const Derived *>(this));
  }
  /// The first references of an object that no other thread has seen yet.
  void retainFirst(uint32_t references = 1) const { count_.store(references, std::memory_order_relaxed); }
  uint32_t useCount() const { return count_.load(std::memory_order_acquire); }

protected:
  RefCounted() = default;
  explicit RefCounted(uint32_t references) : count_(references) {}
  RefCounted(const RefCounted &) {}
  ~RefCounted() = default;

private:
  mutable std::atomic<uint32_t> count_{0};
};

/// Shared owner of a `RefCounted` object, one pointer wide.
template <class T> class Ref {
public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T *p) : p_(p) {
    if (p_) p_->retain();
  }
  Ref(const Ref &o) : Ref(o.p_) {}
  Ref(Ref &&o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  Ref &operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_) p_->release();
  }
  T *get() const { return p_; }
  /// Gives the reference up to the caller.
  T *leak() { return std::exchange(p_, nullptr); }
  /// Takes over a reference that the caller holds.
  static Ref adopt(T *p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  T &operator*() const { return *p_; }
  T *operator->() const { return p_; }
  explicit operator bool() const { return p_; }
  friend bool operator==(const Ref &a, const Ref &b) { return a.p_ == b.p_; }

private:
  T *p_ = nullptr;
};

template <class T, class... Args> Ref<T> makeRef(Args &&...args) {
  T *p = new T(std::forward<Args>(args)...);
  p->retainFirst();
  return Ref<T>::adopt(p);
}

} // namespace tensorjit
