#pragma once
#include "tensorjit/shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tensorjit::data {

/// Contents of an IDX file of unsigned bytes (the format of MNIST and its relatives).
struct IdxArray {
  Shape sizes;
  std::vector<uint8_t> bytes; ///< row-major
};

/// Reads an IDX file, plain or gzip-compressed. Throws `io_error` with the path and the reason where the file is
/// missing, of another format, truncated, or longer than its header says. Memory stays within the file's real size.
IdxArray read_idx(const std::string &path);

} // namespace tensorjit::data
