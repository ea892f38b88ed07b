#pragma once
#include "decode/Program.h"
#include "decode/Registers.h"

#include <map>
#include <span>

namespace cudasim {

/// What the opcode tables use to turn one PTX instruction into handlers with rows.
class Builder {
public:
  Builder(const ptx::Module &module, Program &program, Code &code, const SymbolTable &symbols,
          const std::map<std::string, uint32_t> &sharedAt, const std::map<std::string, uint32_t> &functionNumbers);

  void decodeFunction();

  const ptx::Instruction &in() const { return *in_; }
  const ptx::Operand &operand(size_t i) const;
  bool has(std::string_view modifier) const { return in_->has(modifier); }
  /// The i-th of the modifiers that are types; None where there are fewer.
  ptx::Type type(size_t i = 0) const;
  ptx::Type lastType() const;
  [[noreturn]] void refuse(const std::string &why) const;
  /// Refuses modifiers other than types and those listed.
  void allowOnly(std::initializer_list<std::string_view> modifiers) const;

  /// A row that holds the operand's value as `type`; copies where the register is wider or narrower.
  Ref read(const ptx::Operand &o, ptx::Type type);
  Ref read(size_t i, ptx::Type type) { return read(operand(i), type); }
  /// Where to put a value of `type`; copied on to a wider register afterwards.
  Ref write(const ptx::Operand &o, ptx::Type type);
  Ref write(size_t i, ptx::Type type) { return write(operand(i), type); }
  PredRef readPred(const ptx::Operand &o);
  PredRef readPred(size_t i) { return readPred(operand(i)); }
  PredRef writePred(const ptx::Operand &o);
  PredRef pairOf(const ptx::Operand &o) { return o.pair < 0 ? 0 : registers_->at[o.pair]; }
  Ref constant(uint64_t bits, bool wide);
  Ref scratch();
  const Ref *list(std::vector<Ref> refs);
  int64_t immediate(size_t i) const;
  ptx::Type registerType(const ptx::Operand &o) const;

  /// What an address operand names. `base` is a row of 64-bit addresses, or of 32-bit ones where `wide` is false.
  struct AddressParts {
    bool hasBase = false, wide = false;
    Ref base = 0;
    int64_t offset = 0;
    int paramVariable = -1; ///< of this function
    bool isLocalVariable = false;
  };
  AddressParts address(const ptx::Operand &o);

  Instr &emit(Handler handler, OpClass opClass);
  Instr &emit(Handler handler, OpClass opClass, Ref dst, Ref a = 0, Ref b = 0, Ref c = 0);
  /// The bytes of a .param variable in this function's frame.
  const Code::Parameter &frameParameter(int variable) const { return params_.at(variable); }
  bool isKernelParameter(int variable) const;
  int64_t kernelParameterOffset(int variable) const;
  Program &program() { return program_; }
  const ptx::Function &function() const { return *code_.function; }
  /// The number of a function of the program; -1 where it is not part of it.
  int functionNumber(const std::string &name) const;
  const std::string *keep(std::string text);
  void requireSynchronization() { program_.synchronizes = true; }

private:
  void layoutFrame();
  void decodeStep(int step);
  void branch(int step);
  bool symbolValue(const ptx::Operand &o, uint64_t &value);
  Ref symbolRow(const ptx::Operand &o, bool wide);
  bool isWide(const ptx::Operand &o) const;

  const ptx::Module &module_;
  Program &program_;
  Code &code_;
  const SymbolTable &symbols_;
  const std::map<std::string, uint32_t> &sharedAt_, &functionNumbers_;
  std::unique_ptr<ControlFlow> flow_;
  std::unique_ptr<RegisterAllocation> registers_;
  uint32_t rowsAt_ = 0, scratchAt_ = 0;
  unsigned scratchUsed_ = 0;
  std::map<int, Code::Parameter> params_;
  std::map<int, uint32_t> localAt_;
  const ptx::Instruction *in_ = nullptr;
  int step_ = 0;
  struct Copy {
    Ref from, to;
    Handler handler;
  };
  std::vector<Copy> copiesAfter_;
  std::map<std::pair<uint64_t, bool>, Ref> constants_;
};

struct Opcode {
  const char *name;
  void (*decode)(Builder &);
};
std::span<const Opcode> integerOpcodes();
std::span<const Opcode> bitOpcodes();
std::span<const Opcode> compareOpcodes();
std::span<const Opcode> floatOpcodes();
std::span<const Opcode> convertOpcodes();
std::span<const Opcode> moveOpcodes();
std::span<const Opcode> memoryOpcodes();
std::span<const Opcode> atomicOpcodes();
std::span<const Opcode> exchangeOpcodes();
std::span<const Opcode> barrierOpcodes();
std::span<const Opcode> callOpcodes();
std::span<const Opcode> matrixOpcodes();
std::span<const Opcode> asyncCopyOpcodes();

bool isWideType(ptx::Type type);
bool isSignedType(ptx::Type type);

} // namespace cudasim
