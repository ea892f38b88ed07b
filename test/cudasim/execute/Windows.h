#pragma once
#include <cstdint>

namespace cudasim {

/// Where the other state spaces lie in the generic address space. Device and host pointers are below all of them.
constexpr uint64_t sharedWindow = uint64_t(1) << 57;
constexpr uint64_t localWindow = uint64_t(1) << 58;
constexpr uint64_t paramWindow = uint64_t(1) << 59;
constexpr uint64_t functionWindow = uint64_t(1) << 60;
constexpr uint64_t windowSize = uint64_t(1) << 32;

} // namespace cudasim
