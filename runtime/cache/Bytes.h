#pragma once
/// Numbers and texts as bytes, one after the other.
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorjit::cache {

struct ByteWriter {
  std::vector<std::byte> bytes;

  void number(uint64_t v) {
    auto raw = std::as_bytes(std::span(&v, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  void block(std::span<const std::byte> raw) {
    number(raw.size());
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  void text(std::string_view text) { block(std::as_bytes(std::span(text))); }
  template <class Range> void numbers(const Range &values) {
    number(std::size(values));
    for (auto v : values) number(static_cast<uint64_t>(v));
  }
};

/// Reads them again; what is cut off is empty, and `ok` false from there on.
struct ByteReader {
  std::span<const std::byte> rest;
  bool ok = true;

  std::span<const std::byte> take(uint64_t n) {
    ok = ok && n <= rest.size();
    if (!ok) return {};
    auto taken = rest.first(n);
    rest = rest.subspan(n);
    return taken;
  }
  uint64_t number() {
    uint64_t v = 0;
    auto raw = take(sizeof v);
    if (ok) std::memcpy(&v, raw.data(), sizeof v);
    return v;
  }
  std::span<const std::byte> block() { return take(number()); }
  std::string text() {
    auto raw = block();
    return {reinterpret_cast<const char *>(raw.data()), raw.size()};
  }
};

} // namespace tensorjit::cache
