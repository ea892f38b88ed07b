#pragma once
#include "tensorjit/error.h"

#include <source_location>
#include <string>

namespace tensorjit {

/// Padding of a convolution by name.
class PaddingMode {
public:
  enum Kind { Valid, Same };
  constexpr PaddingMode(Kind kind) : kind_(kind) {}
  /// "valid" or "same"; throws `value_error` for another name.
  PaddingMode(const std::string &name, std::source_location loc = std::source_location::current());
  template <size_t n>
  PaddingMode(const char (&name)[n], std::source_location loc = std::source_location::current())
      : PaddingMode(std::string(name), loc) {}
  Kind kind() const { return kind_; }

private:
  Kind kind_;
};

inline constexpr PaddingMode kValid(PaddingMode::Valid), kSame(PaddingMode::Same);

} // namespace tensorjit
