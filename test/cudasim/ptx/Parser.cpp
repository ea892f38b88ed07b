#include "ptx/Lexer.h"
#include "ptx/Module.h"

#include <bit>
#include <cstring>
#include <unordered_map>

namespace cudasim::ptx {

Type typeNamed(std::string_view name) {
  static const std::unordered_map<std::string_view, Type> types = {
      {".u8", Type::U8},         {".u16", Type::U16}, {".u32", Type::U32},     {".u64", Type::U64},
      {".s8", Type::S8},         {".s16", Type::S16}, {".s32", Type::S32},     {".s64", Type::S64},
      {".b8", Type::B8},         {".b16", Type::B16}, {".b32", Type::B32},     {".b64", Type::B64},
      {".b128", Type::B128},     {".f16", Type::F16}, {".f16x2", Type::F16x2}, {".bf16", Type::BF16},
      {".bf16x2", Type::BF16x2}, {".f32", Type::F32}, {".f64", Type::F64},     {".pred", Type::Pred}};
  auto found = types.find(name);
  return found == types.end() ? Type::None : found->second;
}

unsigned byteSize(Type type) {
  switch (type) {
  case Type::U8:
  case Type::S8:
  case Type::B8: return 1;
  case Type::U16:
  case Type::S16:
  case Type::B16:
  case Type::F16:
  case Type::BF16: return 2;
  case Type::U64:
  case Type::S64:
  case Type::B64:
  case Type::F64: return 8;
  case Type::B128: return 16;
  case Type::None:
  case Type::Pred: return 0;
  default: return 4;
  }
}

const Function *Module::function(std::string_view name) const {
  const Function *found = nullptr;
  for (auto &f : functions)
    if (f.name == name && (!found || f.hasBody)) found = &f;
  return found;
}

const Variable *Module::variable(std::string_view name) const {
  for (auto &v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

namespace {

/// The names declared between two braces.
struct Scope {
  int parent;
  std::unordered_map<std::string, int> registers, variables;
};

class Parser {
public:
  explicit Parser(Module &module) : module_(module), lexer_(module.text) { token_ = lexer_.next(); }

  void run() {
    while (token_.kind != Token::End) statement();
  }

private:
  [[noreturn]] void fail(const std::string &what) { throw Error(token_.line, what); }
  [[noreturn]] void failNear() { fail("Parsing error near '" + std::string(token_.text) + "': syntax error"); }
  void advance() {
    if (token_.kind == Token::End) failNear(); // whoever looks for a mark finds that there is none
    token_ = lexer_.next();
  }
  Token take() {
    Token token = token_;
    advance();
    return token;
  }
  bool accept(char c) {
    if (!token_.is(c)) return false;
    advance();
    return true;
  }
  bool accept(std::string_view text) {
    if (!token_.is(text)) return false;
    advance();
    return true;
  }
  void expect(char c) {
    if (!accept(c)) failNear();
  }
  std::string name() {
    if (token_.kind != Token::Name) failNear();
    return std::string(take().text);
  }
  int64_t integer() {
    bool minus = accept('-');
    if (token_.kind != Token::Integer) failNear();
    auto value = static_cast<int64_t>(take().value);
    return minus ? -value : value;
  }

  void statement();
  void function(bool isExtern);
  void parameters(Function &f, std::vector<int> &list);
  Variable variable(Space space);
  void initializer(Variable &v, Type type);
  void limits(int (&dims)[3]);
  void section();

  void body();
  void bodyStatement();
  void registers();
  void instruction();
  void call(Instruction &in);
  std::vector<int> variableList();
  Operand operand();
  Operand address();
  void location();
  int findRegister(const std::string &name);
  int findVariable(const std::string &name);
  void resolveLabels();
  int declare(Variable v) {
    scopes_[scope_].variables[v.name] = static_cast<int>(function_->variables.size());
    function_->variables.push_back(std::move(v));
    return static_cast<int>(function_->variables.size()) - 1;
  }

  Module &module_;
  Lexer lexer_;
  int nesting_ = 0; ///< of operands in operands
  Token token_;
  Function *function_ = nullptr;
  std::vector<Scope> scopes_;
  int scope_ = 0;
  std::vector<int> scopeOf_; ///< of each instruction of the body
  std::map<std::string, std::vector<std::string>> targetLists_;
  uint16_t file_ = 0;
  uint32_t sourceLine_ = 0;
};

Space spaceNamed(std::string_view name) {
  if (name == ".global") return Space::Global;
  if (name == ".const") return Space::Const;
  if (name == ".shared") return Space::Shared;
  if (name == ".local") return Space::Local;
  if (name == ".param") return Space::Param;
  return Space::Generic;
}

void Parser::statement() {
  if (accept(".version")) {
    std::string_view text = take().text; // 9.0 lexes as one number
    size_t dot = text.find('.');
    module_.versionMajor = std::atoi(std::string(text.substr(0, dot)).c_str());
    module_.versionMinor = dot == text.npos ? 0 : std::atoi(std::string(text.substr(dot + 1)).c_str());
  } else if (accept(".target")) {
    module_.target = name();
    while (accept(',')) name();
  } else if (accept(".address_size")) {
    if (integer() != 64) fail("only .address_size 64 is supported");
  } else if (accept(".file")) {
    auto number = static_cast<unsigned>(integer());
    module_.files[number] = std::string(take().text);
    while (accept(',')) integer();
  } else if (accept(".section")) {
    section();
  } else if (accept(".pragma")) {
    take();
    expect(';');
  } else if (accept(".loc")) {
    location();
  } else if (accept(';')) {
  } else {
    bool isExtern = false;
    for (;;) {
      if (accept(".extern")) isExtern = true;
      else if (accept(".visible") || accept(".weak") || accept(".common")) {
      } else break;
    }
    if (token_.is(".entry") || token_.is(".func")) return function(isExtern);
    Space space = spaceNamed(token_.text);
    if (token_.kind != Token::Directive || space == Space::Generic) failNear();
    advance();
    do {
      Variable v = variable(space);
      v.isExtern = isExtern;
      module_.variables.push_back(std::move(v));
    } while (accept(','));
    expect(';');
  }
}

/// DWARF, which nothing here reads.
void Parser::section() {
  while (!token_.is('{')) advance();
  for (int depth = 0;;) {
    if (token_.kind == Token::End) failNear();
    if (token_.is('{')) ++depth;
    if (token_.is('}') && --depth == 0) break;
    advance();
  }
  advance();
}

/// What a device has for one variable, at most: for a thread, a block, and the parameters of a kernel.
static uint64_t mostBytes(Space space) {
  switch (space) {
  case Space::Local: return 512 << 10;
  case Space::Shared: return 227 << 10;
  case Space::Param: return 32764;
  default: return uint64_t(1) << 40;
  }
}

/// After the state space: `.align 4 .b8 name[32] = {...}`.
Variable Parser::variable(Space space) {
  Variable v;
  v.space = space;
  v.line = token_.line;
  Type type = Type::None;
  unsigned vector = 1;
  while (token_.kind == Token::Directive) {
    if (accept(".align")) v.align = static_cast<uint64_t>(integer());
    else if (accept(".v2")) vector = 2;
    else if (accept(".v4")) vector = 4;
    else if (accept(".ptr")) {
      while (token_.kind == Token::Directive && spaceNamed(token_.text) != Space::Generic) advance();
    } else if (accept(".attribute")) {
      while (!accept(')')) advance();
    } else {
      type = typeNamed(take().text);
      if (type == Type::None) failNear();
    }
  }
  if (type == Type::None) failNear();
  v.name = name();
  uint64_t count = 1;
  while (accept('[')) {
    count *= token_.is(']') ? 0 : static_cast<uint64_t>(integer());
    expect(']');
  }
  uint64_t element = byteSize(type) * vector;
  if (count > mostBytes(space) / element) fail("variable '" + v.name + "' is too large");
  v.size = element * count;
  v.align = std::max<uint64_t>(v.align, std::max(1u, byteSize(type)));
  if (!std::has_single_bit(v.align) || v.align > 4096) fail("variable '" + v.name + "' has no such alignment");
  if (accept('=')) initializer(v, type);
  return v;
}

void Parser::initializer(Variable &v, Type type) {
  unsigned size = byteSize(type);
  v.bytes.assign(v.size, 0);
  uint64_t at = 0;
  auto put = [&](uint64_t bits) {
    if (at + size > v.size) fail("too many initial values for '" + v.name + "'");
    std::memcpy(v.bytes.data() + at, &bits, size);
    at += size;
  };
  int depth = 0;
  do {
    while (accept('{')) ++depth;
    if (token_.kind == Token::Name) {
      Variable::Reference reference{at, name(), 0};
      if (reference.symbol == "generic") {
        expect('(');
        reference.symbol = name();
        expect(')');
      }
      if (accept('+')) reference.offset = integer();
      v.references.push_back(std::move(reference));
      put(0);
    } else if (!token_.is('}')) {
      bool minus = accept('-');
      Token t = take();
      if (t.kind != Token::Integer && t.kind != Token::Float32 && t.kind != Token::Float64) failNear();
      put(minus ? 0 - t.value : t.value);
    }
    while (depth && accept('}')) --depth;
  } while (accept(','));
  if (depth) failNear();
}

void Parser::limits(int (&dims)[3]) {
  for (int &dim : dims) dim = 1;
  int i = 0;
  do {
    if (i < 3) dims[i++] = static_cast<int>(integer());
  } while (accept(','));
}

void Parser::parameters(Function &f, std::vector<int> &list) {
  expect('(');
  while (!accept(')')) {
    if (token_.is(".reg")) fail("parameters in registers are not supported");
    if (!accept(".param")) failNear();
    list.push_back(declare(variable(Space::Param)));
    (void)f;
    accept(',');
  }
}

void Parser::function(bool isExtern) {
  Function f;
  f.isExtern = isExtern;
  f.line = token_.line;
  f.isEntry = token_.is(".entry");
  advance();
  function_ = &f;
  scopes_.assign(1, Scope{-1, {}, {}});
  scope_ = 0;
  scopeOf_.clear();
  targetLists_.clear();
  if (token_.is('(')) parameters(f, f.returns);
  f.name = name();
  if (token_.is('(')) parameters(f, f.parameters);
  while (token_.kind == Token::Directive) {
    int ignored[3];
    if (accept(".maxntid")) limits(f.maxThreads);
    else if (accept(".reqntid")) limits(f.requiredThreads);
    else if (accept(".reqnctapercluster")) limits(f.clusterDim);
    else if (accept(".minnctapersm") || accept(".maxnreg") || accept(".maxclusterrank") || accept(".maxnctapersm"))
      limits(ignored);
    else if (accept(".noreturn") || accept(".explicitcluster") || accept(".blocksareclusters")) {
    } else if (accept(".pragma")) {
      take();
      expect(';');
    } else failNear();
  }
  if (!accept(';')) body();
  module_.functions.push_back(std::move(f));
  function_ = nullptr;
}

void Parser::body() {
  function_->hasBody = true;
  expect('{');
  for (int depth = 1; depth;) {
    if (accept('{')) {
      ++depth;
      scopes_.push_back(Scope{scope_, {}, {}});
      scope_ = static_cast<int>(scopes_.size()) - 1;
    } else if (accept('}')) {
      --depth;
      scope_ = std::max(0, scopes_[scope_].parent);
    } else {
      bodyStatement();
    }
  }
  resolveLabels();
}

void Parser::location() {
  file_ = static_cast<uint16_t>(integer());
  sourceLine_ = static_cast<uint32_t>(integer());
  integer();
  while (accept(',')) { // function_name L, inlined_at file line column
    if (token_.kind == Token::Name && token_.text == "function_name") {
      advance();
      name();
      if (accept('+')) integer();
    } else if (token_.kind == Token::Name && token_.text == "inlined_at") {
      advance();
      for (int i = 0; i < 3; ++i) integer();
    } else failNear();
  }
}

void Parser::bodyStatement() {
  if (token_.kind == Token::End) failNear();
  if (accept(';')) return;
  if (token_.is(".reg")) return registers();
  if (accept(".loc")) return location();
  if (accept(".pragma")) {
    take();
    expect(';');
    return;
  }
  if (token_.kind == Token::Directive) {
    Space space = spaceNamed(token_.text);
    if (space == Space::Generic) failNear();
    advance();
    do declare(variable(space));
    while (accept(','));
    expect(';');
    return;
  }
  instruction();
}

void Parser::registers() {
  advance();
  Type type = typeNamed(token_.text);
  if (type == Type::None) fail("registers of type '" + std::string(token_.text) + "' are not supported");
  advance();
  auto add = [&](const std::string &name) {
    scopes_[scope_].registers[name] = static_cast<int>(function_->registers.size());
    function_->registers.push_back({name, type});
  };
  do {
    std::string base = name();
    if (accept('<')) {
      int64_t count = integer();
      if (count < 0 || count > 1000000) fail("too many registers");
      for (int64_t i = 0; i < count; ++i) add(base + std::to_string(i));
      expect('>');
    } else {
      add(base);
    }
  } while (accept(','));
  expect(';');
}

int Parser::findRegister(const std::string &name) {
  for (int s = scope_; s >= 0; s = scopes_[s].parent)
    if (auto found = scopes_[s].registers.find(name); found != scopes_[s].registers.end()) return found->second;
  return -1;
}

int Parser::findVariable(const std::string &name) {
  for (int s = scope_; s >= 0; s = scopes_[s].parent)
    if (auto found = scopes_[s].variables.find(name); found != scopes_[s].variables.end()) return found->second;
  return -1;
}

Operand Parser::address() {
  Operand o;
  o.kind = Operand::Address;
  expect('[');
  if (token_.kind == Token::Name) {
    std::string base = name();
    o.reg = findRegister(base);
    if (o.reg < 0) {
      o.variable = findVariable(base);
      o.name = base;
    }
    if (accept('+')) o.value = static_cast<uint64_t>(integer());
    else if (token_.is('-')) o.value = static_cast<uint64_t>(integer());
  } else {
    o.value = static_cast<uint64_t>(integer());
  }
  if (accept(',')) { // [tensorMap, {coordinates}]
    o.elements.push_back(operand());
  }
  expect(']');
  return o;
}

Operand Parser::operand() {
  Operand o;
  if (++nesting_ > 64) failNear();
  struct Leave {
    int &nesting;
    ~Leave() { --nesting; }
  } leave{nesting_};
  if (token_.is('[')) return address();
  if (accept('{')) {
    o.kind = Operand::Vector;
    while (!accept('}')) {
      o.elements.push_back(operand());
      accept(',');
    }
    return o;
  }
  if (accept('!')) {
    o = operand();
    o.negated = true;
    return o;
  }
  bool minus = accept('-');
  Token t = token_;
  if (t.kind == Token::Integer || t.kind == Token::Float32 || t.kind == Token::Float64) {
    advance();
    o.kind = t.kind == Token::Integer   ? Operand::Integer
             : t.kind == Token::Float32 ? Operand::Float32
                                        : Operand::Float64;
    o.value = t.value;
    if (minus) {
      if (t.kind == Token::Integer) o.value = 0 - t.value;
      else o.value ^= t.kind == Token::Float32 ? uint64_t(1) << 31 : uint64_t(1) << 63;
    }
    return o;
  }
  if (minus) failNear();
  std::string text = name();
  if (text == "_") return o;
  o.reg = findRegister(text);
  if (o.reg >= 0) {
    o.kind = Operand::Reg;
    if (accept('|')) o.pair = findRegister(name());
    return o;
  }
  o.name = text;
  if (text[0] == '%') {
    o.kind = Operand::Special;
    return o;
  }
  o.variable = findVariable(text);
  o.kind = Operand::Symbol; // or a label, when its instruction says so
  if (accept('+')) o.value = static_cast<uint64_t>(integer());
  return o;
}

std::vector<int> Parser::variableList() {
  std::vector<int> list;
  expect('(');
  while (!accept(')')) {
    std::string text = name();
    int v = findVariable(text);
    if (v < 0) fail("call arguments must be .param variables; '" + text + "' is none");
    list.push_back(v);
    accept(',');
  }
  return list;
}

void Parser::call(Instruction &in) {
  if (token_.is('(')) {
    in.callReturn = variableList();
    expect(',');
  }
  in.operands.push_back(operand());
  if (accept(',')) {
    if (token_.is('(')) {
      in.callArguments = variableList();
      if (accept(',')) name(); // the prototype
    } else {
      name();
    }
  }
  expect(';');
}

void Parser::instruction() {
  Instruction in;
  in.line = token_.line;
  in.file = file_;
  in.sourceLine = sourceLine_;
  if (accept('@')) {
    in.guardNegated = accept('!');
    std::string guard = name();
    in.guard = findRegister(guard);
    if (in.guard < 0 || function_->registers[in.guard].type != Type::Pred) fail("'" + guard + "' is no predicate");
  }
  Token opcode = token_;
  if (opcode.kind != Token::Name) failNear();
  advance();
  if (accept(':')) { // a label, a prototype or a list of targets
    std::string label(opcode.text);
    if (accept(".callprototype")) {
      while (!accept(';')) advance();
    } else if (accept(".branchtargets")) {
      auto &list = targetLists_[label];
      do list.push_back(name());
      while (accept(','));
      expect(';');
    } else {
      std::string key = std::to_string(scope_) + "/" + label;
      if (!function_->labels.emplace(key, static_cast<int>(function_->body.size())).second)
        fail("label '" + label + "' is defined twice");
    }
    return;
  }
  in.text = opcode.text;
  size_t dot = opcode.text.find('.');
  in.opcode = std::string(opcode.text.substr(0, dot));
  while (dot != opcode.text.npos) {
    size_t end = opcode.text.find('.', dot + 1);
    in.modifiers.push_back(opcode.text.substr(dot, end == opcode.text.npos ? end : end - dot));
    dot = end;
  }
  if (in.opcode == "call") {
    call(in);
  } else {
    while (!accept(';')) {
      if (token_.kind == Token::End) failNear();
      in.operands.push_back(operand());
      if (!token_.is(';')) expect(',');
    }
  }
  if (in.opcode == "bra" && in.operands.size() == 1) in.operands[0].kind = Operand::Label;
  if (in.opcode == "brx" && in.operands.size() == 2) {
    in.operands[1].kind = Operand::Label;
    auto found = targetLists_.find(in.operands[1].name);
    if (found == targetLists_.end()) fail("unknown list of targets '" + in.operands[1].name + "'");
    in.targets = found->second;
  }
  function_->body.push_back(std::move(in));
  scopeOf_.push_back(scope_);
}

void Parser::resolveLabels() {
  auto find = [&](const std::string &label, int scope, int line) {
    for (int s = scope; s >= 0; s = scopes_[s].parent)
      if (auto found = function_->labels.find(std::to_string(s) + "/" + label); found != function_->labels.end())
        return found->second;
    throw Error(line, "Unknown label '" + label + "'");
  };
  for (size_t i = 0; i < function_->body.size(); ++i) {
    Instruction &in = function_->body[i];
    for (Operand &o : in.operands)
      if (o.kind == Operand::Label && in.opcode == "bra")
        o.value = static_cast<uint64_t>(find(o.name, scopeOf_[i], in.line));
    for (auto &label : in.targets) in.targetAt.push_back(find(label, scopeOf_[i], in.line));
  }
}

} // namespace

Module parse(std::string text) {
  Module module;
  if (size_t end = text.find('\0'); end != text.npos) text.resize(end);
  // The tokens point into the text, whose buffer must stay where it is when the module moves.
  text.reserve(64);
  module.text = std::move(text);
  Parser(module).run();
  if (!module.versionMajor) throw Error(1, "Missing .version directive at start of file");
  return module;
}

} // namespace cudasim::ptx
