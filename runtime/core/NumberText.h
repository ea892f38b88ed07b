#pragma once
#include <charconv>
#include <string>

namespace tensorjit {

/// A number for messages, with a point whatever the program's locale.
inline std::string numberText(double value, int digits = 6) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  return std::string(text, end);
}

} // namespace tensorjit
