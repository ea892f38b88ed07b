#include "execute/Access.h"
#include "execute/Rows.h"
#include "execute/SmallFloat.h"

#include <cstdio>

namespace cudasim {
namespace {

using ptx::Type;

enum class Element : uint8_t { F16, BF16, TF32, E4M3, E5M2, F64, S8, U8 };

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};
Shape shapeOf(Builder &b) {
  Shape s;
  for (auto m : b.in().modifiers)
    if (std::sscanf(std::string(m).c_str(), ".m%un%uk%u", &s.m, &s.n, &s.k) == 3) return s;
  b.refuse("no shape");
}

/// What an mma does, behind Instr::imm.
struct Product {
  Shape shape;
  Element a, b;
  Type result, addend;
  unsigned aRegisters, bRegisters, cRegisters, dRegisters;
  bool saturate;
};

unsigned perRegister(Element e) {
  switch (e) {
  case Element::F16:
  case Element::BF16: return 2;
  case Element::TF32:
  case Element::F64: return 1;
  default: return 4;
  }
}

double elementValue(Element e, uint64_t bits) {
  switch (e) {
  case Element::F16: return fromF16(static_cast<uint32_t>(bits & 0xffff));
  case Element::BF16: return fromBF16(static_cast<uint32_t>(bits & 0xffff));
  case Element::TF32: return std::bit_cast<float>(static_cast<uint32_t>(bits) & 0xffffe000u);
  case Element::E4M3: return decode(bits & 255, formatE4M3);
  case Element::E5M2: return decode(bits & 255, formatE5M2);
  case Element::F64: return std::bit_cast<double>(bits);
  case Element::S8: return static_cast<int8_t>(bits & 255);
  default: return static_cast<double>(bits & 255);
  }
}

uint64_t registerBits(Warp &w, Ref ref, unsigned lane, bool wide) {
  return wide ? w.row<uint64_t>(ref)[lane] : w.row<uint32_t>(ref)[lane];
}

/// The accumulator's element of register r (half h of it): row and column.
struct Position {
  unsigned row, column;
};
Position accumulatorAt(Type type, unsigned lane, unsigned r, unsigned h) {
  unsigned group = lane >> 2, inGroup = lane & 3;
  if (type == Type::F16) return {group + 8 * r, inGroup * 2 + h};
  return {group + 8 * (r >> 1), inGroup * 2 + (r & 1)};
}

/// PTX ISA, "Matrix fragments for mma": the same pattern for all types, counted in registers.
void multiplyAccumulate(Warp &w, const Instr &in, uint32_t active) {
  const auto &p = *reinterpret_cast<const Product *>(in.imm);
  if (!w.gather(in, active, allLanes)) return;
  if (active != allLanes) w.fault(FaultKind::WarpSync, in, "mma needs all 32 lanes");
  double a[16][64], b[64][8], sum[16][8] = {};
  const Ref *aRefs = in.more, *bRefs = aRefs + p.aRegisters, *cRefs = bRefs + p.bRegisters,
            *dRefs = cRefs + p.cRegisters;
  unsigned ea = perRegister(p.a), bits = p.a == Element::F64 ? 64 : 32 / ea;
  bool wide = bits == 64;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned group = lane >> 2, inGroup = lane & 3;
    for (unsigned r = 0; r < p.aRegisters; ++r) {
      uint64_t v = registerBits(w, aRefs[r], lane, wide);
      unsigned row = p.shape.m == 8 ? group : group + 8 * (r & 1),
               k = (p.shape.m == 8 ? r : r >> 1) * 4 * ea + inGroup * ea;
      for (unsigned e = 0; e < ea; ++e) a[row][k + e] = elementValue(p.a, v >> (e * bits % 64));
    }
    for (unsigned r = 0; r < p.bRegisters; ++r) {
      uint64_t v = registerBits(w, bRefs[r], lane, wide);
      unsigned k = r * 4 * ea + inGroup * ea;
      for (unsigned e = 0; e < ea; ++e) b[k + e][group] = elementValue(p.b, v >> (e * bits % 64));
    }
  }
  for (unsigned i = 0; i < p.shape.m; ++i)
    for (unsigned k = 0; k < p.shape.k; ++k)
      for (unsigned j = 0; j < 8; ++j) sum[i][j] += a[i][k] * b[k][j]; // products are exact
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned r = 0; r < p.dRegisters; ++r) {
      if (p.result == Type::F16) {
        uint32_t out = 0, c = p.addend == Type::F16 ? w.row<uint32_t>(cRefs[r])[lane] : 0;
        for (unsigned h = 0; h < 2; ++h) {
          Position at = accumulatorAt(Type::F16, lane, r, h);
          out |= encode(sum[at.row][at.column] + fromF16(c >> (16 * h) & 0xffff), formatF16) << (16 * h);
        }
        w.row<uint32_t>(dRefs[r])[lane] = out;
        continue;
      }
      Position at = accumulatorAt(p.result, lane, r, 0);
      double s = sum[at.row][at.column];
      if (p.result == Type::F64) {
        w.row<double>(dRefs[r])[lane] = s + w.row<double>(cRefs[r])[lane];
      } else if (p.result == Type::S32) {
        int64_t total = static_cast<int64_t>(s) + w.row<int32_t>(cRefs[r])[lane];
        if (p.saturate) total = std::min<int64_t>(std::max<int64_t>(total, INT32_MIN), INT32_MAX);
        w.row<int32_t>(dRefs[r])[lane] = static_cast<int32_t>(total);
      } else {
        w.row<float>(dRefs[r])[lane] = static_cast<float>(s + w.row<float>(cRefs[r])[lane]);
      }
    }
}

