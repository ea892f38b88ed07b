#pragma once
#include <string>

namespace tensorjit::cuda {

/// Compiles a CUDA C++ program to PTX for `architecture` ("compute_90") with the NVRTC library at `library`, opened
/// at run time. Denormals are kept, nothing is contracted, division and square root round correctly. Throws
/// `compile_error` with NVRTC's log, or where the library cannot be opened.
std::string compileToPtx(const std::string &program, const std::string &architecture, const std::string &library);

} // namespace tensorjit::cuda
