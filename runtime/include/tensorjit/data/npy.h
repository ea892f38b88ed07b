#pragma once
#include "tensorjit/tensor.h"

#include <string>

namespace tensorjit::data {

/// Reads a NumPy .npy file of bool, integer or floating elements in native byte order; Fortran order is turned into
/// row-major. Throws `io_error` with the path and the reason for a file that is missing, damaged or of another type.
Tensor read_npy(const std::string &path);

/// Writes `t` as a .npy file (version 1.0), by way of a temporary name, so that no half-written file is left.
void write_npy(const std::string &path, const Tensor &t);

} // namespace tensorjit::data
