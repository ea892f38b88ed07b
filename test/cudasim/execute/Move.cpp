#include "execute/Move.h"

#include "decode/Builder.h"
#include "execute/Block.h"
#include "execute/Grid.h"
#include "execute/Rows.h"
#include "execute/Special.h"

#include <unordered_map>

namespace cudasim {
namespace move {

void narrow(Warp &w, const Instr &in, uint32_t active) {
  const uint64_t *a = w.row<uint64_t>(in.a);
  fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return static_cast<uint32_t>(a[i]); });
}
void widen(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t *a = w.row<uint32_t>(in.a);
  fill<uint64_t>(w, in.dst, active, [=](unsigned i) { return static_cast<uint64_t>(a[i]); });
}
void widenSigned(Warp &w, const Instr &in, uint32_t active) {
  const int32_t *a = w.row<int32_t>(in.a);
  fill<uint64_t>(w, in.dst, active, [=](unsigned i) { return static_cast<uint64_t>(static_cast<int64_t>(a[i])); });
}
void special32(Warp &w, const Instr &in, uint32_t active) {
  const int id = static_cast<int>(in.imm);
  const LaunchShape &shape = w.block.grid.shape;
  if (id == TidX && shape.block[1] * shape.block[2] == 1) {
    const uint32_t first = w.index * 32;
    fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return first + i; });
  } else if (isOfLane(id)) {
    uint32_t *d = w.row<uint32_t>(in.dst);
    eachLane(active, [&](unsigned i) { d[i] = w.special(id, i); });
  } else {
    const uint32_t value = w.special(id, 0);
    fill<uint32_t>(w, in.dst, active, [=](unsigned) { return value; });
  }
}
void special64(Warp &w, const Instr &in, uint32_t active) {
  uint64_t *d = w.row<uint64_t>(in.dst);
  eachLane(active, [&](unsigned i) { d[i] = w.special64(static_cast<int>(in.imm), i); });
}
void localAddress32(Warp &w, const Instr &in, uint32_t active) {
  auto at = static_cast<uint32_t>(in.imm + w.current->frame->localBase);
  fill<uint32_t>(w, in.dst, active, [=](unsigned) { return at; });
}
void localAddress64(Warp &w, const Instr &in, uint32_t active) {
  auto at = static_cast<uint64_t>(in.imm + w.current->frame->localBase);
  fill<uint64_t>(w, in.dst, active, [=](unsigned) { return at; });
}

int specialRegister(const std::string &name) {
  static const std::unordered_map<std::string, int> names = {{"%tid.x", TidX},
                                                             {"%tid.y", TidY},
                                                             {"%tid.z", TidZ},
                                                             {"%ntid.x", NtidX},
                                                             {"%ntid.y", NtidY},
                                                             {"%ntid.z", NtidZ},
                                                             {"%ctaid.x", CtaidX},
                                                             {"%ctaid.y", CtaidY},
                                                             {"%ctaid.z", CtaidZ},
                                                             {"%nctaid.x", NctaidX},
                                                             {"%nctaid.y", NctaidY},
                                                             {"%nctaid.z", NctaidZ},
                                                             {"%laneid", LaneId},
                                                             {"%warpid", WarpId},
                                                             {"%nwarpid", NwarpId},
                                                             {"%smid", SmId},
                                                             {"%nsmid", NsmId},
                                                             {"%gridid", GridId},
                                                             {"%lanemask_eq", LanemaskEq},
                                                             {"%lanemask_le", LanemaskLe},
                                                             {"%lanemask_lt", LanemaskLt},
                                                             {"%lanemask_ge", LanemaskGe},
                                                             {"%lanemask_gt", LanemaskGt},
                                                             {"%clock", Clock},
                                                             {"%clock_hi", ClockHi},
                                                             {"%clock64", Clock64},
                                                             {"%globaltimer", Globaltimer},
                                                             {"%globaltimer_lo", GlobaltimerLo},
                                                             {"%globaltimer_hi", GlobaltimerHi},
                                                             {"%dynamic_smem_size", DynamicSmemSize},
                                                             {"%total_smem_size", TotalSmemSize},
                                                             {"%cluster_ctaid.x", Zero},
                                                             {"%cluster_ctaid.y", Zero},
                                                             {"%cluster_ctaid.z", Zero},
                                                             {"%cluster_ctarank", Zero},
                                                             {"%cluster_nctaid.x", One},
                                                             {"%cluster_nctaid.y", One},
                                                             {"%cluster_nctaid.z", One},
                                                             {"%cluster_nctarank", One},
                                                             {"%clusterid.x", CtaidX},
                                                             {"%clusterid.y", CtaidY},
                                                             {"%clusterid.z", CtaidZ},
                                                             {"%nclusterid.x", NctaidX},
                                                             {"%nclusterid.y", NctaidY},
                                                             {"%nclusterid.z", NctaidZ}};
  auto found = names.find(name);
  return found == names.end() ? -1 : found->second;
}

