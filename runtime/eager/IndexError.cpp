#include "eager/IndexError.h"

namespace tensorjit::eager {

std::string indexErrorText(const std::string &op, const std::string &operand, std::optional<int64_t> value,
                           int64_t position, int64_t bound) {
  std::string text = op + ": " + operand;
  if (value) text.append(" ").append(std::to_string(*value));
  return text.append(" at [")
      .append(std::to_string(position))
      .append("] is out of range for size ")
      .append(std::to_string(bound));
}

} // namespace tensorjit::eager
