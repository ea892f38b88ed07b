#pragma once
/// A recorded segment as plain data: what the compiler receives and what eager kernels can run as it stands.
#include "core/MemoryOrder.h"
#include "op/OpInfo.h"
#include "tensorjit/device.h"

#include <string>
#include <vector>

namespace tensorjit {

struct SourceLine {
  std::string file;
  uint32_t line = 0;
};

/// Values are numbered: first the inputs, then each node's results in order.
using ValueId = uint32_t;

struct GraphNode {
  OpId op;
  std::vector<ValueId> operands;
  Attrs attrs;
  ValueId firstResult = 0;
  uint32_t line = 0; ///< index into Graph::lines: where in the user's program
};

struct GraphOutput {
  ValueId value = 0;
  /// The input whose buffer receives this value (an in-place update of an outside tensor), or -1.
  int32_t updatesInput = -1;
};

struct Graph {
  std::vector<TensorType> types; ///< of every value
  uint32_t numInputs = 0;
  /// How each input lies in memory; may be shorter than `numInputs`, the others are row-major. An output that updates
  /// an input lies as the input does.
  std::vector<MemoryOrder> inputOrders;
  /// Where the graph runs.
  DeviceType device = DeviceType::CPU;
  /// Of a graph for another device than the CPU: inputs that lie on the host, 0-d all. May be shorter than `numInputs`.
  std::vector<bool> hostInputs;
  std::vector<GraphNode> nodes;
  std::vector<GraphOutput> outputs;
  std::vector<SourceLine> lines;
  std::string name; ///< names kernels and dumps, e.g. "train_step_0"
};

} // namespace tensorjit
