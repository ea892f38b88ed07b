#include "driver/Queue.h"

#include "device/Report.h"
#include "device/Settings.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace cudasim {
namespace {

std::unique_ptr<Operation> start(const Work &work, Context &context);

class KernelOperation : public Operation {
public:
  explicit KernelOperation(const KernelWork &work) : work_(work) {}
  bool step() override {
    if (!grid_) grid_.emplace(*work_.program, work_.shape, work_.parameters, settings().seed);
    return grid_->step();
  }

private:
  KernelWork work_;
  std::optional<Grid> grid_;
};

/// Copies a random share of the rest in each step.
class CopyOperation : public Operation {
public:
  explicit CopyOperation(const CopyWork &work) : work_(work) {}
  bool step() override {
    const CopyWork &c = work_;
    size_t rows = c.height * c.depth, bytes = rows * c.width;
    if (!bytes) return true;
    size_t left = bytes - done_, now = left < 4096 ? left : left / (1 + driver().random() % 3);
    for (size_t end = done_ + now; done_ < end;) {
      size_t row = done_ / c.width, x = done_ % c.width, count = std::min(c.width - x, end - done_);
      move(at(c.to, row) + x, at(c.from, row) + x, count, done_);
      done_ += count;
    }
    return done_ == bytes;
  }

private:
  uint64_t at(const CopyWork::Side &side, size_t row) const {
    return side.address + row / work_.height * side.slicePitch + row % work_.height * side.pitch;
  }
  void move(uint64_t to, uint64_t from, size_t size, size_t offset) {
    DeviceMemory &memory = DeviceMemory::instance();
    auto *toHost = reinterpret_cast<std::byte *>(to);
    auto *fromHost = work_.staged ? work_.staged->data() + offset : reinterpret_cast<std::byte *>(from);
    if (work_.from.onDevice && work_.to.onDevice) memory.copyWithin(to, from, size);
    else if (work_.from.onDevice) memory.copyOut(toHost, from, size);
    else if (work_.to.onDevice) memory.copyIn(to, fromHost, size);
    else std::memmove(toHost, fromHost, size);
  }
  CopyWork work_;
  size_t done_ = 0;
};

class FillOperation : public Operation {
public:
  explicit FillOperation(const FillWork &work) : work_(work) {}
  bool step() override {
    DeviceMemory &memory = DeviceMemory::instance();
    std::vector<std::byte> row(work_.width * work_.elementSize);
    for (size_t i = 0; i < row.size(); i += work_.elementSize)
      std::memcpy(row.data() + i, &work_.value, work_.elementSize);
    for (size_t y = 0; y < work_.height; ++y) memory.copyIn(work_.address + y * work_.pitch, row.data(), row.size());
    return true;
  }

private:
  FillWork work_;
};

class HostOperation : public Operation {
public:
  explicit HostOperation(const HostWork &work) : work_(work) {}
  bool step() override {
    driver().lock.unlock(); // the function may wait for a thread that calls the driver
    work_.function(work_.data);
    driver().lock.lock();
    return true;
  }

private:
  HostWork work_;
};

class EventOperation : public Operation {
public:
  explicit EventOperation(const EventWork &work) : work_(work) {}
  bool isReady() const override { return !work_.waits || work_.event->completed >= work_.ticket; }
  bool step() override {
    if (work_.waits) return true;
    work_.event->completed = std::max(work_.event->completed, work_.ticket);
    work_.event->time = std::chrono::steady_clock::now();
    return true;
  }

private:
  EventWork work_;
};

class AllocateOperation : public Operation {
public:
  explicit AllocateOperation(const AllocateWork &work) : work_(work) {}
  bool step() override {
    std::memset(DeviceMemory::instance().state(work_.address), Uninitialized, work_.size);
    return true;
  }

private:
  AllocateWork work_;
};

class FreeOperation : public Operation {
public:
  explicit FreeOperation(const FreeWork &work) : work_(work) {}
  bool step() override {
    DeviceMemory::instance().free(work_.address);
    driver().pendingFrees.erase(work_.address);
    return true;
  }

private:
  FreeWork work_;
};

class NoOperation : public Operation {
public:
  bool step() override { return true; }
};

/// A graph's nodes in any order that their dependencies allow, several of them at a time.
class GraphOperation : public Operation {
public:
  GraphOperation(const GraphWork &work, Context &context)
      : plan_(work.plan), context_(context), state_(plan_->steps.size()) {
    ++counters().graphLaunches;
  }
  bool step() override {
    std::vector<size_t> ready;
    for (size_t i = 0; i < state_.size(); ++i)
      if (!state_[i].done && (state_[i].operation || allDone(plan_->steps[i].dependencies))) ready.push_back(i);
    if (ready.empty()) return true;
    size_t i = ready[settings().seed ? driver().random() % ready.size() : 0];
    if (!state_[i].operation)
      state_[i].operation =
          plan_->steps[i].enabled ? start(plan_->steps[i].work, context_) : std::make_unique<NoOperation>();
    if (state_[i].operation->step()) state_[i].done = true;
    return std::all_of(state_.begin(), state_.end(), [](auto &s) { return s.done; });
  }

private:
  bool allDone(const std::vector<size_t> &list) const {
    return std::all_of(list.begin(), list.end(), [&](size_t i) { return state_[i].done; });
  }
  struct State {
    std::unique_ptr<Operation> operation;
    bool done = false;
  };
  std::shared_ptr<GraphPlan> plan_;
  Context &context_;
  std::vector<State> state_;
};

std::unique_ptr<Operation> start(const Work &work, Context &context) {
  struct Visitor {
    Context &context;
    std::unique_ptr<Operation> operator()(const std::monostate &) { return std::make_unique<NoOperation>(); }
    std::unique_ptr<Operation> operator()(const KernelWork &w) { return std::make_unique<KernelOperation>(w); }
    std::unique_ptr<Operation> operator()(const CopyWork &w) { return std::make_unique<CopyOperation>(w); }
    std::unique_ptr<Operation> operator()(const FillWork &w) { return std::make_unique<FillOperation>(w); }
    std::unique_ptr<Operation> operator()(const HostWork &w) { return std::make_unique<HostOperation>(w); }
    std::unique_ptr<Operation> operator()(const EventWork &w) { return std::make_unique<EventOperation>(w); }
    std::unique_ptr<Operation> operator()(const AllocateWork &w) { return std::make_unique<AllocateOperation>(w); }
    std::unique_ptr<Operation> operator()(const FreeWork &w) { return std::make_unique<FreeOperation>(w); }
    std::unique_ptr<Operation> operator()(const GraphWork &w) { return std::make_unique<GraphOperation>(w, context); }
  };
  return std::visit(Visitor{context}, work);
}

CUresult errorOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
  case FaultKind::Freed: return CUDA_ERROR_ILLEGAL_ADDRESS;
  case FaultKind::Misaligned: return CUDA_ERROR_MISALIGNED_ADDRESS;
  case FaultKind::EndlessLoop: return CUDA_ERROR_LAUNCH_TIMEOUT;
  case FaultKind::Assert: return CUDA_ERROR_ASSERT;
  case FaultKind::InvalidInstruction: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case FaultKind::StackOverflow: return CUDA_ERROR_HARDWARE_STACK_ERROR;
  default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}

