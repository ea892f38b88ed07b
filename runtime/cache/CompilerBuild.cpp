#include "cache/CompilerBuild.h"
#include "file/FileReader.h"

#include <exception>
#include <vector>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tensorjit::cache {

static std::string hashOf(const std::string &library) {
  const FileReader file(library);
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::vector<std::byte> part(size_t(1) << 18);
  for (uint64_t at = 0; at < file.size(); at += part.size()) {
    std::span<std::byte> bytes(part.data(), std::min<uint64_t>(part.size(), file.size() - at));
    file.read(at, bytes);
    XXH3_128bits_update(&state, bytes.data(), bytes.size());
  }
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&state));
  return {reinterpret_cast<const char *>(hash.digest), sizeof hash.digest};
}

std::string compilerBuild(const std::string &library) {
  try {
    return hashOf(library);
  } catch (const std::exception &) {
    return ""; // opening it will say what is the matter
  }
}

} // namespace tensorjit::cache