Element elementNamed(Builder &b, std::string_view name) {
  static constexpr std::pair<std::string_view, Element> names[] = {
      {".f16", Element::F16},   {".bf16", Element::BF16}, {".tf32", Element::TF32}, {".e4m3", Element::E4M3},
      {".e5m2", Element::E5M2}, {".f64", Element::F64},   {".s8", Element::S8},     {".u8", Element::U8}};
  for (auto &[n, e] : names)
    if (n == name) return e;
  b.refuse("the stand-in does not support elements of type '" + std::string(name) + "'");
}

/// The types at the end of the opcode: result, a, b, addend.
std::vector<std::string_view> elementNames(Builder &b) {
  auto all = b.in().modifiers;
  std::erase_if(all, [](std::string_view m) { return m == ".satfinite" || m == ".rn"; });
  if (all.size() < 4) b.refuse("too few types");
  return {all.end() - 4, all.end()};
}

std::vector<ptx::Operand> elementsOf(const ptx::Operand &o) {
  return o.kind == ptx::Operand::Vector ? o.elements : std::vector<ptx::Operand>{o};
}

void decodeMma(Builder &b) {
  if (b.has(".sp") || b.has(".sp::ordered_metadata")) b.refuse("sparse mma is not supported");
  if (!b.has(".row") || !b.has(".col")) b.refuse("only .row.col is supported");
  auto types = elementNames(b);
  Product p{};
  p.shape = shapeOf(b);
  p.a = elementNamed(b, types[1]);
  p.b = elementNamed(b, types[2]);
  p.result = ptx::typeNamed(types[0]);
  p.addend = ptx::typeNamed(types[3]);
  p.saturate = b.has(".satfinite");
  auto d = elementsOf(b.operand(0)), a = elementsOf(b.operand(1)), x = elementsOf(b.operand(2)),
       c = elementsOf(b.operand(3));
  p.aRegisters = static_cast<unsigned>(a.size());
  p.bRegisters = static_cast<unsigned>(x.size());
  p.cRegisters = static_cast<unsigned>(c.size());
  p.dRegisters = static_cast<unsigned>(d.size());
  unsigned e = perRegister(p.a), accumulators = p.shape.m * 8 / 32 / (p.result == Type::F16 ? 2 : 1);
  bool known = p.shape.n == 8 && (p.shape.m == 16 || p.shape.m == 8) && p.shape.k <= 64 && p.result == p.addend &&
               e == perRegister(p.b) && p.aRegisters * e * 32 == p.shape.m * p.shape.k &&
               p.bRegisters * e * 32 == 8 * p.shape.k && p.cRegisters == accumulators && p.dRegisters == accumulators;
  bool integer = p.a == Element::S8 || p.a == Element::U8;
  known &= integer               ? p.result == Type::S32
           : p.a == Element::F64 ? p.result == Type::F64 && p.shape.m == 8
                                 : p.result == Type::F32 || (p.result == Type::F16 && p.a == Element::F16);
  if (!known) b.refuse("the stand-in does not support this shape with these types");
  Type source = p.a == Element::F64 ? Type::B64 : Type::B32;
  Type sum = p.result == Type::F64 ? Type::F64 : Type::B32;
  std::vector<Ref> refs;
  for (auto &o : a) refs.push_back(b.read(o, source));
  for (auto &o : x) refs.push_back(b.read(o, source));
  for (auto &o : c) refs.push_back(b.read(o, p.result == Type::F32 ? Type::F32 : sum));
  for (auto &o : d) refs.push_back(b.write(o, sum));
  Instr &in = b.emit(multiplyAccumulate, OpClass::Matrix);
  in.more = b.list(std::move(refs));
  in.imm = reinterpret_cast<int64_t>(b.keep(std::string(reinterpret_cast<const char *>(&p), sizeof p))->data());
}