std::vector<Stream *> streamsOf(Context &context) {
  std::vector<Stream *> list = {&context.defaultStream, &context.threadStream};
  for (auto &s : context.streams) list.push_back(s.get());
  return list;
}

bool isBlocking(const Stream &s) { return !(s.flags & CU_STREAM_NON_BLOCKING); }

/// Whether the stream's first work may run: the default stream and the blocking ones wait for each other.
bool canRun(Context &context, Stream &s) {
  if (s.running || s.queue.empty() || !s.queue.front().operation->isReady()) return false;
  uint64_t order = s.queue.front().order;
  Stream &zero = context.defaultStream;
  if (&s != &zero) return !isBlocking(s) || zero.queue.empty() || zero.queue.front().order > order;
  for (Stream *other : streamsOf(context))
    if (other != &zero && isBlocking(*other) && !other->queue.empty() && other->queue.front().order < order)
      return false;
  return true;
}

/// Runs a slice of some work. False where none can run.
bool runSome(Context &context) {
  std::vector<Stream *> ready;
  for (Stream *s : streamsOf(context))
    if (canRun(context, *s)) ready.push_back(s);
  if (ready.empty()) return false;
  Stream &s = *ready[settings().seed ? driver().random() % ready.size() : 0];
  s.running = true;
  try {
    bool done = s.queue.front().operation->step();
    if (done) s.queue.pop_front();
  } catch (const KernelFault &fault) {
    report(fault.text);
    context.error = errorOf(fault.kind);
    for (Stream *each : streamsOf(context)) each->queue.clear();
  }
  s.running = false;
  return true;
}

