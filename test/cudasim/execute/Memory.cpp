#include "execute/Access.h"
#include "execute/Block.h"
#include "execute/Grid.h"
#include "execute/Rows.h"
#include "execute/Windows.h"

namespace cudasim {
namespace {

using ptx::Space;
using ptx::Type;

/// Memory of type T into rows of S, vectors into `more`.
template <class T, class S> void load(Warp &w, const Instr &in, uint32_t active) {
  uint64_t addresses[32];
  Places places;
  addressesOf(w, in, addresses);
  if (in.flags & Strong) w.notePolling();
  access(w, in, active, static_cast<Space>(in.aux2), AccessKind::Load, static_cast<unsigned>(sizeof(T)) * in.small,
         addresses, places);
  auto extend = [](T v) { return static_cast<S>(static_cast<std::make_signed_t<S>>(v)); };
  for (unsigned k = 0; k < in.small; ++k) {
    S *d = w.row<S>(in.more ? in.more[k] : in.dst);
    if (places.uniform) {
      T v;
      std::memcpy(&v, places.at[0] + k * sizeof(T), sizeof(T));
      S value = extend(v);
      fill<S>(w, in.more ? in.more[k] : in.dst, active, [=](unsigned) { return value; });
      continue;
    }
    if (places.contiguous) {
      const std::byte *from = places.at[0] + k * sizeof(T);
      size_t stride = in.small * sizeof(T);
      if (in.small == 1) {
        CUDASIM_LANES {
          T v;
          std::memcpy(&v, from + i * sizeof(T), sizeof(T));
          d[i] = extend(v);
        }
        continue;
      }
      CUDASIM_LANES {
        T v;
        std::memcpy(&v, from + i * stride, sizeof(T));
        d[i] = extend(v);
      }
      continue;
    }
    eachLane(active, [&](unsigned i) {
      T v;
      std::memcpy(&v, places.at[i] + k * sizeof(T), sizeof(T));
      d[i] = extend(v);
    });
  }
}

template <class T, class S> void store(Warp &w, const Instr &in, uint32_t active) {
  uint64_t addresses[32];
  Places places;
  addressesOf(w, in, addresses);
  access(w, in, active, static_cast<Space>(in.aux2), AccessKind::Store, static_cast<unsigned>(sizeof(T)) * in.small,
         addresses, places);
  for (unsigned k = 0; k < in.small; ++k) {
    const S *s = w.row<S>(in.more ? in.more[k] : in.dst);
    if (places.contiguous) {
      std::byte *to = places.at[0] + k * sizeof(T);
      size_t stride = in.small * sizeof(T);
      if (in.small == 1) {
        CUDASIM_LANES {
          T v = static_cast<T>(s[i]);
          std::memcpy(to + i * sizeof(T), &v, sizeof(T));
        }
        continue;
      }
      CUDASIM_LANES {
        T v = static_cast<T>(s[i]);
        std::memcpy(to + i * stride, &v, sizeof(T));
      }
      continue;
    }
    eachLane(active, [&](unsigned i) {
      T v = static_cast<T>(s[i]);
      std::memcpy(places.at[i] + k * sizeof(T), &v, sizeof(T));
    });
  }
}

/// The kernel's parameters at a fixed offset: the same for all lanes. Types are as in `load`.
template <class T, class S> void loadParameter(Warp &w, const Instr &in, uint32_t active) {
  const std::byte *from = w.block.grid.parameters.data() + in.imm;
  for (unsigned k = 0; k < in.small; ++k) {
    T v;
    std::memcpy(&v, from + k * sizeof(T), sizeof(T));
    S value = static_cast<S>(static_cast<std::make_signed_t<S>>(v));
    fill<S>(w, in.more ? in.more[k] : in.dst, active, [=](unsigned) { return value; });
  }
}

/// .param variables of a call, in the frame: aux is the distance between lanes.
template <class T, class S> void loadCallParameter(Warp &w, const Instr &in, uint32_t active) {
  const std::byte *from = w.base[0] + in.imm;
  for (unsigned k = 0; k < in.small; ++k) {
    S *d = w.row<S>(in.more ? in.more[k] : in.dst);
    eachLane(active, [&](unsigned i) {
      T v;
      std::memcpy(&v, from + i * in.aux + k * sizeof(T), sizeof(T));
      d[i] = static_cast<S>(static_cast<std::make_signed_t<S>>(v));
    });
  }
}
template <class T, class S> void storeCallParameter(Warp &w, const Instr &in, uint32_t active) {
  auto *to = const_cast<std::byte *>(w.base[0]) + in.imm;
  for (unsigned k = 0; k < in.small; ++k) {
    const S *s = w.row<S>(in.more ? in.more[k] : in.dst);
    eachLane(active, [&](unsigned i) {
      T v = static_cast<T>(s[i]);
      std::memcpy(to + i * in.aux + k * sizeof(T), &v, sizeof(T));
    });
  }
}

enum class Form { Load, Store, Parameter, CallLoad, CallStore };
template <class T, class S> Handler formed(Form form) {
  switch (form) {
  case Form::Load: return load<T, S>;
  case Form::Store: return store<T, S>;
  case Form::Parameter: return loadParameter<T, S>;
  case Form::CallLoad: return loadCallParameter<T, S>;
  default: return storeCallParameter<T, S>;
  }
}

Handler handlerFor(Form form, Type type, bool wide) {
  switch (type) {
  case Type::U8:
  case Type::B8: return wide ? formed<uint8_t, uint64_t>(form) : formed<uint8_t, uint32_t>(form);
  case Type::S8: return wide ? formed<int8_t, uint64_t>(form) : formed<int8_t, uint32_t>(form);
  case Type::S16: return wide ? formed<int16_t, uint64_t>(form) : formed<int16_t, uint32_t>(form);
  case Type::U16:
  case Type::B16:
  case Type::F16:
  case Type::BF16: return wide ? formed<uint16_t, uint64_t>(form) : formed<uint16_t, uint32_t>(form);
  case Type::S32: return wide ? formed<int32_t, uint64_t>(form) : formed<uint32_t, uint32_t>(form);
  case Type::U64:
  case Type::S64:
  case Type::B64:
  case Type::F64: return formed<uint64_t, uint64_t>(form);
  case Type::U32:
  case Type::B32:
  case Type::F32:
  case Type::F16x2:
  case Type::BF16x2: return wide ? formed<uint32_t, uint64_t>(form) : formed<uint32_t, uint32_t>(form);
  default: return nullptr;
  }
}

void allowMemoryModifiers(Builder &b) {
  for (auto m : b.in().modifiers) {
    if (m.starts_with(".L1::") || m.starts_with(".L2::") || m.starts_with(".level::")) continue;
    static constexpr std::string_view known[] = {
        ".global",   ".const", ".shared",  ".shared::cta", ".local",   ".param",   ".param::entry", ".param::func",
        ".nc",       ".ca",    ".cg",      ".cs",          ".lu",      ".cv",      ".wb",           ".wt",
        ".volatile", ".weak",  ".relaxed", ".acquire",     ".release", ".cta",     ".cluster",      ".gpu",
        ".sys",      ".v2",    ".v4",      ".v8",          ".unified", ".coherent"};
    bool ok = ptx::typeNamed(m) != Type::None;
    for (auto k : known) ok |= k == m;
    if (!ok) b.refuse("the stand-in does not support '" + std::string(m) + "'");
  }
}

void decodeAccess(Builder &b, bool isLoad) {
  allowMemoryModifiers(b);
  Type type = b.type();
  Space space = spaceOf(b);
  size_t dataAt = isLoad ? 0 : 1;
  Builder::AddressParts parts = addressOperand(b, 1 - dataAt);
  const ptx::Operand &data = b.operand(dataAt);
  std::vector<ptx::Operand> elements =
      data.kind == ptx::Operand::Vector ? data.elements : std::vector<ptx::Operand>{data};
  if (elements.size() * ptx::byteSize(type) > 32) b.refuse("more than 32 bytes a lane");
  bool wide = ptx::byteSize(type) == 8;
  for (auto &e : elements) wide |= isWideType(b.registerType(e));
  std::vector<Ref> rows;
  Type rowType = wide ? (isSignedType(type) ? Type::S64 : Type::U64) : Type::U32;
  if (type == Type::F64 || (type == Type::F32 && !wide)) rowType = type;
  for (auto &e : elements) rows.push_back(isLoad ? b.write(e, rowType) : b.read(e, rowType));

  Form form = isLoad ? Form::Load : Form::Store;
  int64_t offset = parts.offset;
  uint32_t stride = 0;
  if (parts.paramVariable >= 0) {
    auto bytes = static_cast<int64_t>(ptx::byteSize(type) * elements.size());
    const ptx::Variable &v = b.function().variables[static_cast<size_t>(parts.paramVariable)];
    if (offset < 0 || offset + bytes > static_cast<int64_t>(v.size))
      b.refuse("access outside of parameter '" + v.name + "'");
    if (b.isKernelParameter(parts.paramVariable)) {
      form = Form::Parameter;
      offset += b.kernelParameterOffset(parts.paramVariable);
      if (!isLoad) b.refuse("a kernel's parameters cannot be written");
    } else {
      form = isLoad ? Form::CallLoad : Form::CallStore;
      offset += b.frameParameter(parts.paramVariable).at;
      stride = b.frameParameter(parts.paramVariable).stride;
    }
  }
  Handler handler = handlerFor(form, type, wide);
  if (!handler) b.refuse("the stand-in does not support this type");
  Instr &in = b.emit(handler, isLoad ? loadClass(space) : storeClass(space), rows[0]);
  setAddress(in, parts);
  in.imm = offset;
  in.aux = stride;
  in.aux2 = static_cast<uint32_t>(space);
  in.small = static_cast<uint16_t>(rows.size());
  if (b.has(".volatile") || b.has(".relaxed") || b.has(".acquire") || b.has(".release")) in.flags |= Strong;
  if (rows.size() > 1) in.more = b.list(std::move(rows));
}

void decodeLd(Builder &b) { decodeAccess(b, true); }
void decodeSt(Builder &b) { decodeAccess(b, false); }

uint64_t windowOf(Space space) {
  return space == Space::Shared  ? sharedWindow
         : space == Space::Local ? localWindow
         : space == Space::Param ? paramWindow
                                 : 0;
}

template <bool ToGeneric> void convertAddress(Warp &w, const Instr &in, uint32_t active) {
  auto window = static_cast<uint64_t>(in.imm);
  map1<uint64_t, uint64_t>(w, in, active, [=](uint64_t a) { return ToGeneric ? a + window : a - window; });
}

void decodeCvta(Builder &b) {
  Space space = spaceOf(b);
  Type type = b.type();
  if (!isWideType(type)) b.refuse("addresses have 64 bits");
  Ref x;
  const ptx::Operand &from = b.operand(1);
  if (from.kind == ptx::Operand::Symbol && from.variable >= 0 && b.isKernelParameter(from.variable))
    x = b.constant(static_cast<uint64_t>(b.kernelParameterOffset(from.variable)) + from.value, true);
  else x = b.read(1, Type::U64);
  Ref d = b.write(0, Type::U64);
  b.emit(b.has(".to") ? convertAddress<false> : convertAddress<true>, OpClass::Integer, d, x).imm =
      static_cast<int64_t>(windowOf(space));
}

void isInSpace(Warp &w, const Instr &in, uint32_t active) {
  const uint64_t *a = w.row<uint64_t>(in.a);
  auto window = static_cast<uint64_t>(in.imm);
  uint32_t result = laneMask([=](unsigned i) {
    bool other = a[i] - sharedWindow < windowSize || a[i] - localWindow < windowSize || a[i] - paramWindow < windowSize;
    return window ? a[i] - window < windowSize : !other;
  });
  w.setPred(in.dst, result, active);
}
void decodeIsspacep(Builder &b) {
  Ref x = b.read(1, Type::U64);
  b.emit(isInSpace, OpClass::Integer, b.writePred(b.operand(0)), x).imm = static_cast<int64_t>(windowOf(spaceOf(b)));
}

void nothing(Warp &, const Instr &, uint32_t) {}
void decodePrefetch(Builder &b) {
  if (b.has(".tensormap")) b.refuse("tensor maps are not supported");
  b.emit(nothing, OpClass::Move);
}

constexpr Opcode opcodes[] = {{"ld", decodeLd},
                              {"ldu", decodeLd},
                              {"st", decodeSt},
                              {"cvta", decodeCvta},
                              {"isspacep", decodeIsspacep},
                              {"prefetch", decodePrefetch},
                              {"prefetchu", decodePrefetch},
                              {"discard", decodePrefetch},
                              {"applypriority", decodePrefetch}};

} // namespace

std::span<const Opcode> memoryOpcodes() { return opcodes; }

} // namespace cudasim
