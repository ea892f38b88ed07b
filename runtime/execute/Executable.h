#pragma once
/// A compiled segment: plain data that can be run, saved and loaded without the compiler.
#include "graph/Graph.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tensorjit {

struct BufferRef {
  enum Kind : uint8_t { Input, Output, Arena, Constant } kind = Arena;
  uint32_t index = 0; ///< of the input or output
  int64_t offset = 0; ///< bytes, into the arena or the constants
};

struct TensorSpec {
  TensorType type;
  /// Order in which the logical dims lie in memory, outermost first; empty means row-major. Inputs lie as the graph
  /// says or are row-major, fresh outputs as the executable likes, an output that aliases an input as the input does.
  Shape storageOrder;
  /// Outputs only: the input whose buffer this output is written into, or -1.
  int32_t aliasesInput = -1;
  /// Inputs of an executable for another device only: a 0-d tensor that the caller has on the host.
  bool onHost = false;
};

/// What an index check of the program reports when it fails.
struct IndexCheck {
  std::string op;      ///< "cross_entropy"
  std::string operand; ///< "target"
  int64_t bound = 0;   ///< legal values are [0, bound)
  uint32_t line = 0;
};

struct Step {
  enum Kind : uint8_t { Launch, Call, Copy } kind = Launch;
  std::vector<BufferRef> buffers; ///< inputs, then results
  // Launch
  std::string kernel;       ///< symbol in `code`
  int64_t extent = 1;       ///< units of the outermost parallel range
  int64_t grain = 1;        ///< fewest units worth a thread of their own (about 2 us of work)
  int64_t scratchBytes = 0; ///< for each thread
  // Launch on a CUDA device; its buffers, numbers themselves where they are `onHost`, and the error slot where it
  // `checks`, are the kernel's parameters
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1}; ///< a grid of no blocks: nothing to do
  uint32_t sharedBytes = 0;                                    ///< dynamic shared memory
  // Call: an eager kernel for an op the code generator refused
  OpId op{};
  Attrs attrs;
  std::vector<TensorType> types; ///< of `buffers`; a Copy has these two only
  std::string refusal;           ///< why there is no kernel
  uint32_t check = 0;            ///< index into `Executable::checks` of what it reports, where `checks`
  // Both
  bool checks = false;         ///< may set the error slot; the run stops after it when it does
  std::vector<uint32_t> lines; ///< user lines whose ops this step computes
  int64_t bytes = 0, flops = 0;
};

struct Executable {
  std::string name;
  DeviceType device = DeviceType::CPU;
  std::vector<TensorSpec> inputs, outputs;
  int64_t arenaBytes = 0;
  std::vector<Step> steps;
  std::vector<IndexCheck> checks;
  std::vector<SourceLine> lines;
  std::vector<std::byte> constants;
  std::vector<std::byte> code; ///< with the kernels' symbols: an ELF shared object; for CUDA, PTX
};

} // namespace tensorjit
