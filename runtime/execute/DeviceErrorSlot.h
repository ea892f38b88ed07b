#pragma once
#include "execute/KernelAbi.h"

#include <array>
#include <optional>

namespace tensorjit {

/// Where the kernels of a CUDA device report index errors, which they do without locks: each word holds, below the
/// check and the position, 16 bits of the value, the lowest bits in the first. Kernels bring each word to its minimum,
/// so all words belong to the smallest (check, position).
struct DeviceErrorSlot {
  static constexpr unsigned checkShift = 52, positionShift = 16;
  static constexpr int64_t mostChecks = int64_t(1) << (64 - checkShift);

  std::array<uint64_t, 4> words = {~uint64_t(0), ~uint64_t(0), ~uint64_t(0), ~uint64_t(0)}; ///< all ones: no error

  std::optional<ErrorSlot> error() const {
    if (words[0] == ~uint64_t(0)) return std::nullopt;
    constexpr uint64_t mostPositions = uint64_t(1) << (checkShift - positionShift);
    ErrorSlot error{1, static_cast<int64_t>(words[0] >> checkShift),
                    static_cast<int64_t>(words[0] >> positionShift & (mostPositions - 1)), 0};
    uint64_t value = 0;
    for (size_t i = 0; i < words.size(); ++i) value |= (words[i] & 0xffff) << 16 * i;
    error.value = static_cast<int64_t>(value);
    return error;
  }
};

} // namespace tensorjit
