#pragma once
/// The file of an executable: u64 length of a header (little endian), the header as JSON, then raw bytes that the
/// header refers to by offset and length. Whatever is read is checked; a file that is truncated, damaged or foreign is
/// an `io_error`. Its code runs natively: trust a file as you would a shared library.
#include "execute/Executable.h"

#include <span>
#include <string>
#include <vector>

namespace tensorjit {

/// Where an input of a saved program comes from.
struct SavedInput {
  int32_t argument = -1;        ///< index of the call's argument; -1: state of the program
  std::vector<std::byte> state; ///< its contents when saved, in the order of the executable's input
};

/// An executable together with the state it works on, so that it can be run on call arguments alone.
struct SavedProgram {
  Executable executable;
  std::vector<SavedInput> inputs; ///< as many as the executable's
  uint32_t numArguments = 0;
  std::vector<uint32_t> results; ///< outputs that the call returns
};

std::vector<std::byte> serialize(const SavedProgram &program);
/// Throws `io_error`; `name` is what messages call the file.
SavedProgram deserialize(std::span<const std::byte> bytes, const std::string &name);

/// Writes to a temporary name beside `path` and renames. Throws `io_error`; nothing is left behind then.
void saveProgram(const SavedProgram &program, const std::string &path);
SavedProgram loadProgram(const std::string &path);

} // namespace tensorjit
