#include "decode/Builder.h"
#include "execute/Rows.h"

#include <bit>

namespace cudasim {
namespace {

using ptx::Type;

/// The lanes that an instruction names, as the first active lane gives them.
uint32_t membersOf(Warp &w, Ref row, uint32_t active) { return w.row<uint32_t>(row)[std::countr_zero(active)]; }

enum Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// aux: the mode, aux2: the predicate, more[0]: the member mask.
void shuffle(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, membersOf(w, in.more[0], active))) return;
  const uint32_t *a = w.row<uint32_t>(in.a), *b = w.row<uint32_t>(in.b), *c = w.row<uint32_t>(in.c);
  uint32_t result[32], inRange = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t distance = b[i] & 31, clamp = c[i] & 31, segment = c[i] >> 8 & 31;
    uint32_t most = (i & segment) | (clamp & ~segment), j = 0;
    bool ok = false;
    switch (in.aux) {
    case Up: j = i - distance, ok = static_cast<int32_t>(j) >= static_cast<int32_t>(most); break;
    case Down: j = i + distance, ok = j <= most; break;
    case Butterfly: j = i ^ distance, ok = j <= most; break;
    default: j = (i & segment) | (distance & ~segment), ok = j <= most;
    }
    if (!ok) j = i;
    // What a lane that takes no part would give is undefined.
    result[i] = active >> j & 1 ? a[j] : 0xCBCBCBCBu;
    inRange |= (ok ? 1u : 0u) << i;
  }
  fill<uint32_t>(w, in.dst, active, [&](unsigned i) { return result[i]; });
  w.setPred(in.aux2, inRange, active);
}

void decodeShfl(Builder &b) {
  b.allowOnly({".sync", ".up", ".down", ".bfly", ".idx"});
  if (!b.has(".sync")) b.refuse("only the .sync form is supported");
  Ref a = b.read(1, Type::B32), lane = b.read(2, Type::B32), c = b.read(3, Type::B32), members = b.read(4, Type::B32);
  Ref d = b.write(0, Type::B32);
  Instr &in = b.emit(shuffle, OpClass::Exchange, d, a, lane, c);
  in.aux = b.has(".up") ? Up : b.has(".down") ? Down : b.has(".bfly") ? Butterfly : Index;
  in.aux2 = b.pairOf(b.operand(0));
  in.more = b.list({members});
}

enum Vote : uint8_t { All, Any, Uni, Ballot };
void vote(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, membersOf(w, in.more[0], active))) return;
  uint32_t votes = w.pred(in.a) & active;
  bool result = in.aux == All ? votes == active : in.aux == Any ? votes != 0 : votes == 0 || votes == active;
  if (in.aux == Ballot) fill<uint32_t>(w, in.dst, active, [=](unsigned) { return votes; });
  else w.setPred(in.dst, result ? active : 0, active);
}
void decodeVote(Builder &b) {
  b.allowOnly({".sync", ".all", ".any", ".uni", ".ballot"});
  if (!b.has(".sync")) b.refuse("only the .sync form is supported");
  PredRef votes = b.readPred(1);
  Ref members = b.read(2, Type::B32);
  bool ballot = b.has(".ballot");
  Ref d = ballot ? b.write(0, Type::B32) : b.writePred(b.operand(0));
  Instr &in = b.emit(vote, OpClass::Exchange, d, votes);
  in.aux = ballot ? Ballot : b.has(".all") ? All : b.has(".any") ? Any : Uni;
  in.more = b.list({members});
}

