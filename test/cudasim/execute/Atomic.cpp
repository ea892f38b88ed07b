#include "execute/Access.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

namespace cudasim {
namespace {

using ptx::Space;
using ptx::Type;

struct Add {
  template <class T> static T of(T old, T b, T) { return static_cast<T>(old + b); }
};
struct Min {
  template <class T> static T of(T old, T b, T) { return b < old ? b : old; }
};
struct Max {
  template <class T> static T of(T old, T b, T) { return b > old ? b : old; }
};
struct And {
  template <class T> static T of(T old, T b, T) { return old & b; }
};
struct Or {
  template <class T> static T of(T old, T b, T) { return old | b; }
};
struct Xor {
  template <class T> static T of(T old, T b, T) { return old ^ b; }
};
struct Exchange {
  template <class T> static T of(T, T b, T) { return b; }
};
struct CompareAndSwap {
  template <class T> static T of(T old, T b, T c) { return old == b ? c : old; }
};
struct Increment {
  template <class T> static T of(T old, T b, T) { return old >= b ? T(0) : static_cast<T>(old + 1); }
};
struct Decrement {
  template <class T> static T of(T old, T b, T) { return old == 0 || old > b ? b : static_cast<T>(old - 1); }
};

/// f16 and bf16, one or two of them in T.
template <class T, bool Brain> struct AddHalves {
  static T of(T old, T b, T) {
    T out = 0;
    for (unsigned k = 0; k < sizeof(T) * 8; k += 16) {
      uint32_t x = old >> k & 0xffff, y = b >> k & 0xffff;
      uint32_t sum = Brain ? toBF16(fromBF16(x) + fromBF16(y)) : toF16(fromF16(x) + fromF16(y));
      out |= static_cast<T>(sum << k);
    }
    return out;
  }
};
template <bool Brain> struct HalfAdd {
  template <class T> static T of(T old, T b, T c) { return AddHalves<T, Brain>::of(old, b, c); }
};

/// Lanes come in some order; which one is the seed's choice.
template <class T, class Op> void atomic(Warp &w, const Instr &in, uint32_t active) {
  uint64_t addresses[32];
  Places places;
  addressesOf(w, in, addresses);
  access(w, in, active, static_cast<Space>(in.aux2), AccessKind::Atomic, sizeof(T), addresses, places);
  const Slot<T> *b = w.row<Slot<T>>(in.b), *c = w.row<Slot<T>>(in.c);
  Slot<T> *d = w.row<Slot<T>>(in.dst);
  w.notePolling();
  unsigned turn = w.random(32);
  for (unsigned k = 0; k < 32; ++k) {
    unsigned i = (k + turn) % 32;
    if (!(active >> i & 1)) continue;
    T old;
    std::memcpy(&old, places.at[i], sizeof(T));
    T value = Op::of(old, fromSlot<T>(b[i]), fromSlot<T>(c[i]));
    std::memcpy(places.at[i], &value, sizeof(T));
    if (in.small) d[i] = toSlot<T>(old);
  }
}

template <class Op> Handler integer(Type type) {
  switch (type) {
  case Type::U32:
  case Type::B32: return atomic<uint32_t, Op>;
  case Type::S32: return atomic<int32_t, Op>;
  case Type::U64:
  case Type::B64: return atomic<uint64_t, Op>;
  case Type::S64: return atomic<int64_t, Op>;
  default: return nullptr;
  }
}

Handler adding(Type type) {
  switch (type) {
  case Type::S32: return atomic<uint32_t, Add>; // wraps
  case Type::S64: return atomic<uint64_t, Add>;
  case Type::F32: return atomic<float, Add>;
  case Type::F64: return atomic<double, Add>;
  case Type::F16: return atomic<uint16_t, HalfAdd<false>>;
  case Type::BF16: return atomic<uint16_t, HalfAdd<true>>;
  case Type::F16x2: return atomic<uint32_t, HalfAdd<false>>;
  case Type::BF16x2: return atomic<uint32_t, HalfAdd<true>>;
  default: return integer<Add>(type);
  }
}

Handler handlerFor(Builder &b, Type type) {
  if (b.has(".add")) return adding(type);
  if (b.has(".min")) return integer<Min>(type);
  if (b.has(".max")) return integer<Max>(type);
  if (b.has(".and")) return integer<And>(type);
  if (b.has(".or")) return integer<Or>(type);
  if (b.has(".xor")) return integer<Xor>(type);
  if (b.has(".exch")) return type == Type::B16 ? atomic<uint16_t, Exchange> : integer<Exchange>(type);
  if (b.has(".cas")) return type == Type::B16 ? atomic<uint16_t, CompareAndSwap> : integer<CompareAndSwap>(type);
  if (b.has(".inc")) return type == Type::U32 ? atomic<uint32_t, Increment> : nullptr;
  if (b.has(".dec")) return type == Type::U32 ? atomic<uint32_t, Decrement> : nullptr;
  return nullptr;
}

void decodeAtomic(Builder &b) {
  b.allowOnly({".global",  ".shared", ".shared::cta", ".add", ".min", ".max",     ".and",     ".or",
               ".xor",     ".exch",   ".cas",         ".inc", ".dec", ".relaxed", ".acquire", ".release",
               ".acq_rel", ".cta",    ".cluster",     ".gpu", ".sys", ".noftz"});
  bool reduces = b.in().opcode == "red";
  Type type = b.type();
  Space space = spaceOf(b);
  Handler handler = handlerFor(b, type);
  if (!handler) b.refuse("the stand-in does not support this operation on this type");
  size_t at = reduces ? 0 : 1;
  Builder::AddressParts parts = addressOperand(b, at);
  Ref x = b.read(at + 1, type);
  Ref y = b.in().operands.size() > at + 2 ? b.read(at + 2, type) : x;
  Ref d = reduces ? 0 : b.write(0, type);
  Instr &in = b.emit(handler, OpClass::Atomic, d, 0, x, y);
  setAddress(in, parts);
  in.small = !reduces;
  in.aux2 = static_cast<uint32_t>(space);
  bool orders = b.has(".acquire") || b.has(".release") || b.has(".acq_rel") || b.has(".cas") || b.has(".exch");
  if (orders) in.flags |= Ordering;
}

constexpr Opcode opcodes[] = {{"atom", decodeAtomic}, {"red", decodeAtomic}};

} // namespace

std::span<const Opcode> atomicOpcodes() { return opcodes; }

} // namespace cudasim
