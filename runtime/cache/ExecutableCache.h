#pragma once
/// Executables on disk, so that a second process need not compile what a first one has: a file an entry, named after
/// the hash of its key. Files are written whole or not at all and read by many processes at once; one that is cut off,
/// damaged or foreign is dropped with a warning. Nothing depends on the cache: where it cannot be read or written,
/// programs are compiled.
#include "execute/Executable.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tensorjit::cache {

struct CachedExecutable {
  Executable executable;
  std::vector<std::string> fusionNotes;
  /// Libraries that the compiler worked with, LLVM's or NVRTC: the entry serves until one of these files changes.
  std::vector<std::string> libraries;
};

class ExecutableCache {
public:
  /// `folder`: created when first written to, private to the user; `mostBytes`: of all entries, the least recently used
  /// go first.
  ExecutableCache(std::string folder, uint64_t mostBytes);
  /// The user's: in the folder TENSORJIT_CACHE_DIR, else `tensorjit` under XDG_CACHE_HOME or ~/.cache, up to 1 GiB.
  /// Null where the variable is set to nothing, or there is no home.
  static const ExecutableCache *shared();

  std::optional<CachedExecutable> find(std::span<const std::byte> key) const;
  void store(std::span<const std::byte> key, const CachedExecutable &entry) const;
  /// Of an entry that turned out not to run.
  void drop(std::span<const std::byte> key, const std::string &why) const;

private:
  std::string pathOf(std::span<const std::byte> key) const;

  void warnOnce(const std::string &text) const;

  std::string folder_;
  uint64_t mostBytes_;
  mutable std::atomic<bool> warned_{false};
};

} // namespace tensorjit::cache
