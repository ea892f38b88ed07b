#include "eager/IndexError.h"

namespace tensorjit::eager {

std::string indexErrorText(const std::string &op, const std::string &operand, int64_t value, int64_t position,
                           int64_t bound) {
  return op + ": " + operand + " " + std::to_string(value) + " at [" + std::to_string(position) +
         "] is out of range for size " + std::to_string(bound);
}

} // namespace tensorjit::eager
