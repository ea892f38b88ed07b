#pragma once
#include "execute/Warp.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

/// Loops over the 32 lanes of register rows. A result never overlaps an operand unless it is the same row (see
/// decode/Registers.cpp), so every loop may be vectorised.
namespace cudasim {

#define CUDASIM_LANES _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; ++i)

/// What a lane of type T occupies in a row.
template <class T> using Slot = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T> inline T fromSlot(Slot<T> slot) {
  if constexpr (sizeof(T) == 2) return std::bit_cast<T>(static_cast<uint16_t>(slot));
  else if constexpr (sizeof(T) == 1) return std::bit_cast<T>(static_cast<uint8_t>(slot));
  else return std::bit_cast<T>(slot);
}
template <class T> inline Slot<T> toSlot(T value) {
  if constexpr (sizeof(T) == 2) return std::bit_cast<uint16_t>(value);
  else if constexpr (sizeof(T) == 1) return std::bit_cast<uint8_t>(value);
  else return std::bit_cast<Slot<T>>(value);
}

template <class S> inline void blend(S *to, const S *from, uint32_t active) {
  CUDASIM_LANES to[i] = active >> i & 1 ? from[i] : to[i];
}

/// Writes f(lane) to the active lanes of a row.
template <class S, class F> inline void fill(Warp &w, Ref dst, uint32_t active, F f) {
  S *d = w.row<S>(dst);
  if (active == allLanes) {
    CUDASIM_LANES d[i] = f(i);
  } else {
    S result[32];
    CUDASIM_LANES result[i] = f(i);
    blend(d, result, active);
  }
}

template <class R, class A, class F> inline void map1(Warp &w, const Instr &in, uint32_t active, F f) {
  const Slot<A> *a = w.row<Slot<A>>(in.a);
  fill<Slot<R>>(w, in.dst, active, [=](unsigned i) { return toSlot<R>(f(fromSlot<A>(a[i]))); });
}
template <class R, class A, class B, class F> inline void map2(Warp &w, const Instr &in, uint32_t active, F f) {
  const Slot<A> *a = w.row<Slot<A>>(in.a);
  const Slot<B> *b = w.row<Slot<B>>(in.b);
  fill<Slot<R>>(w, in.dst, active, [=](unsigned i) { return toSlot<R>(f(fromSlot<A>(a[i]), fromSlot<B>(b[i]))); });
}
template <class R, class A, class B, class C, class F>
inline void map3(Warp &w, const Instr &in, uint32_t active, F f) {
  const Slot<A> *a = w.row<Slot<A>>(in.a);
  const Slot<B> *b = w.row<Slot<B>>(in.b);
  const Slot<C> *c = w.row<Slot<C>>(in.c);
  fill<Slot<R>>(w, in.dst, active,
                [=](unsigned i) { return toSlot<R>(f(fromSlot<A>(a[i]), fromSlot<B>(b[i]), fromSlot<C>(c[i]))); });
}

/// The lanes for which f(lane) holds.
template <class F> inline uint32_t laneMask(F f) {
  uint32_t bits[32], mask = 0;
  CUDASIM_LANES bits[i] = f(i) ? 1u << i : 0u;
  for (unsigned i = 0; i < 32; ++i) mask |= bits[i];
  return mask;
}

template <class F> inline void eachLane(uint32_t active, F f) {
  for (; active; active &= active - 1) f(static_cast<unsigned>(std::countr_zero(active)));
}

} // namespace cudasim
