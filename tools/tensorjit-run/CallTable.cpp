#include "CallTable.h"
#include "tensorjit/ops.h"

#include <unordered_map>

namespace tensorjit::run {
namespace {

const NamedCall generatedCalls[] = {
#include "run/Calls.inc"
};

template <class... F> struct Overloaded : F... { using F::operator()...; };

} // namespace

std::vector<Tensor> Call::operator()(CallArgs &args) const {
  return std::visit(Overloaded{
                        [&](Body body) { return body(args); },
                        [&](Unary f) { return flat(f(args.tensor(), SourceLocation::current())); },
                        [&](Binary f) {
                          const Operand a = args.operand(names_.first), b = args.operand(names_.second);
                          return flat(f(a, b, SourceLocation::current()));
                        },
                        [&](UnaryInPlace f) {
                          Tensor x = args.tensor();
                          return flat((x.*f)(SourceLocation::current()));
                        },
                        [&](BinaryInPlace f) {
                          Tensor a = args.tensor();
                          return flat((a.*f)(args.operand(names_.second), SourceLocation::current()));
                        },
                    },
                    function_);
}

const Call *findCall(const std::string &name) {
  static const auto calls = [] {
    std::unordered_map<std::string, const Call *> byName;
    for (const NamedCall &c : handwrittenCalls()) byName.emplace(c.name, &c.call);
    for (const NamedCall &c : generatedCalls) byName.emplace(c.name, &c.call);
    return byName;
  }();
  auto found = calls.find(name);
  return found == calls.end() ? nullptr : found->second;
}

} // namespace tensorjit::run