namespace {

void copy32(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t *a = w.row<uint32_t>(in.a);
  fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return a[i]; });
}
void copy16(Warp &w, const Instr &in, uint32_t active) {
  const uint32_t *a = w.row<uint32_t>(in.a);
  fill<uint32_t>(w, in.dst, active, [=](unsigned i) { return a[i] & 0xffffu; });
}
void copy64(Warp &w, const Instr &in, uint32_t active) {
  const uint64_t *a = w.row<uint64_t>(in.a);
  fill<uint64_t>(w, in.dst, active, [=](unsigned i) { return a[i]; });
}
void copyPred(Warp &w, const Instr &in, uint32_t active) { w.setPred(in.dst, w.pred(in.a), active); }

/// {a, b} = c and the like; `more` are the parts, `small` of them, each of aux bits.
template <class Whole, class Part> void unpack(Warp &w, const Instr &in, uint32_t active) {
  const Whole *a = w.row<Whole>(in.a);
  for (unsigned k = 0; k < in.small; ++k)
    fill<Part>(w, in.more[k], active,
               [=](unsigned i) { return static_cast<Part>((a[i] >> (k * in.aux)) & ((uint64_t(1) << in.aux) - 1)); });
}
template <class Whole, class Part> void pack(Warp &w, const Instr &in, uint32_t active) {
  Whole result[32] = {};
  uint64_t bits = (uint64_t(1) << in.aux) - 1;
  for (unsigned k = 0; k < in.small; ++k) {
    const Part *part = w.row<Part>(in.more[k]);
    CUDASIM_LANES result[i] |= static_cast<Whole>((static_cast<uint64_t>(part[i]) & bits) << (k * in.aux));
  }
  fill<Whole>(w, in.dst, active, [&](unsigned i) { return result[i]; });
}

ptx::Type bitsType(unsigned bits) {
  return bits == 64 ? ptx::Type::B64 : bits == 32 ? ptx::Type::B32 : bits == 16 ? ptx::Type::B16 : ptx::Type::B8;
}

void decodePack(Builder &b, ptx::Type whole, const ptx::Operand &parts, const ptx::Operand &other, bool packs) {
  auto count = static_cast<unsigned>(parts.elements.size());
  unsigned bits = ptx::byteSize(whole) * 8 / std::max(1u, count);
  if (count < 2 || bits < 8) b.refuse("this number of elements is not supported");
  std::vector<Ref> rows;
  for (auto &e : parts.elements) rows.push_back(packs ? b.read(e, bitsType(bits)) : b.write(e, bitsType(bits)));
  Ref one = packs ? b.write(other, whole) : b.read(other, whole);
  bool wide = isWideType(whole);
  Handler handler = packs ? (wide ? pack<uint64_t, uint32_t> : pack<uint32_t, uint32_t>)
                          : (wide ? unpack<uint64_t, uint32_t> : unpack<uint32_t, uint32_t>);
  Instr &in = b.emit(handler, OpClass::Move, packs ? one : 0, packs ? 0 : one);
  in.small = static_cast<uint16_t>(count);
  in.aux = bits;
  in.more = b.list(std::move(rows));
}

void decodeMov(Builder &b) {
  b.allowOnly({});
  ptx::Type type = b.type();
  if (type == ptx::Type::Pred) {
    PredRef from = b.readPred(1);
    b.emit(copyPred, OpClass::Move, b.writePred(b.operand(0)), from);
    return;
  }
  if (type == ptx::Type::B128) b.refuse("128-bit moves are not supported");
  if (b.operand(0).kind == ptx::Operand::Vector) return decodePack(b, type, b.operand(0), b.operand(1), false);
  if (b.operand(1).kind == ptx::Operand::Vector) return decodePack(b, type, b.operand(1), b.operand(0), true);
  bool wide = isWideType(type);
  const ptx::Operand &from = b.operand(1);
  if (from.kind == ptx::Operand::Special) {
    int id = specialRegister(from.name);
    if (id < 0) b.refuse("unknown register '" + from.name + "'");
    b.emit(wide ? special64 : special32, OpClass::Move, b.write(0, type)).imm = id;
    return;
  }
  Ref a = b.read(from, type);
  Ref d = b.write(0, type);
  b.emit(wide ? copy64 : ptx::byteSize(type) == 2 ? copy16 : copy32, OpClass::Move, d, a);
}

constexpr Opcode opcodes[] = {{"mov", decodeMov}};

} // namespace
} // namespace move

std::span<const Opcode> moveOpcodes() { return move::opcodes; }

} // namespace cudasim
