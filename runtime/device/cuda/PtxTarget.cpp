#include "device/cuda/PtxTarget.h"

#include <charconv>

namespace tensorjit::device::cuda {

std::string capabilityText(int architecture) {
  return std::to_string(architecture / 10) + "." + std::to_string(architecture % 10);
}

bool PtxTarget::runsOn(int device) const {
  switch (suffix) {
  case 'a': return device == architecture;
  case 'f': return device >= architecture && device / 10 == architecture / 10;
  default: return device >= architecture;
  }
}

std::string PtxTarget::str() const {
  const std::string text = "compute capability " + capabilityText(architecture);
  switch (suffix) {
  case 'a': return text + " alone";
  case 'f': return text + " and newer of " + std::to_string(architecture / 10) + ".x";
  default: return text + " and newer";
  }
}

std::optional<PtxTarget> targetOf(std::string_view ptx) {
  constexpr std::string_view directive = "\n.target sm_";
  const size_t at = ptx.find(directive);
  if (at == ptx.npos) return std::nullopt;
  ptx.remove_prefix(at + directive.size());
  PtxTarget target;
  const auto [end, error] = std::from_chars(ptx.data(), ptx.data() + ptx.size(), target.architecture);
  if (error != std::errc()) return std::nullopt;
  if (end != ptx.data() + ptx.size() && (*end == 'a' || *end == 'f')) target.suffix = *end;
  return target;
}

} // namespace tensorjit::device::cuda
