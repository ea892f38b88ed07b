#include "decode/Builder.h"

#include "execute/Control.h"
#include "execute/Move.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace cudasim {

using ptx::Operand;
using ptx::Type;

bool isWideType(Type type) { return ptx::byteSize(type) == 8; }
bool isSignedType(Type type) { return type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64; }

namespace {

constexpr unsigned scratchRows = 40;

const std::unordered_map<std::string, void (*)(Builder &)> &opcodes() {
  static const auto *table = [] {
    auto *map = new std::unordered_map<std::string, void (*)(Builder &)>;
    for (auto part : {integerOpcodes(), bitOpcodes(), compareOpcodes(), floatOpcodes(), convertOpcodes(), moveOpcodes(),
                      memoryOpcodes(), atomicOpcodes(), exchangeOpcodes(), barrierOpcodes(), callOpcodes(),
                      matrixOpcodes(), asyncCopyOpcodes()})
      for (const Opcode &opcode : part) map->emplace(opcode.name, opcode.decode);
    return map;
  }();
  return *table;
}

uint32_t roundUp(uint64_t value, uint64_t to) { return static_cast<uint32_t>((value + to - 1) / to * to); }

} // namespace

Builder::Builder(const ptx::Module &module, Program &program, Code &code, const SymbolTable &symbols,
                 const std::map<std::string, uint32_t> &sharedAt,
                 const std::map<std::string, uint32_t> &functionNumbers)
    : module_(module), program_(program), code_(code), symbols_(symbols), sharedAt_(sharedAt),
      functionNumbers_(functionNumbers), flow_(std::make_unique<ControlFlow>(*code.function)),
      registers_(std::make_unique<RegisterAllocation>(*code.function, *flow_)) {
  layoutFrame();
}

void Builder::layoutFrame() {
  const ptx::Function &f = *code_.function;
  code_.numPredicates = registers_->predicates;
  rowsAt_ = roundUp(registers_->predicates * 4, 64);
  scratchAt_ = rowsAt_ + registers_->units * 128;
  code_.registerUnits = registers_->units;
  code_.rowsEnd = scratchAt_;
  uint32_t end = scratchAt_ + scratchRows * 256;
  for (size_t i = 0; i < f.variables.size(); ++i) {
    const ptx::Variable &v = f.variables[i];
    int index = static_cast<int>(i);
    if (v.space == ptx::Space::Local) {
      code_.localBytes = roundUp(code_.localBytes, std::max<uint64_t>(v.align, 16));
      localAt_[index] = code_.localBytes;
      code_.localBytes += static_cast<uint32_t>(v.size);
      if (code_.localBytes > 512 << 10) throw ptx::Error(v.line, "'" + f.name + "': too much local memory");
    } else if (v.space == ptx::Space::Param && !isKernelParameter(index)) {
      uint32_t stride = roundUp(v.size, 16);
      params_[index] = {end, stride, static_cast<uint32_t>(v.size)};
      end += stride * 32;
      if (end > 16 << 20) throw ptx::Error(v.line, "'" + f.name + "': too many parameters of calls");
    }
  }
  code_.localBytes = roundUp(code_.localBytes, 16);
  code_.frameBytes = roundUp(end, 64);
  if (!f.isEntry) {
    for (int v : f.parameters) code_.parameters.push_back(params_.at(v));
    for (int v : f.returns) code_.returns.push_back(params_.at(v));
  }
}

bool Builder::isKernelParameter(int variable) const {
  const ptx::Function &f = *code_.function;
  return f.isEntry && std::find(f.parameters.begin(), f.parameters.end(), variable) != f.parameters.end();
}

int64_t Builder::kernelParameterOffset(int variable) const {
  const auto &list = code_.function->parameters;
  return program_.parameters[std::find(list.begin(), list.end(), variable) - list.begin()].at;
}

