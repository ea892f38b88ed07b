#pragma once
#include <string>

namespace tensorjit::cuda {

/// Compiles a CUDA C++ program to PTX for `architecture` ("compute_90") with the NVRTC library at `library`, opened
/// at run time. Denormals are kept, nothing is contracted, division and square root round correctly. Throws
/// `compile_error` with NVRTC's log, `device_error` where the library cannot be opened. No `library`: the one that the
/// system's loader finds.
std::string compileToPtx(const std::string &program, const std::string &architecture, const std::string &library);

/// The newest architecture that NVRTC knows and a device of compute capability `device` / 10 runs: "compute_90". Throws
/// `device_error` where it knows none as old as that.
std::string architectureFor(int device, const std::string &library);

/// An address in the library.
const void *addressIn(const std::string &library);

} // namespace tensorjit::cuda
