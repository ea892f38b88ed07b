// An entry is: its format, the hash of all that follows, the key, the libraries with the size and time of each,
// the fusion notes, and the executable as a saved program.
#include "cache/ExecutableCache.h"
#include "cache/Bytes.h"
#include "cache/CacheFolder.h"
#include "execute/Serialize.h"
#include "file/FileReader.h"
#include "file/FileWriter.h"
#include "log/Log.h"
#include "tensorjit/error.h"

#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tensorjit::cache {

namespace {

constexpr const char *format = "tensorjit cache entry 1";
constexpr const char *extension = ".tensorjit";
constexpr uint64_t usersBytes = uint64_t(1) << 30;

void addLibrary(ByteWriter &out, const std::string &path) {
  struct stat s = {};
  stat(path.c_str(), &s);
  out.text(path);
  out.number(static_cast<uint64_t>(s.st_size));
  out.number(static_cast<uint64_t>(s.st_mtim.tv_sec));
  out.number(static_cast<uint64_t>(s.st_mtim.tv_nsec));
}

/// A library that is gone cannot make another executable.
bool isUnchanged(ByteReader &in) {
  const std::string path = in.text();
  const uint64_t size = in.number(), seconds = in.number(), nanoseconds = in.number();
  struct stat s = {};
  if (stat(path.c_str(), &s) != 0) return true;
  return static_cast<uint64_t>(s.st_size) == size && static_cast<uint64_t>(s.st_mtim.tv_sec) == seconds &&
         static_cast<uint64_t>(s.st_mtim.tv_nsec) == nanoseconds;
}

std::vector<std::byte> encode(std::span<const std::byte> key, const CachedExecutable &entry) {
  ByteWriter body;
  body.block(key);
  body.number(entry.libraries.size());
  for (const std::string &library : entry.libraries) addLibrary(body, library);
  body.number(entry.fusionNotes.size());
  for (const std::string &note : entry.fusionNotes) body.text(note);
  SavedProgram program{entry.executable, {}, static_cast<uint32_t>(entry.executable.inputs.size()), {}};
  for (uint32_t i = 0; i < program.numArguments; ++i) program.inputs.push_back({static_cast<int32_t>(i), {}});
  body.block(serialize(program));

  ByteWriter file;
  file.text(format);
  file.number(XXH3_64bits(body.bytes.data(), body.bytes.size()));
  file.bytes.insert(file.bytes.end(), body.bytes.begin(), body.bytes.end());
  return std::move(file.bytes);
}

/// Nothing where the entry is of another key or of libraries that have changed. Throws `io_error` for what is no entry.
std::optional<CachedExecutable> decode(std::span<const std::byte> bytes, std::span<const std::byte> key,
                                       const std::string &path) {
  ByteReader in{bytes};
  const std::string found = in.text();
  const uint64_t hash = in.number();
  if (!in.ok || found != format || hash != XXH3_64bits(in.rest.data(), in.rest.size()))
    throw io_error("it is cut off, damaged or another kind of file");
  const auto itsKey = in.block();
  if (!std::equal(itsKey.begin(), itsKey.end(), key.begin(), key.end())) return std::nullopt;
  CachedExecutable entry;
  for (uint64_t n = in.number(); n > 0 && in.ok; --n)
    if (!isUnchanged(in)) return std::nullopt;
  for (uint64_t n = in.number(); n > 0 && in.ok; --n) entry.fusionNotes.push_back(in.text());
  entry.executable = deserialize(in.block(), path).executable;
  return entry;
}

} // namespace

ExecutableCache::ExecutableCache(std::string folder, uint64_t mostBytes)
    : folder_(std::move(folder)), mostBytes_(mostBytes) {}

const ExecutableCache *ExecutableCache::shared() {
  static const ExecutableCache *cache = [] {
    std::string folder = chosenFolder();
    return folder.empty() ? nullptr : new ExecutableCache(std::move(folder), usersBytes);
  }();
  return cache;
}

std::string ExecutableCache::pathOf(std::span<const std::byte> key) const {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[33];
  std::snprintf(name, sizeof name, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return folder_ + "/" + name + extension;
}

std::optional<CachedExecutable> ExecutableCache::find(std::span<const std::byte> key) const {
  const std::string path = pathOf(key);
  if (access(path.c_str(), F_OK) != 0) return std::nullopt;
  std::string why;
  if (!isPrivate(folder_, why)) {
    warnOnce("compiled programs in " + folder_ + " are not used: " + why);
    return std::nullopt;
  }
  try {
    const FileReader file(path);
    std::vector<std::byte> bytes(file.size());
    file.read(0, bytes);
    auto entry = decode(bytes, key, path);
    if (entry) utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // used now: it stays
    return entry;
  } catch (const io_error &e) {
    drop(key, e.what());
  }
  return std::nullopt;
}

void ExecutableCache::store(std::span<const std::byte> key, const CachedExecutable &entry) const {
  try {
    createFolder(folder_);
    std::string why;
    if (!isPrivate(folder_, why)) throw io_error(why);
    FileWriter file(pathOf(key));
    file.write(encode(key, entry));
    file.commit(FileWriter::Commit::Quickly);
    makeRoom(folder_, extension, mostBytes_);
  } catch (const std::exception &e) {
    warnOnce("compiled programs cannot be kept in " + folder_ + ": " + e.what());
  }
}

/// A folder that is not to be used stays so.
void ExecutableCache::warnOnce(const std::string &text) const {
  if (!warned_.exchange(true)) log::warn(text);
}

void ExecutableCache::drop(std::span<const std::byte> key, const std::string &why) const {
  const std::string path = pathOf(key);
  unlink(path.c_str());
  log::warn("dropped the compiled program " + path + ": " + why);
}

} // namespace tensorjit::cache
