#pragma once
#include "ptx/Module.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace cudasim {

class Warp;
struct Instr;
/// Executes one instruction for the lanes in `active`, of which there is at least one.
using Handler = void (*)(Warp &, const Instr &, uint32_t active);

/// A register row: 32 lanes of 4 or 8 bytes. An offset into the frame, or into the constants where bit 31 is set.
using Ref = uint32_t;
constexpr Ref constantBit = 1u << 31;

/// A predicate: an index into the frame's lane masks; bit 31 negates. Index 0 is always true.
using PredRef = uint32_t;
constexpr PredRef negateBit = 1u << 31;

enum class OpClass : uint8_t {
  Hidden,
  Integer,
  Float32,
  Float64,
  Half,
  Convert,
  Special,
  Matrix,
  Move,
  Predicate,
  Branch,
  Barrier,
  Exchange,
  GlobalLoad,
  GlobalStore,
  SharedLoad,
  SharedStore,
  LocalMemory,
  ParamLoad,
  Atomic,
  AsyncCopy,
  Count
};
const char *name(OpClass opClass);

struct Instr {
  Handler run = nullptr;
  Ref dst = 0, a = 0, b = 0, c = 0;
  int64_t imm = 0;
  const Ref *more = nullptr; ///< vector operands
  PredRef guard = 0;
  uint32_t aux = 0, aux2 = 0;
  uint32_t step = 0; ///< index into Code::origins
  OpClass opClass = OpClass::Hidden;
  uint8_t flags = 0;
  uint16_t small = 0;
};

/// A decoded function.
struct Code {
  const ptx::Function *function = nullptr;
  std::vector<Instr> instrs;
  std::vector<const ptx::Instruction *> origins;
  uint32_t frameBytes = 0; ///< lane masks, rows, scratch rows, parameters
  uint32_t rowsEnd = 0;    ///< of the rows that hold registers
  uint32_t numPredicates = 1;
  uint32_t localBytes = 0;    ///< per lane
  uint32_t registerUnits = 0; ///< rows of 4 bytes a lane that registers take
  struct Parameter {
    uint32_t at, stride, size; ///< lane l's bytes begin at `at + l * stride` in the frame
  };
  std::vector<Parameter> parameters, returns;
};

/// A kernel with the functions it can call, ready to run.
struct Program {
  const ptx::Module *module = nullptr;
  std::string name;
  std::vector<std::unique_ptr<Code>> codes; ///< the kernel first
  std::vector<uint32_t> constants;          ///< rows
  std::deque<std::vector<Ref>> operandLists;
  uint32_t staticSharedBytes = 0;
  uint32_t paramBytes = 0;
  struct Parameter {
    uint32_t at, size;
  };
  std::vector<Parameter> parameters;
  std::vector<std::unique_ptr<std::string>> texts; ///< that instructions point to
  bool synchronizes = false;
  std::vector<int> codeOf; ///< function of the module -> index into codes; -1: not part of this program

  const Code &entry() const { return *codes[0]; }
};

/// The address of a function of the module, as kernels and tables see it. False where there is none.
bool functionAddress(const ptx::Module &module, const std::string &name, uint64_t &address);

/// Where the module's variables lie in device memory.
struct SymbolTable {
  virtual ~SymbolTable() = default;
  virtual uint64_t address(const std::string &variable) const = 0;
};

/// Throws `ptx::Error` at the first instruction that is not supported.
std::unique_ptr<Program> decode(const ptx::Module &module, const ptx::Function &kernel, const SymbolTable &symbols);

} // namespace cudasim
