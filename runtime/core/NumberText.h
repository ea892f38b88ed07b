#pragma once
#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>

namespace tensorjit {

/// A number for messages, with a point whatever the program's locale.
inline std::string numberText(double value, int digits = 6) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr;
  return std::string(text, end);
}

/// "512 MiB": a size for messages.
inline std::string bytesText(size_t bytes) {
  constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t u = 0;
  double v = static_cast<double>(bytes);
  for (; v >= 1024 && u + 1 < std::size(units); ++u) v /= 1024;
  return numberText(v, 4) + " " + units[u];
}

} // namespace tensorjit
