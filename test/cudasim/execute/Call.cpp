#include "decode/Builder.h"
#include "execute/Access.h"
#include "execute/Block.h"
#include "execute/Control.h"
#include "execute/Grid.h"
#include "execute/Rows.h"
#include "execute/Windows.h"

namespace cudasim {
namespace {

using ptx::Type;

/// `more`: the number of returned values, {at, stride, size} of each in this frame; the same for arguments.
void enter(Warp &w, const Instr &in, uint32_t active, const Code &code) {
  const std::byte *caller = w.base[0];
  const Ref *arguments = in.more + 1 + 3 * in.more[0];
  if (arguments[0] != code.parameters.size())
    w.fault(FaultKind::InvalidInstruction, in,
            "call of '" + code.function->name + "' with " + std::to_string(arguments[0]) + " arguments");
  w.call(code, active);
  auto *callee = const_cast<std::byte *>(w.base[0]);
  for (uint32_t k = 0; k < arguments[0]; ++k) {
    uint32_t at = arguments[1 + 3 * k], stride = arguments[2 + 3 * k], size = arguments[3 + 3 * k];
    const Code::Parameter &to = code.parameters[k];
    eachLane(active, [&](unsigned i) {
      std::memcpy(callee + to.at + i * to.stride, caller + at + i * stride, std::min(size, to.size));
    });
  }
}

void callDirect(Warp &w, const Instr &in, uint32_t active) {
  enter(w, in, active, *w.block.grid.program.codes[in.aux]);
}

/// Lanes that call another function than the first one take their turn afterwards.
void callIndirect(Warp &w, const Instr &in, uint32_t active) {
  const uint64_t *target = w.row<uint64_t>(in.a);
  auto first = static_cast<unsigned>(std::countr_zero(active));
  uint64_t number = target[first] - functionWindow;
  const Program &program = w.block.grid.program;
  if (number >= program.codeOf.size() || program.codeOf[number] <= 0)
    w.fault(FaultKind::InvalidInstruction, in, "call of an address that is no function", static_cast<int>(first));
  uint32_t same = 0;
  eachLane(active, [&](unsigned i) { same |= target[i] == target[first] ? 1u << i : 0u; });
  enter(w, in, same, *program.codes[static_cast<size_t>(program.codeOf[number])]);
}

uint64_t argument(Warp &w, const Instr &in, unsigned k, unsigned lane) {
  const Ref *arguments = in.more + 1 + 3 * in.more[0];
  uint64_t value = 0;
  if (k < arguments[0])
    std::memcpy(&value, w.base[0] + arguments[1 + 3 * k] + lane * arguments[2 + 3 * k],
                std::min(8u, arguments[3 + 3 * k]));
  return value;
}

std::string textAt(Warp &w, const Instr &in, unsigned lane, uint64_t address) {
  std::string out;
  for (; out.size() < 4096; ++address) {
    char c = static_cast<char>(*accessOne(w, in, lane, ptx::Space::Generic, AccessKind::Load, 1, address));
    if (!c) break;
    out += c;
  }
  return out;
}

void assertFail(Warp &w, const Instr &in, uint32_t active) {
  auto lane = static_cast<unsigned>(std::countr_zero(active));
  w.fault(FaultKind::Assert, in,
          "`" + textAt(w, in, lane, argument(w, in, 0, lane)) + "` in " +
              textAt(w, in, lane, argument(w, in, 3, lane)) + ", " + textAt(w, in, lane, argument(w, in, 1, lane)) +
              ":" + std::to_string(argument(w, in, 2, lane)),
          static_cast<int>(lane));
}

/// printf on the device: the format, and the arguments one after the other, each at a multiple of its size.
void print(Warp &w, const Instr &in, uint32_t active) {
  eachLane(active, [&](unsigned lane) {
    std::string format = textAt(w, in, lane, argument(w, in, 0, lane));
    uint64_t at = argument(w, in, 1, lane);
    auto next = [&](unsigned size) {
      at = (at + size - 1) / size * size;
      uint64_t value = 0;
      std::memcpy(&value, accessOne(w, in, lane, ptx::Space::Generic, AccessKind::Load, size, at), size);
      at += size;
      return value;
    };
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%' || i + 1 == format.size()) {
        std::putchar(format[i]);
        continue;
      }
      size_t end = format.find_first_of("diouxXcsfeEgGaAp%", i + 1);
      if (end == format.npos) break;
      std::string spec = format.substr(i, end - i + 1);
      char kind = format[end];
      i = end;
      char text[512];
      bool is64 = spec.find('l') != spec.npos;
      std::erase(spec, 'l');
      if (kind == '%') std::snprintf(text, sizeof text, "%%");
      else if (kind == 's') std::snprintf(text, sizeof text, spec.c_str(), textAt(w, in, lane, next(8)).c_str());
      else if (std::strchr("feEgGaA", kind))
        std::snprintf(text, sizeof text, spec.c_str(), std::bit_cast<double>(next(8)));
      else if (kind == 'p') std::snprintf(text, sizeof text, spec.c_str(), reinterpret_cast<void *>(next(8)));
      else if (is64)
        std::snprintf(text, sizeof text, spec.insert(spec.size() - 1, "ll").c_str(), static_cast<long long>(next(8)));
      else std::snprintf(text, sizeof text, spec.c_str(), static_cast<int>(next(4)));
      std::fputs(text, stdout);
    }
    std::fflush(stdout);
  });
}

const Ref *callSite(Builder &b) {
  std::vector<Ref> refs;
  for (auto *list : {&b.in().callReturn, &b.in().callArguments}) {
    refs.push_back(static_cast<Ref>(list->size()));
    for (int v : *list) {
      const Code::Parameter &p = b.frameParameter(v);
      refs.insert(refs.end(), {p.at, p.stride, p.size});
    }
  }
  return b.list(std::move(refs));
}

void decodeCall(Builder &b) {
  const ptx::Operand &target = b.operand(0);
  if (target.kind == ptx::Operand::Reg) {
    Ref a = b.read(target, Type::U64);
    b.emit(callIndirect, OpClass::Branch, 0, a).more = callSite(b);
    return;
  }
  int number = b.functionNumber(target.name);
  if (number >= 0) {
    Instr &in = b.emit(callDirect, OpClass::Branch);
    in.aux = static_cast<uint32_t>(number);
    in.more = callSite(b);
  } else if (target.name == "__assertfail" || target.name == "vprintf") {
    b.emit(target.name == "vprintf" ? print : assertFail, OpClass::Branch).more = callSite(b);
  } else {
    b.refuse("Unresolved extern function '" + target.name + "'");
  }
}

void exit(Warp &w, const Instr &, uint32_t active) { w.exit(active); }
void trap(Warp &w, const Instr &in, uint32_t active) {
  w.fault(FaultKind::Trap, in, "the kernel executed trap", std::countr_zero(active));
}
void nothing(Warp &, const Instr &, uint32_t) {}
void decodeRet(Builder &b) { b.emit(control::ret, OpClass::Branch); }
void decodeExit(Builder &b) { b.emit(exit, OpClass::Branch); }
void decodeTrap(Builder &b) { b.emit(trap, OpClass::Branch); }
void decodeBrkpt(Builder &b) { b.emit(nothing, OpClass::Branch); }

constexpr Opcode opcodes[] = {
    {"call", decodeCall}, {"ret", decodeRet}, {"exit", decodeExit}, {"trap", decodeTrap}, {"brkpt", decodeBrkpt}};

} // namespace

std::span<const Opcode> callOpcodes() { return opcodes; }

} // namespace cudasim