/// aux: the number of 8x8 matrices, aux2: transposed.
template <bool Store> void moveMatrices(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, allLanes)) return;
  if (active != allLanes) w.fault(FaultKind::WarpSync, in, "needs all 32 lanes");
  uint64_t addresses[32];
  addressesOf(w, in, addresses);
  for (unsigned i = 8 * in.aux; i < 32; ++i) addresses[i] = addresses[i % (8 * in.aux)];
  Places places;
  uint32_t used = in.aux == 4 ? allLanes : (1u << (8 * in.aux)) - 1;
  access(w, in, used, static_cast<ptx::Space>(in.small), Store ? AccessKind::Store : AccessKind::Load, 16, addresses,
         places);
  for (unsigned m = 0; m < in.aux; ++m) {
    uint32_t *row = w.row<uint32_t>(in.more[m]);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned h = 0; h < 2; ++h) {
        unsigned r = lane >> 2, c = (lane & 3) * 2 + h;
        if (in.aux2) std::swap(r, c);
        std::byte *at = places.at[8 * m + r] + 2 * c;
        uint16_t value = static_cast<uint16_t>(row[lane] >> (16 * h));
        if (Store) {
          std::memcpy(at, &value, 2);
        } else {
          std::memcpy(&value, at, 2);
          row[lane] = h ? (row[lane] & 0xffff) | uint32_t(value) << 16 : value;
        }
      }
  }
}

void decodeMatrixMove(Builder &b) {
  bool stores = b.in().opcode == "stmatrix";
  b.allowOnly({".sync", ".aligned", ".m8n8", ".x1", ".x2", ".x4", ".trans", ".shared", ".shared::cta"});
  Builder::AddressParts parts = addressOperand(b, stores ? 0 : 1);
  std::vector<Ref> refs;
  for (auto &o : elementsOf(b.operand(stores ? 1 : 0)))
    refs.push_back(stores ? b.read(o, Type::B32) : b.write(o, Type::B32));
  unsigned count = b.has(".x4") ? 4 : b.has(".x2") ? 2 : 1;
  if (refs.size() != count || b.type() != Type::B16) b.refuse("wrong number of registers or wrong type");
  Instr &in =
      b.emit(stores ? moveMatrices<true> : moveMatrices<false>, stores ? OpClass::SharedStore : OpClass::SharedLoad);
  setAddress(in, parts);
  in.aux = count;
  in.aux2 = b.has(".trans");
  in.small = static_cast<uint16_t>(spaceOf(b));
  in.more = b.list(std::move(refs));
}

