#include "CallTable.h"
#include "tensorjit/ops.h"

namespace tensorjit::run {

Call findCall(const std::string &name) {
  static const std::map<std::string, Call> generated{
#include "run/Calls.inc"
  };
  auto written = handwrittenCalls().find(name);
  if (written != handwrittenCalls().end()) return written->second;
  auto found = generated.find(name);
  return found == generated.end() ? nullptr : found->second;
}

} // namespace tensorjit::run