void Builder::decodeFunction() {
  std::vector<uint32_t> pcOfBlock;
  std::vector<bool> converges(flow_->blocks.size(), false);
  for (const FlowBlock &block : flow_->blocks)
    if (block.successors.size() > 1 && block.postDominator >= 0) converges[block.postDominator] = true;
  for (size_t b = 0; b < flow_->blocks.size(); ++b) {
    const FlowBlock &block = flow_->blocks[b];
    pcOfBlock.push_back(static_cast<uint32_t>(code_.instrs.size()));
    step_ = std::max(0, std::min(block.begin, static_cast<int>(flow_->steps.size()) - 1));
    in_ = nullptr;
    bool afterCall = block.begin > 0 && flow_->steps[block.begin - 1].in->opcode == "call";
    if (converges[b] || afterCall) emit(control::converge, OpClass::Hidden);
    for (int i = block.begin; i < block.end; ++i) decodeStep(i);
    if (block.begin == block.end) emit(control::ret, OpClass::Hidden);
  }
  for (Instr &instr : code_.instrs) {
    if (instr.run == control::branch || instr.run == control::branchUniform || instr.run == control::branchAround) {
      instr.imm = pcOfBlock[static_cast<size_t>(instr.imm)];
    } else if (instr.run == control::branchIndexed) {
      auto *targets = const_cast<Ref *>(instr.more);
      for (uint32_t i = 0; i < instr.small; ++i) targets[i] = pcOfBlock[targets[i]];
    } else {
      continue;
    }
    int block = static_cast<int>(instr.aux2);
    instr.aux2 = block < 0 ? ~0u : pcOfBlock[block];
  }
}

void Builder::branch(int step) {
  const Step &s = flow_->steps[step];
  int block = flow_->blockOf[step];
  auto finish = [&](Instr &instr) { instr.aux2 = static_cast<uint32_t>(flow_->blocks[block].postDominator); };
  if (s.isBranchAround) {
    PredRef guard = registers_->at[s.in->guard] | (s.in->guardNegated ? negateBit : 0);
    Instr &instr = emit(control::branchAround, OpClass::Hidden);
    instr.guard = guard ^ negateBit;
    instr.imm = flow_->blockOf[s.target];
    return finish(instr);
  }
  if (s.in->opcode == "bra") {
    Instr &instr = emit(s.in->has(".uni") ? control::branchUniform : control::branch, OpClass::Branch);
    instr.imm = flow_->blockOf[s.target];
    return finish(instr);
  }
  std::vector<Ref> targets;
  for (int at : s.in->targetAt) targets.push_back(static_cast<Ref>(flow_->blockOf[flow_->stepOf[at]]));
  Ref index = read(0, Type::U32);
  Instr &instr = emit(control::branchIndexed, OpClass::Branch, 0, index);
  instr.small = static_cast<uint16_t>(targets.size());
  instr.more = list(std::move(targets));
  finish(instr);
}

void Builder::decodeStep(int step) {
  const Step &s = flow_->steps[step];
  step_ = step;
  in_ = s.in;
  scratchUsed_ = 0;
  if (s.isBranchAround || isBranch(*s.in)) return branch(step);
  auto found = opcodes().find(s.in->opcode);
  if (found == opcodes().end()) refuse("unknown or unsupported instruction");
  found->second(*this);
  for (const Copy &copy : copiesAfter_) emit(copy.handler, OpClass::Hidden, copy.to, copy.from);
  copiesAfter_.clear();
}

Instr &Builder::emit(Handler handler, OpClass opClass, Ref dst, Ref a, Ref b, Ref c) {
  Instr &instr = emit(handler, opClass);
  instr.dst = dst;
  instr.a = a;
  instr.b = b;
  instr.c = c;
  return instr;
}

Instr &Builder::emit(Handler handler, OpClass opClass) {
  Instr instr;
  instr.run = handler;
  instr.opClass = opClass;
  instr.step = static_cast<uint32_t>(code_.origins.size());
  if (flow_->steps.empty()) refuse("a function without instructions");
  const Step &s = flow_->steps[step_];
  code_.origins.push_back(s.in);
  if (in_ && in_->guard >= 0 && !s.dropGuard && !s.isBranchAround)
    instr.guard = registers_->at[in_->guard] | (in_->guardNegated ? negateBit : 0);
  code_.instrs.push_back(instr);
  return code_.instrs.back();
}