void transposeRegisters(Warp &w, const Instr &in, uint32_t active) {
  if (!w.gather(in, active, allLanes)) return;
  const uint32_t *a = w.row<uint32_t>(in.a);
  uint32_t result[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto element = [&](unsigned r, unsigned c) { return a[r * 4 + c / 2] >> (c % 2 * 16) & 0xffff; };
    unsigned r = lane >> 2, c = (lane & 3) * 2;
    result[lane] = element(c, r) | element(c + 1, r) << 16;
  }
  fill<uint32_t>(w, in.dst, active, [&](unsigned i) { return result[i]; });
}
void decodeMovmatrix(Builder &b) {
  Ref a = b.read(1, Type::B32), d = b.write(0, Type::B32);
  b.emit(transposeRegisters, OpClass::Exchange, d, a);
}

/// wmma's fragments are opaque: lane l holds elements l * count + i of the matrix in row-major order.
struct WmmaPiece {
  unsigned rows, columns, count, perRegister;
  bool columnMajor, stores, isFloat;
};
void wmmaMove(Warp &w, const Instr &in, uint32_t active) {
  const auto &p = *reinterpret_cast<const WmmaPiece *>(in.imm);
  if (!w.gather(in, active, allLanes)) return;
  const uint64_t *base = w.row<uint64_t>(in.a);
  const uint32_t *stride = w.row<uint32_t>(in.b);
  unsigned size = 4 / p.perRegister;
  uint64_t addresses[32];
  for (unsigned e = 0; e < p.count; ++e) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned at = lane * p.count + e, r = at / p.columns, c = at % p.columns;
      addresses[lane] =
          base[lane] + in.aux2 + uint64_t(p.columnMajor ? c * stride[lane] + r : r * stride[lane] + c) * size;
    }
    Places places;
    access(w, in, allLanes, static_cast<ptx::Space>(in.small), p.stores ? AccessKind::Store : AccessKind::Load, size,
           addresses, places);
    uint32_t *row = w.row<uint32_t>(in.more[e / p.perRegister]);
    unsigned shift = 16 * (e % p.perRegister);
    for (unsigned lane = 0; lane < 32; ++lane) {
      uint32_t value = 0;
      if (p.stores) {
        value = row[lane] >> shift;
        std::memcpy(places.at[lane], &value, size);
      } else {
        std::memcpy(&value, places.at[lane], size);
        row[lane] = shift ? (row[lane] & 0xffff) | value << 16 : value;
      }
    }
  }
}

struct WmmaProduct {
  Shape shape;
  unsigned reserved;
  bool brain, halfResult;
};
void wmmaMultiply(Warp &w, const Instr &in, uint32_t active) {
  const auto &p = *reinterpret_cast<const WmmaProduct *>(in.imm);
  if (!w.gather(in, active, allLanes)) return;
  unsigned m = p.shape.m, n = p.shape.n, k = p.shape.k;
  const Ref *refs = in.more;
  auto element = [&](const Ref *from, unsigned count, unsigned at) -> double {
    unsigned lane = at / count, e = at % count;
    uint32_t v = w.row<uint32_t>(from[e / 2])[lane] >> (16 * (e % 2)) & 0xffff;
    return p.brain ? fromBF16(v) : fromF16(v);
  };
  const Ref *a = refs, *b = a + in.aux, *c = b + in.aux2;
  unsigned results = m * n / 32, registers = results / (p.halfResult ? 2 : 1);
  const Ref *d = c + registers;
  std::vector<double> sum(m * n, 0.0);
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j)
      for (unsigned x = 0; x < k; ++x)
        sum[i * n + j] += element(a, m * k / 32, i * k + x) * element(b, k * n / 32, x * n + j);
  for (unsigned at = 0; at < m * n; ++at) {
    unsigned lane = at / results, e = at % results;
    if (p.halfResult) {
      uint32_t old = w.row<uint32_t>(c[e / 2])[lane] >> (16 * (e % 2)) & 0xffff, shift = 16 * (e % 2);
      uint32_t &out = w.row<uint32_t>(d[e / 2])[lane];
      uint32_t bits = encode(sum[at] + fromF16(old), formatF16);
      out = (out & ~(0xffffu << shift)) | bits << shift;
    } else {
      w.row<float>(d[e])[lane] = static_cast<float>(sum[at] + w.row<float>(c[e])[lane]);
    }
  }
}

