#pragma once
#include <cstdint>
#include <string_view>

namespace cudasim::ptx {

struct Token {
  enum Kind : uint8_t { Name, Directive, Integer, Float32, Float64, String, Mark, End } kind = End;
  std::string_view text;
  uint64_t value = 0; ///< the bits of a number
  int line = 1;
  bool is(char c) const { return kind == Mark && text[0] == c; }
  bool is(std::string_view t) const { return (kind == Name || kind == Directive) && text == t; }
};

/// Splits PTX into tokens. A name takes its modifiers along (`ld.global.v4.f32`, `%tid.x`).
class Lexer {
public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

private:
  void skipBlank();
  Token number();
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  size_t position_ = 0;
  int line_ = 1;
};

} // namespace cudasim::ptx
