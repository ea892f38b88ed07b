#include "ptx/Lexer.h"

#include "ptx/Module.h"

#include <bit>
#include <cctype>
#include <charconv>

namespace cudasim::ptx {
namespace {

bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }
bool insideName(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }

} // namespace

void Lexer::skipBlank() {
  for (;; ++position_) {
    char c = at(position_);
    if (c == '\n') {
      ++line_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      while (at(position_) && at(position_) != '\n') ++position_;
      --position_;
    } else if (c == '/' && at(position_ + 1) == '*') {
      for (position_ += 2; at(position_) && !(at(position_) == '*' && at(position_ + 1) == '/'); ++position_)
        line_ += at(position_) == '\n';
      if (at(position_)) ++position_;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      return;
    }
  }
}

Token Lexer::number() {
  Token token{Token::Integer, {}, 0, line_};
  size_t begin = position_;
  auto parse = [&](size_t from, size_t to, int base) {
    auto [end, error] = std::from_chars(text_.data() + from, text_.data() + to, token.value, base);
    if (error != std::errc() || end != text_.data() + to) throw Error(line_, "Malformed number");
  };
  char prefix = static_cast<char>(std::tolower(static_cast<unsigned char>(at(position_ + 1))));
  bool zero = at(position_) == '0';
  if (zero && (prefix == 'f' || prefix == 'd')) {
    size_t digits = prefix == 'f' ? 8 : 16;
    token.kind = prefix == 'f' ? Token::Float32 : Token::Float64;
    position_ += 2 + digits;
    if (position_ > text_.size()) throw Error(line_, "Malformed number");
    parse(begin + 2, position_, 16);
  } else {
    while (insideName(at(position_))) ++position_;
    bool fraction = at(position_) == '.' && std::isdigit(static_cast<unsigned char>(at(position_ + 1)));
    if (fraction) {
      ++position_;
      while (std::isalnum(static_cast<unsigned char>(at(position_))) ||
             ((at(position_) == '-' || at(position_) == '+') && (at(position_ - 1) | 32) == 'e'))
        ++position_;
      double value = 0;
      std::from_chars(text_.data() + begin, text_.data() + position_, value);
      token.kind = Token::Float64;
      token.value = std::bit_cast<uint64_t>(value);
    } else {
      size_t end = position_;
      if (end > begin + 1 && at(end - 1) == 'U') --end;
      if (zero && prefix == 'x') parse(begin + 2, end, 16);
      else if (zero && prefix == 'b') parse(begin + 2, end, 2);
      else parse(begin, end, zero && end > begin + 1 ? 8 : 10);
    }
  }
  token.text = text_.substr(begin, position_ - begin);
  return token;
}

Token Lexer::next() {
  skipBlank();
  Token token{Token::End, {}, 0, line_};
  size_t begin = position_;
  char c = at(position_);
  if (!c) return token;
  if (std::isdigit(static_cast<unsigned char>(c))) return number();
  if (c == '"') {
    for (++position_; at(position_) && at(position_) != '"'; ++position_) {
    }
    ++position_;
    token.kind = Token::String;
    token.text = text_.substr(begin + 1, position_ - begin - 2);
    return token;
  }
  if (startsName(c) || (c == '.' && startsName(at(position_ + 1)))) {
    token.kind = c == '.' ? Token::Directive : Token::Name;
    ++position_;
    for (;;) {
      if (insideName(at(position_))) ++position_;
      else if (at(position_) == ':' && at(position_ + 1) == ':') position_ += 2;
      else if (token.kind == Token::Name && at(position_) == '.' && insideName(at(position_ + 1))) ++position_;
      else break;
    }
  } else {
    token.kind = Token::Mark;
    ++position_;
  }
  token.text = text_.substr(begin, position_ - begin);
  return token;
}

} // namespace cudasim::ptx
