#pragma once
#include <cstdint>
#include <string>

namespace tensorjit::cache {

/// Where the environment wants executables kept: TENSORJIT_CACHE_DIR, else the user's folder for caches. Empty:
/// nowhere.
std::string chosenFolder();

/// Whether only the user can have put files there, which are run as code; `why` says what is wrong.
bool isPrivate(const std::string &folder, std::string &why);

/// Creates the folder, for the user alone, with those it lies in. Throws `io_error`.
void createFolder(const std::string &folder);

/// Removes the least recently used of the folder's files with this extension, down to three quarters of `mostBytes`,
/// where they are more than that.
void makeRoom(const std::string &folder, const char *extension, uint64_t mostBytes);

} // namespace tensorjit::cache