template <class T, bool AllEqual> void match(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, membersOf(w, in.more[0], active))) return;
  const T *a = w.row<T>(in.a);
  uint32_t result[32] = {};
  bool equal = true;
  eachLane(active, [&](unsigned i) {
    eachLane(active, [&](unsigned j) { result[i] |= a[i] == a[j] ? 1u << j : 0u; });
    equal &= result[i] == active;
  });
  fill<uint32_t>(w, in.dst, active, [&](unsigned i) { return AllEqual ? (equal ? active : 0u) : result[i]; });
  if (AllEqual) w.setPred(in.aux2, equal ? active : 0, active);
}
void decodeMatch(Builder &b) {
  b.allowOnly({".sync", ".any", ".all"});
  bool wide = isWideType(b.type()), all = b.has(".all");
  Ref a = b.read(1, b.type()), members = b.read(2, Type::B32), d = b.write(0, Type::B32);
  Handler handler = wide ? (all ? match<uint64_t, true> : match<uint64_t, false>)
                         : (all ? match<uint32_t, true> : match<uint32_t, false>);
  Instr &in = b.emit(handler, OpClass::Exchange, d, a);
  in.aux2 = b.pairOf(b.operand(0));
  in.more = b.list({members});
}

struct Add {
  template <class T> static T of(T a, T b) {
    return static_cast<T>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
};
struct Min {
  template <class T> static T of(T a, T b) { return a < b ? a : b; }
};
struct Max {
  template <class T> static T of(T a, T b) { return a > b ? a : b; }
};
struct And {
  template <class T> static T of(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T of(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T of(T a, T b) { return a ^ b; }
};

template <class T, class Op> void reduce(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, membersOf(w, in.more[0], active))) return;
  const T *a = w.row<T>(in.a);
  T result = a[std::countr_zero(active)];
  eachLane(active & (active - 1), [&](unsigned i) { result = Op::of(result, a[i]); });
  fill<uint32_t>(w, in.dst, active, [=](unsigned) { return static_cast<uint32_t>(result); });
}
void decodeRedux(Builder &b) {
  b.allowOnly({".sync", ".add", ".min", ".max", ".and", ".or", ".xor"});
  Type type = b.type();
  bool isSigned = type == Type::S32;
  if (!isSigned && type != Type::U32 && type != Type::B32) b.refuse("the stand-in does not support this type");
  Handler handler = b.has(".add")   ? reduce<uint32_t, Add>
                    : b.has(".min") ? (isSigned ? reduce<int32_t, Min> : reduce<uint32_t, Min>)
                    : b.has(".max") ? (isSigned ? reduce<int32_t, Max> : reduce<uint32_t, Max>)
                    : b.has(".and") ? reduce<uint32_t, And>
                    : b.has(".or")  ? reduce<uint32_t, Or>
                                    : reduce<uint32_t, Xor>;
  Ref a = b.read(1, type), members = b.read(2, Type::B32), d = b.write(0, type);
  b.emit(handler, OpClass::Exchange, d, a).more = b.list({members});
}

void activeMask(Warp &w, const Instr &in, uint32_t active) {
  fill<uint32_t>(w, in.dst, active, [=](unsigned) { return active; });
}
void decodeActivemask(Builder &b) { b.emit(activeMask, OpClass::Exchange, b.write(0, Type::B32)); }

/// elect.sync d|p, members: one lane's predicate holds.
void elect(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, membersOf(w, in.a, active))) return;
  auto leader = static_cast<uint32_t>(std::countr_zero(active));
  fill<uint32_t>(w, in.dst, active, [=](unsigned) { return leader; });
  w.setPred(in.aux2, 1u << leader, active);
}
void decodeElect(Builder &b) {
  Ref members = b.read(1, Type::B32);
  const ptx::Operand &d = b.operand(0);
  b.emit(elect, OpClass::Exchange, b.write(d, Type::B32), members).aux2 = b.pairOf(d);
}

constexpr Opcode opcodes[] = {{"shfl", decodeShfl},
                              {"vote", decodeVote},
                              {"match", decodeMatch},
                              {"redux", decodeRedux},
                              {"activemask", decodeActivemask},
                              {"elect", decodeElect}};

} // namespace

std::span<const Opcode> exchangeOpcodes() { return opcodes; }

} // namespace cudasim
