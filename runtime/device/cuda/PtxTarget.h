#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace tensorjit::device::cuda {

/// What stands behind `.target` in a PTX module: "sm_90".
struct PtxTarget {
  int architecture = 0; ///< compute capability times ten
  /// None: newer devices run it too. 'a': no other device does. 'f': newer ones of the same major version do.
  char suffix = 0;

  bool runsOn(int device) const;
  /// "compute capability 9.0 and newer"
  std::string str() const;
};

/// Nothing where the text names no target, as text that is no PTX.
std::optional<PtxTarget> targetOf(std::string_view ptx);

/// "9.0"
std::string capabilityText(int architecture);

} // namespace tensorjit::device::cuda