const Operand &Builder::operand(size_t i) const {
  if (i >= in_->operands.size()) refuse("too few operands");
  return in_->operands[i];
}

Type Builder::type(size_t i) const {
  for (auto m : in_->modifiers)
    if (Type t = ptx::typeNamed(m); t != Type::None && i-- == 0) return t;
  return Type::None;
}

Type Builder::lastType() const {
  Type last = Type::None;
  for (auto m : in_->modifiers)
    if (Type t = ptx::typeNamed(m); t != Type::None) last = t;
  return last;
}

void Builder::refuse(const std::string &why) const {
  throw ptx::Error(in_ ? in_->line : 0, "'" + std::string(in_ ? in_->text : "") + "': " + why);
}

void Builder::allowOnly(std::initializer_list<std::string_view> modifiers) const {
  for (auto m : in_->modifiers)
    if (ptx::typeNamed(m) == Type::None && std::find(modifiers.begin(), modifiers.end(), m) == modifiers.end())
      refuse("the stand-in does not support '" + std::string(m) + "'");
}

Type Builder::registerType(const Operand &o) const {
  return o.kind == Operand::Reg ? code_.function->registers[o.reg].type : Type::None;
}

bool Builder::isWide(const Operand &o) const { return isWideType(registerType(o)); }

Ref Builder::scratch() {
  if (scratchUsed_ == scratchRows) refuse("too many operands");
  return scratchAt_ + 256 * scratchUsed_++;
}

Ref Builder::constant(uint64_t bits, bool wide) {
  if (!wide) bits &= 0xffffffffu;
  auto [found, isNew] = constants_.try_emplace({bits, wide}, 0);
  if (isNew) {
    auto &rows = program_.constants;
    found->second = static_cast<Ref>(rows.size() * 4) | constantBit;
    for (int lane = 0; lane < 32; ++lane) {
      rows.push_back(static_cast<uint32_t>(bits));
      if (wide) rows.push_back(static_cast<uint32_t>(bits >> 32));
    }
  }
  return found->second;
}

const Ref *Builder::list(std::vector<Ref> refs) { return program_.operandLists.emplace_back(std::move(refs)).data(); }
const std::string *Builder::keep(std::string text) {
  return program_.texts.emplace_back(std::make_unique<std::string>(std::move(text))).get();
}

int Builder::functionNumber(const std::string &name) const {
  auto found = functionNumbers_.find(name);
  return found == functionNumbers_.end() ? -1 : static_cast<int>(found->second);
}

int64_t Builder::immediate(size_t i) const {
  const Operand &o = operand(i);
  if (o.kind != Operand::Integer) refuse("operand " + std::to_string(i + 1) + " must be a constant");
  return static_cast<int64_t>(o.value);
}

/// The address of a variable or function, where it is the same for all lanes and calls.
bool Builder::symbolValue(const Operand &o, uint64_t &value) {
  if (o.name == "WARP_SZ") value = 32;
  else if (o.variable >= 0) {
    const ptx::Variable &v = code_.function->variables[o.variable];
    if (v.space == ptx::Space::Shared) value = sharedAt_.at(code_.function->name + "/" + v.name);
    else if (v.space == ptx::Space::Param && isKernelParameter(o.variable))
      value = static_cast<uint64_t>(kernelParameterOffset(o.variable));
    else return false;
  } else if (const ptx::Variable *v = module_.variable(o.name)) {
    if (v->space == ptx::Space::Shared) value = sharedAt_.at("/" + v->name);
    else value = symbols_.address(v->name);
  } else if (!functionAddress(module_, o.name, value)) {
    refuse("Unknown symbol '" + o.name + "'");
  }
  value += o.value;
  return true;
}

Ref Builder::symbolRow(const Operand &o, bool wide) {
  uint64_t value;
  if (symbolValue(o, value)) return constant(value, wide);
  if (!localAt_.count(o.variable)) refuse("the address of '" + o.name + "' cannot be taken");
  Ref row = scratch();
  Instr &instr = emit(wide ? move::localAddress64 : move::localAddress32, OpClass::Hidden, row);
  instr.imm = localAt_.at(o.variable) + static_cast<int64_t>(o.value);
  return row;
}

