#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// PTX text as a tree: names are resolved within their scopes, nothing is decided about execution.
namespace cudasim::ptx {

/// What is wrong with a program, as ptxas words it.
struct Error : std::runtime_error {
  Error(int line, const std::string &text)
      : std::runtime_error("ptx line " + std::to_string(line) + "; error : " + text) {}
};

enum class Type : uint8_t {
  None,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  B8,
  B16,
  B32,
  B64,
  B128,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  Pred
};
/// None where `name` (".u32") is no type.
Type typeNamed(std::string_view name);
unsigned byteSize(Type type);

enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// A register as declared, numbered within its function.
struct Register {
  std::string name;
  Type type;
};

/// A variable in some state space; those of a module and of a function look alike.
struct Variable {
  std::string name;
  Space space;
  uint64_t size = 0, align = 1;
  bool isExtern = false;
  std::vector<uint8_t> bytes; ///< the initial value; empty where there is none
  struct Reference {
    uint64_t at;
    std::string symbol;
    int64_t offset;
  };
  std::vector<Reference> references; ///< addresses inside the initial value
  int line = 0;
};

struct Operand {
  enum Kind : uint8_t { Reg, Integer, Float32, Float64, Symbol, Address, Vector, Label, Sink, Special } kind = Sink;
  bool negated = false; ///< !%p
  int reg = -1;         ///< Reg, or the base of an Address
  int pair = -1;        ///< the predicate behind `|`
  uint64_t value = 0;   ///< an immediate's bits; the offset of an Address or Symbol
  std::string name;     ///< of a Symbol, Label, Special or an Address's symbol
  int variable = -1;    ///< of the function, where `name` is one
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                      ///< "ld"
  std::vector<std::string_view> modifiers; ///< ".global", ".v4", ".f32"; into the module's text
  std::vector<Operand> operands;
  int guard = -1;
  bool guardNegated = false;
  int line = 0;
  uint16_t file = 0;
  uint32_t sourceLine = 0;
  std::string_view text;                      ///< opcode with modifiers
  std::vector<int> callReturn, callArguments; ///< variables of a call
  std::vector<std::string> targets;           ///< of brx.idx, resolved like labels
  std::vector<int> targetAt;

  bool has(std::string_view modifier) const {
    for (auto m : modifiers)
      if (m == modifier) return true;
    return false;
  }
};

struct Function {
  std::string name;
  bool isEntry = false, hasBody = false, isExtern = false;
  std::vector<int> returns, parameters; ///< variables
  std::vector<Variable> variables;
  std::vector<Register> registers;
  std::vector<Instruction> body;
  std::map<std::string, int> labels; ///< scope-qualified name -> index into body
  int maxThreads[3] = {0, 0, 0}, requiredThreads[3] = {0, 0, 0}, clusterDim[3] = {0, 0, 0};
  int line = 0;
};

struct Module {
  std::string text;
  int versionMajor = 0, versionMinor = 0;
  std::string target;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::map<unsigned, std::string> files; ///< of .loc

  const Function *function(std::string_view name) const;
  const Variable *variable(std::string_view name) const;
};

/// Throws `Error` where `text` is no PTX that the parser knows.
Module parse(std::string text);

} // namespace cudasim::ptx
