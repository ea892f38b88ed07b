#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace tensorjit {

/// A shared object opened from memory (with TENSORJIT_DUMP: from a file in that folder); closed with this object.
class CodeImage {
public:
  CodeImage() = default;
  /// Throws `io_error` with the loader's text where the bytes cannot be opened. `name` shows in /proc/self/maps.
  CodeImage(std::span<const std::byte> elf, const std::string &name);
  CodeImage(CodeImage &&o) noexcept : handle_(std::exchange(o.handle_, nullptr)) {}
  CodeImage &operator=(CodeImage o) noexcept {
    std::swap(handle_, o.handle_);
    return *this;
  }
  ~CodeImage();

  /// Null where there is no such symbol.
  void *symbol(const std::string &name) const;

private:
  void *handle_ = nullptr;
};

} // namespace tensorjit