template <class T> int64_t kept(Builder &b, const T &value) {
  return reinterpret_cast<int64_t>(b.keep(std::string(reinterpret_cast<const char *>(&value), sizeof value))->data());
}

void decodeWmma(Builder &b) {
  Shape s = shapeOf(b);
  Type type = b.lastType();
  if (type != Type::F16 && type != Type::BF16 && type != Type::F32)
    b.refuse("the stand-in does not support wmma on this type");
  if (b.has(".mma")) {
    auto d = elementsOf(b.operand(0)), a = elementsOf(b.operand(1)), x = elementsOf(b.operand(2)),
         c = elementsOf(b.operand(3));
    WmmaProduct p{s, 0, b.has(".bf16"), b.type(0) == Type::F16};
    if ((p.halfResult || type == Type::F16) && b.type(0) != type) b.refuse("mixed accumulators are not supported");
    std::vector<Ref> refs;
    for (auto &o : a) refs.push_back(b.read(o, Type::B32));
    for (auto &o : x) refs.push_back(b.read(o, Type::B32));
    for (auto &o : c) refs.push_back(b.read(o, p.halfResult ? Type::B32 : Type::F32));
    for (auto &o : d) refs.push_back(b.write(o, Type::B32));
    Instr &in = b.emit(wmmaMultiply, OpClass::Matrix);
    in.aux = static_cast<uint32_t>(a.size());
    in.aux2 = static_cast<uint32_t>(x.size());
    in.more = b.list(std::move(refs));
    in.imm = kept(b, p);
    return;
  }
  bool stores = b.has(".store"), isA = b.has(".a"), isB = b.has(".b");
  size_t memoryAt = stores ? 0 : 1;
  WmmaPiece p{isB ? s.k : s.m, isA ? s.k : s.n,  0, type == Type::F32 ? 1u : 2u, b.has(".col"),
              stores,          type == Type::F32};
  p.count = p.rows * p.columns / 32;
  std::vector<Ref> refs;
  for (auto &o : elementsOf(b.operand(stores ? 1 : 0)))
    refs.push_back(stores ? b.read(o, type == Type::F32 ? Type::F32 : Type::B32) : b.write(o, Type::B32));
  if (refs.size() * p.perRegister < p.count) b.refuse("too few registers");
  Builder::AddressParts parts = addressOperand(b, memoryAt);
  if (!parts.wide) b.refuse("the address must be a 64-bit register");
  Ref stride =
      b.in().operands.size() > 2 ? b.read(2, Type::U32) : b.constant(p.columnMajor ? p.rows : p.columns, false);
  ptx::Space space = spaceOf(b);
  Instr &in = b.emit(wmmaMove, stores ? storeClass(space) : loadClass(space), 0, parts.base, stride);
  in.small = static_cast<uint16_t>(space);
  in.aux2 = static_cast<uint32_t>(parts.offset);
  in.more = b.list(std::move(refs));
  in.imm = kept(b, p);
}

void refuseWgmma(Builder &b) { b.refuse("wgmma is not supported by the stand-in"); }
void refuseTcgen(Builder &b) { b.refuse("tcgen05 is not supported by the stand-in"); }

constexpr Opcode opcodes[] = {{"mma", decodeMma},
                              {"ldmatrix", decodeMatrixMove},
                              {"stmatrix", decodeMatrixMove},
                              {"movmatrix", decodeMovmatrix},
                              {"wmma", decodeWmma},
                              {"wgmma", refuseWgmma},
                              {"tcgen05", refuseTcgen}};

} // namespace

std::span<const Opcode> matrixOpcodes() { return opcodes; }

} // namespace cudasim
