#pragma once
#include "decode/Program.h"
#include "device/Memory.h"
#include "execute/Grid.h"

#include <cuda.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

/// What the driver's handles point to. Everything is guarded by one lock, which every entry point takes.
namespace cudasim {

struct Context;
struct Module;
struct Event;

/// Work that has begun, or is about to: run in slices, so that streams interleave.
class Operation {
public:
  virtual ~Operation() = default;
  /// What must have happened besides the work before it in the stream.
  virtual bool isReady() const { return true; }
  /// True: done.
  virtual bool step() = 0;
};

struct Function {
  Module *module;
  std::shared_ptr<Program> program; ///< keeps running kernels valid; refers to the module's text
  std::map<int, int> attributes;    ///< those that were set
};

struct Module : SymbolTable {
  Context *context = nullptr;
  std::shared_ptr<ptx::Module> text;
  std::map<std::string, std::unique_ptr<Function>> functions;
  std::map<std::string, std::pair<uint64_t, size_t>> globals;
  uint64_t address(const std::string &variable) const override;
  ~Module() override;
};

// Work, as it waits in a stream or stands in a graph.
struct KernelWork {
  std::shared_ptr<Program> program;
  std::shared_ptr<ptx::Module> text;
  Function *function;
  LaunchShape shape;
  std::vector<std::byte> parameters;
};
/// Rows of bytes from one place to another; a slice is `height` rows.
struct CopyWork {
  struct Side {
    bool onDevice = false;
    uint64_t address = 0; ///< of the device or the host
    size_t pitch = 0, slicePitch = 0;
  };
  Side from, to;
  size_t width = 0, height = 1, depth = 1;
  std::shared_ptr<std::vector<std::byte>> staged; ///< what pageable memory held when the copy was asked for
};
struct FillWork {
  uint64_t address;
  size_t pitch, width, height; ///< width in elements
  uint32_t value, elementSize;
};
struct HostWork {
  CUhostFn function;
  void *data;
};
struct EventWork {
  Event *event;
  uint64_t ticket;
  bool waits;
};
struct AllocateWork {
  uint64_t address;
  size_t size;
};
struct FreeWork {
  uint64_t address;
};
struct GraphWork {
  std::shared_ptr<struct GraphPlan> plan;
};
using Work = std::variant<std::monostate, KernelWork, CopyWork, FillWork, HostWork, EventWork, AllocateWork, FreeWork,
                          GraphWork>;

struct GraphNode {
  struct Graph *graph;
  Work work;
  std::vector<GraphNode *> dependencies;
  CUgraphNodeType type;
  std::vector<void *> parameterPointers; ///< handed out by cuGraphKernelNodeGetParams
};
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
};
/// An instantiated graph: copies of the nodes, in the order of their creation.
struct GraphPlan {
  struct Step {
    Work work;
    std::vector<size_t> dependencies;
    CUgraphNodeType type;
    const GraphNode *origin;
    bool enabled = true;
  };
  std::vector<Step> steps;
};
struct GraphExec {
  std::shared_ptr<GraphPlan> plan;
};

struct Stream {
  Context *context;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  struct Queued {
    uint64_t order;
    std::unique_ptr<Operation> operation;
  };
  std::deque<Queued> queue;
  bool running = false; ///< a host function has the lock released
  // Capture.
  Graph *capturing = nullptr;
  std::vector<GraphNode *> captured; ///< what the next node depends on
  bool captureOrigin = false, captureBroken = false;
  uint64_t captureId = 0;
};

struct Event {
  Context *context;
  unsigned flags = 0;
  uint64_t recorded = 0, completed = 0; ///< tickets
  std::chrono::steady_clock::time_point time{};
  Graph *captureGraph = nullptr; ///< recorded inside a capture
  std::vector<GraphNode *> captureNodes;
  uint64_t captureId = 0;
};

struct Pool {
  uint64_t threshold = 0, reserved = 0, used = 0, usedHigh = 0;
  std::map<int, int> flags;
};

struct Context {
  CUdevice device = 0;
  unsigned flags = 0, references = 0;
  bool primary = false;
  CUresult error = CUDA_SUCCESS; ///< stays once set
  Stream defaultStream, threadStream;
  std::set<std::unique_ptr<Stream>> streams;
  std::set<std::unique_ptr<Event>> events;
  std::set<std::unique_ptr<Module>> modules;
  std::set<uint64_t> allocations;
  std::map<int, size_t> limits;
  uint64_t id = 0;
};

/// The driver's state.
struct Driver {
  bool hasShutDown = false; ///< the program is ending: calls are refused, as a driver refuses them
  std::recursive_mutex lock;
  bool initialized = false;
  std::optional<Context> primary;
  unsigned primaryFlags = 0;
  std::set<std::unique_ptr<Context>> contexts;
  std::unordered_set<const void *> handles;    ///< of every live object, to tell them from wrong ones
  std::map<uint64_t, Pool *> asyncAllocations; ///< that have not been freed
  std::unordered_set<uint64_t> pendingFrees;
  Pool defaultPool;
  Pool *currentPool = &defaultPool;
  uint64_t nextOrder = 0, nextId = 0, nextTicket = 0;
  std::minstd_rand random{1};

  bool knows(const void *handle) const { return handles.count(handle) != 0; }
};
Driver &driver();

/// The calling thread's contexts; the last is current.
std::vector<Context *> &contextStack();
Context *currentContext();

} // namespace cudasim
