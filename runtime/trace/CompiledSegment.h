#pragma once
#include "execute/Program.h"
#include "trace/TraceTree.h"

#include <memory>
#include <string>
#include <vector>

namespace tensorjit::trace {

/// A value that a segment hands out; `leaf`: the leaf whose memory receives it, or `noValue`.
struct SegmentOutput {
  ValueId value = 0;
  ValueId leaf = noValue;
  friend auto operator<=>(const SegmentOutput &, const SegmentOutput &) = default;
};

/// An executable for a segment of a path, for one set of outputs.
struct CompiledSegment {
  std::vector<SegmentOutput> outputs; ///< in order of value, as the executable's
  std::vector<ValueId> inputs;        ///< leaves and arguments, as the executable's inputs
  std::unique_ptr<Program> program;
  bool compiled = false; ///< false: eager kernels
  std::string failure;   ///< why it is not compiled
  std::string name;
  std::vector<std::string> fusionNotes;
  CompiledSegment *next = nullptr;
  size_t bytes() const; ///< of memory, about
};

} // namespace tensorjit::trace
