#include "decode/Builder.h"
#include "execute/Windows.h"

#include <algorithm>
#include <set>

namespace cudasim {

const char *name(OpClass opClass) {
  static const char *const names[] = {
      "hidden",       "integer",     "float32",      "float64",      "half",       "convert",  "special",
      "matrix",       "move",        "predicate",    "branch",       "barrier",    "exchange", "global_load",
      "global_store", "shared_load", "shared_store", "local_memory", "param_load", "atomic",   "async_copy"};
  return names[static_cast<int>(opClass)];
}

namespace {

/// Every symbol that an operand of `f` names.
std::set<std::string> symbolsOf(const ptx::Function &f) {
  std::set<std::string> out;
  auto visit = [&](auto &self, const ptx::Operand &o) -> void {
    if (!o.name.empty() && o.variable < 0) out.insert(o.name);
    for (auto &e : o.elements) self(self, e);
  };
  for (auto &in : f.body)
    for (auto &o : in.operands) visit(visit, o);
  return out;
}

/// The kernel and what it can reach; with it every function whose address is in a table, if it calls by address.
std::vector<const ptx::Function *> reachable(const ptx::Module &module, const ptx::Function &kernel) {
  std::vector<const ptx::Function *> list = {&kernel};
  std::set<std::string> known = {kernel.name};
  auto add = [&](const std::string &name) {
    const ptx::Function *f = module.function(name);
    if (f && f->hasBody && !f->isEntry && known.insert(name).second) list.push_back(f);
  };
  for (size_t i = 0; i < list.size(); ++i) {
    for (auto &symbol : symbolsOf(*list[i])) add(symbol);
    for (auto &in : list[i]->body)
      if (in.opcode == "call" && in.operands[0].kind == ptx::Operand::Reg)
        for (auto &v : module.variables)
          for (auto &reference : v.references) add(reference.symbol);
  }
  return list;
}

/// Places the shared variables of all functions; what is declared `extern` begins behind the last.
void layoutShared(const ptx::Module &module, const std::vector<const ptx::Function *> &functions, Program &program,
                  std::map<std::string, uint32_t> &at) {
  uint64_t end = 0;
  std::set<std::string> used;
  uint64_t dynamicAlign = 16;
  auto place = [&](const std::string &key, const ptx::Variable &v) {
    end = (end + v.align - 1) / v.align * v.align;
    at[key] = static_cast<uint32_t>(end);
    end += v.size;
    if (end > 227 << 10) throw ptx::Error(v.line, "'" + v.name + "': too much shared memory");
  };
  for (auto *f : functions) {
    for (auto &symbol : symbolsOf(*f)) used.insert(symbol);
    for (auto &v : f->variables)
      if (v.space == ptx::Space::Shared) place(f->name + "/" + v.name, v);
  }
  for (auto &v : module.variables) {
    if (v.space != ptx::Space::Shared || !used.count(v.name)) continue;
    if (v.isExtern) dynamicAlign = std::max(dynamicAlign, v.align);
    else place("/" + v.name, v);
  }
  end = (end + dynamicAlign - 1) / dynamicAlign * dynamicAlign;
  bool anyDynamic = false;
  for (auto &v : module.variables)
    if (v.space == ptx::Space::Shared && v.isExtern && used.count(v.name)) {
      at["/" + v.name] = static_cast<uint32_t>(end);
      anyDynamic = true;
    }
  if (!anyDynamic && at.empty()) end = 0;
  program.staticSharedBytes = static_cast<uint32_t>(end);
}

void layoutParameters(const ptx::Function &kernel, Program &program) {
  uint64_t end = 0;
  for (int index : kernel.parameters) {
    const ptx::Variable &v = kernel.variables[index];
    end = (end + v.align - 1) / v.align * v.align;
    program.parameters.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(v.size)});
    end += v.size;
    if (end > 32764) throw ptx::Error(v.line, "'" + kernel.name + "': too many bytes of parameters");
  }
  program.paramBytes = static_cast<uint32_t>(end);
}

} // namespace

bool functionAddress(const ptx::Module &module, const std::string &name, uint64_t &address) {
  const ptx::Function *f = module.function(name);
  if (!f || !f->hasBody) return false;
  address = functionWindow + static_cast<uint64_t>(f - module.functions.data());
  return true;
}

std::unique_ptr<Program> decode(const ptx::Module &module, const ptx::Function &kernel, const SymbolTable &symbols) {
  auto program = std::make_unique<Program>();
  program->module = &module;
  program->name = kernel.name;
  auto functions = reachable(module, kernel);
  std::map<std::string, uint32_t> sharedAt, numbers;
  layoutShared(module, functions, *program, sharedAt);
  layoutParameters(kernel, *program);
  program->codeOf.assign(module.functions.size(), -1);
  for (size_t i = 0; i < functions.size(); ++i) {
    program->codeOf[static_cast<size_t>(functions[i] - module.functions.data())] = static_cast<int>(i);
    numbers[functions[i]->name] = static_cast<uint32_t>(i);
    program->codes.push_back(std::make_unique<Code>());
    program->codes.back()->function = functions[i];
  }
  for (auto &code : program->codes) Builder(module, *program, *code, symbols, sharedAt, numbers).decodeFunction();
  return program;
}

} // namespace cudasim
