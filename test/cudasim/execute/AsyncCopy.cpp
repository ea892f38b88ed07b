#include "execute/Access.h"
#include "execute/Block.h"
#include "execute/Grid.h"
#include "execute/Rows.h"

namespace cudasim {
namespace {

using ptx::Space;
using ptx::Type;

/// The bytes arrive: from here on this warp may read them, others after a barrier.
void land(Warp &w, AsyncCopy &copy, uint32_t lanes) {
  SharedMemory &shared = w.block.shared;
  ++w.accesses;
  for (auto &e : copy.elements) {
    if (!(lanes >> e.lane & 1) || !(e.bytes + e.zeros)) continue;
    if (e.bytes) {
      std::byte *from = accessOne(w, *copy.instr, e.lane, Space::Generic, AccessKind::CopySource, e.bytes, e.source);
      std::memcpy(shared.data(e.target), from, e.bytes);
    }
    std::memset(shared.data(e.target) + e.bytes, 0, e.zeros);
    std::memset(shared.state(e.target), SharedMemory::Written, e.bytes + e.zeros);
    if (w.block.grid.checkRaces) shared.write(w, *copy.instr, e.target, e.bytes + e.zeros, e.lane, 1u << e.lane);
    e.bytes = e.zeros = 0;
  }
}

/// aux: bytes of the copy; b: how many of them the source gives, the rest is zero; c and aux2: the target.
void copyAsync(Warp &w, const Instr &in, uint32_t active) {
  uint64_t sources[32];
  addressesOf(w, in, sources);
  const uint32_t *taken = w.row<uint32_t>(in.b);
  SharedMemory &shared = w.block.shared;
  unsigned size = in.aux;
  AsyncCopy copy;
  copy.instr = &in;
  uint32_t reads = 0;
  ++w.accesses;
  eachLane(active, [&](unsigned i) {
    uint64_t at = in.small ? w.row<uint64_t>(in.c)[i] + in.aux2 : uint64_t(w.row<uint32_t>(in.c)[i]) + in.aux2;
    accessOne(w, in, i, Space::Shared, AccessKind::Store, size, at);
    std::memset(shared.state(static_cast<uint32_t>(at)), SharedMemory::Pending, size);
    unsigned bytes = std::min(taken[i], size);
    if (bytes) reads |= 1u << i;
    copy.elements.push_back({sources[i], static_cast<uint32_t>(at), static_cast<uint8_t>(i),
                             static_cast<uint8_t>(bytes), static_cast<uint8_t>(size - bytes)});
  });
  if (reads) { // what is read is checked and counted now; the bytes are taken when the copy lands
    Places places;
    bool whole = true;
    for (auto &e : copy.elements) whole &= e.bytes == size || !e.bytes;
    if (whole) access(w, in, reads, Space::Generic, AccessKind::CopySource, size, sources, places);
  }
  w.openCopies.push_back(std::move(copy));
}

void commit(Warp &w, const Instr &, uint32_t active) {
  // Copies of lanes that do not commit now stay open.
  std::vector<AsyncCopy> group, rest;
  for (AsyncCopy &copy : w.openCopies) {
    AsyncCopy in{{}, copy.instr}, out{{}, copy.instr};
    for (auto &e : copy.elements) (active >> e.lane & 1 ? in : out).elements.push_back(e);
    if (!in.elements.empty()) group.push_back(std::move(in));
    if (!out.elements.empty()) rest.push_back(std::move(out));
  }
  w.openCopies = std::move(rest);
  w.copyGroups.push_back({active, std::move(group)});
}

void waitFor(Warp &w, uint32_t active, uint64_t mayStay) {
  uint64_t newer[32] = {};
  for (auto group = w.copyGroups.rbegin(); group != w.copyGroups.rend(); ++group) {
    uint32_t lands = 0;
    eachLane(group->first & active, [&](unsigned i) { lands |= newer[i]++ >= mayStay ? 1u << i : 0u; });
    if (lands)
      for (AsyncCopy &copy : group->second) land(w, copy, lands);
    group->first &= ~lands;
  }
  std::erase_if(w.copyGroups, [](auto &group) { return !group.first; });
}

void waitGroup(Warp &w, const Instr &in, uint32_t active) { waitFor(w, active, static_cast<uint64_t>(in.imm)); }
void waitAll(Warp &w, const Instr &in, uint32_t active) {
  commit(w, in, active);
  waitFor(w, active, 0);
}

void decodeCopy(Builder &b) {
  for (auto m : b.in().modifiers)
    if (m == ".bulk" || m == ".tensor" || m == ".reduce" || m.starts_with(".mbarrier"))
      b.refuse("bulk copies, tensor maps and mbarriers are not supported by the stand-in");
  if (b.has(".commit_group")) {
    b.emit(commit, OpClass::AsyncCopy);
    return;
  }
  if (b.has(".wait_group")) {
    b.emit(waitGroup, OpClass::AsyncCopy).imm = b.immediate(0);
    return;
  }
  if (b.has(".wait_all")) {
    b.emit(waitAll, OpClass::AsyncCopy);
    return;
  }
  if (!b.has(".async")) b.refuse("unknown form");
  Builder::AddressParts target = addressOperand(b, 0), source = addressOperand(b, 1);
  int64_t size = b.immediate(2);
  if (size != 4 && size != 8 && size != 16) b.refuse("cp-size must be 4, 8 or 16");
  bool hasSourceSize = b.in().operands.size() > 3 && b.registerType(b.operand(3)) != Type::Pred;
  Ref bytes = hasSourceSize ? b.read(3, Type::U32) : b.constant(static_cast<uint64_t>(size), false);
  Ref to = target.hasBase ? target.base : b.constant(0, false);
  Instr &in = b.emit(copyAsync, OpClass::AsyncCopy, 0, 0, bytes, to);
  setAddress(in, source);
  in.aux = static_cast<uint32_t>(size);
  in.aux2 = static_cast<uint32_t>(target.offset);
  in.small = target.hasBase && target.wide;
}

void refuseMbarrier(Builder &b) { b.refuse("mbarriers are not supported by the stand-in"); }
void refuseCluster(Builder &b) { b.refuse("thread block clusters are not supported by the stand-in"); }

constexpr Opcode opcodes[] = {{"cp", decodeCopy}, {"mbarrier", refuseMbarrier}, {"mapa", refuseCluster}};

} // namespace

std::span<const Opcode> asyncCopyOpcodes() { return opcodes; }

} // namespace cudasim