Ref Builder::read(const Operand &o, Type type) {
  bool wide = isWideType(type);
  switch (o.kind) {
  case Operand::Reg: {
    if (registerType(o) == Type::Pred) refuse("a predicate is no operand here");
    if (registerType(o) == Type::B128) refuse("128-bit registers are not supported");
    Ref row = rowsAt_ + registers_->at[o.reg] * 128;
    if (isWide(o) == wide) return row;
    Ref copy = scratch();
    emit(wide ? (isSignedType(type) ? move::widenSigned : move::widen) : move::narrow, OpClass::Hidden, copy, row);
    return copy;
  }
  case Operand::Integer:
    if (type == Type::F32 || type == Type::F64) refuse("an integer is no floating-point operand");
    return constant(o.value, wide);
  case Operand::Float32:
    if (type == Type::F64) {
      float f;
      std::memcpy(&f, &o.value, 4);
      double d = f;
      uint64_t bits;
      std::memcpy(&bits, &d, 8);
      return constant(bits, true);
    }
    return constant(o.value, wide);
  case Operand::Float64: {
    if (type != Type::F32) return constant(o.value, wide);
    double d;
    std::memcpy(&d, &o.value, 8);
    float f = static_cast<float>(d);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return constant(bits, false);
  }
  case Operand::Special: {
    int id = move::specialRegister(o.name);
    if (id < 0) refuse("unknown register '" + o.name + "'");
    Ref row = scratch();
    emit(wide ? move::special64 : move::special32, OpClass::Hidden, row).imm = id;
    return row;
  }
  case Operand::Symbol: return symbolRow(o, wide);
  default: refuse("unexpected kind of operand");
  }
}

Ref Builder::write(const Operand &o, Type type) {
  if (o.kind == Operand::Sink) return scratch();
  if (o.kind != Operand::Reg || registerType(o) == Type::Pred) refuse("the result must be a register");
  if (registerType(o) == Type::B128) refuse("128-bit registers are not supported");
  Ref row = rowsAt_ + registers_->at[o.reg] * 128;
  bool wide = isWideType(type);
  if (isWide(o) == wide) return row;
  Ref first = scratch();
  copiesAfter_.push_back({first, row, wide ? move::narrow : isSignedType(type) ? move::widenSigned : move::widen});
  return first;
}

PredRef Builder::readPred(const Operand &o) {
  if (o.kind == Operand::Integer) return o.value ? 0 : negateBit;
  if (registerType(o) != Type::Pred) refuse("operand must be a predicate");
  return registers_->at[o.reg] | (o.negated ? negateBit : 0);
}

PredRef Builder::writePred(const Operand &o) {
  if (o.kind == Operand::Sink) return 0;
  if (registerType(o) != Type::Pred) refuse("the result must be a predicate");
  return registers_->at[o.reg];
}

Builder::AddressParts Builder::address(const Operand &o) {
  AddressParts parts;
  if (o.kind != Operand::Address) refuse("operand must be an address");
  parts.offset = static_cast<int64_t>(o.value);
  if (o.reg >= 0) {
    parts.hasBase = true;
    parts.wide = isWideType(code_.function->registers[o.reg].type);
    parts.base = rowsAt_ + registers_->at[o.reg] * 128;
  } else if (!o.name.empty()) {
    if (o.variable >= 0 && code_.function->variables[o.variable].space == ptx::Space::Param) {
      parts.paramVariable = o.variable;
    } else if (o.variable >= 0 && code_.function->variables[o.variable].space == ptx::Space::Local) {
      parts.isLocalVariable = true;
      parts.offset += localAt_.at(o.variable);
    } else {
      Operand symbol = o;
      symbol.value = 0;
      uint64_t value = 0;
      symbolValue(symbol, value);
      parts.offset += static_cast<int64_t>(value);
    }
  }
  return parts;
}

} // namespace cudasim
