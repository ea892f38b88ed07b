#pragma once
#include "tensorjit/tensor.h"

#include <string>

namespace tensorjit::data {

/// Reads a NumPy .npy file of bool, integer or floating elements; the other byte order and Fortran order are turned
/// into native and row-major. Throws `io_error` with the path and the reason for a file that is missing, damaged or of
/// another type, `not_supported` for a dtype that the library does not compute with.
Tensor read_npy(const std::string &path);

/// Writes `t` as a .npy file (version 1.0), by way of a temporary name: `path` keeps its old contents where writing
/// fails. Throws `io_error`.
void write_npy(const std::string &path, const Tensor &t);

} // namespace tensorjit::data
