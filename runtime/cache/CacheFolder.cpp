#include "cache/CacheFolder.h"
#include "log/Environment.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

namespace tensorjit::cache {

std::string chosenFolder() {
  const Environment &e = environment();
  if (e.cacheDir) return e.cacheDir->empty() ? "" : fs::absolute(*e.cacheDir).string();
  if (fs::path(e.userCaches).is_absolute()) return fs::path(e.userCaches) / "tensorjit";
  std::error_code error; // services have a home that does not exist
  if (fs::path(e.home).is_absolute() && fs::is_directory(e.home, error))
    return fs::path(e.home) / ".cache" / "tensorjit";
  return "";
}

bool isPrivate(const std::string &folder, std::string &why) {
  struct stat status;
  if (stat(folder.c_str(), &status) != 0) why = std::strerror(errno);
  else if (!S_ISDIR(status.st_mode)) why = "it is no folder";
  else if (status.st_uid != geteuid()) why = "it belongs to another user";
  else if (status.st_mode & (S_IWGRP | S_IWOTH)) why = "others may write there";
  else return true;
  return false;
}

void createFolder(const std::string &folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return;
  throw io_error("cannot create " + folder + ": " + std::strerror(errno));
}

void makeRoom(const std::string &folder, const char *extension, uint64_t mostBytes) {
  struct File {
    fs::file_time_type used;
    uint64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  uint64_t total = 0;
  std::error_code error; // other processes remove files too
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != extension) continue;
    std::error_code gone;
    File file{at->last_write_time(gone), at->file_size(gone), at->path()};
    if (gone) continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  if (total <= mostBytes) return;
  std::sort(files.begin(), files.end(), [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= mostBytes / 4 * 3) break;
    if (fs::remove(file.path, error)) total -= file.bytes;
  }
}

} // namespace tensorjit::cache