template <class Done> CUresult runUntil(Context &context, Done done) {
  ++counters().synchronizations;
  while (!context.error && !done()) {
    if (runSome(context)) continue;
    bool elsewhere = false; // another thread is inside a host function
    for (Stream *s : streamsOf(context)) elsewhere |= s->running;
    if (!elsewhere) break;
    driver().lock.unlock();
    std::this_thread::yield();
    driver().lock.lock();
  }
  return context.error;
}

void count(const Work &work) {
  if (auto *copy = std::get_if<CopyWork>(&work)) {
    Counters &c = counters();
    auto &to = copy->from.onDevice ? (copy->to.onDevice ? c.deviceToDevice : c.deviceToHost)
                                   : (copy->to.onDevice ? c.hostToDevice : c.hostToHost);
    ++to.count;
    to.bytes += copy->width * copy->height * copy->depth;
  } else if (auto *fill = std::get_if<FillWork>(&work)) {
    ++counters().memset.count;
    counters().memset.bytes += fill->width * fill->height * fill->elementSize;
  }
}

} // namespace

CUresult submit(Stream &stream, Work work, CUgraphNodeType type) {
  Context &context = *stream.context;
  if (stream.capturing) {
    if (stream.captureBroken) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto node = std::make_unique<GraphNode>();
    node->graph = stream.capturing;
    node->work = std::move(work);
    node->type = type;
    node->dependencies = stream.captured;
    stream.captured = {node.get()};
    driver().handles.insert(node.get());
    stream.capturing->nodes.push_back(std::move(node));
    return CUDA_SUCCESS;
  }
  if (&stream == &context.defaultStream && isCapturing(context)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  count(work);
  stream.queue.push_back({driver().nextOrder++, start(work, context)});
  if (settings().seed == 0) return finish(stream);
  // A device does not wait for the host to wait.
  if (stream.queue.size() > 256) progress(context);
  return context.error;
}

bool isCapturing(Context &context) {
  for (Stream *s : streamsOf(context))
    if (s->capturing) return true;
  return false;
}

CUresult finish(Stream &stream) {
  return runUntil(*stream.context, [&] { return stream.queue.empty(); });
}

CUresult finish(Event &event) {
  uint64_t ticket = event.recorded;
  return runUntil(*event.context, [&] { return event.completed >= ticket; });
}

CUresult finish(Context &context) {
  return runUntil(context, [&] {
    for (Stream *s : streamsOf(context))
      if (!s->queue.empty()) return false;
    return true;
  });
}

void progress(Context &context) {
  for (unsigned i = 0; i < 1 + driver().random() % 64 && !context.error; ++i)
    if (!runSome(context)) return;
}

} // namespace cudasim
