#pragma once
#include "decode/Builder.h"
#include "execute/Warp.h"

namespace cudasim {

enum class AccessKind : uint8_t { Load, Store, Atomic, CopySource };

/// Where the lanes' operands of one memory instruction lie on the host, after every check has passed.
struct Places {
  std::byte *at[32];
  bool contiguous = false; ///< lane i's bytes follow lane i - 1's, for all lanes
  bool uniform = false;    ///< all active lanes at one place
};

/// The lanes' addresses: the base row plus the offset.
void addressesOf(Warp &w, const Instr &in, uint64_t *addresses);

/// Checks `size` bytes at each active lane's address, counts the traffic and notes what is written.
void access(Warp &w, const Instr &in, uint32_t active, ptx::Space space, AccessKind kind, unsigned size,
            const uint64_t *addresses, Places &places);
/// Of one lane, without counting.
std::byte *accessOne(Warp &w, const Instr &in, unsigned lane, ptx::Space space, AccessKind kind, unsigned size,
                     uint64_t address);

/// Instr fields of every memory instruction: a or (flags & wideAddress) the base row, imm the offset.
enum : uint8_t { HasBase = 1, WideAddress = 2, Strong = 4, Ordering = 8 };
constexpr unsigned spaceShift = 8; ///< Instr::small: elements; Instr::aux: bytes of one | space << 8

ptx::Space spaceOf(Builder &b);
/// Sets a, flags and imm from an address operand.
void setAddress(Instr &in, const Builder::AddressParts &parts);
/// Reads the operand; the address of a local variable comes from a row.
Builder::AddressParts addressOperand(Builder &b, size_t operand);
OpClass loadClass(ptx::Space space);
OpClass storeClass(ptx::Space space);

} // namespace cudasim
