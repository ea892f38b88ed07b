#include "trace/Recording.h"
#include "core/ThreadObject.h"
#include "tensorjit/compile_options.h"
#include "trace/CompiledState.h"
#include "trace/Lines.h"
#include "trace/Recorder.h"

#include <atomic>

namespace tensorjit {

namespace trace {

namespace {

/// The recorder of the thread's last call, kept for its memory.
struct Idle : std::unique_ptr<Recorder> {};

std::atomic<bool> recorded{false};

} // namespace

bool anythingRecorded() { return recorded.load(std::memory_order_relaxed); }

Recorder *Recording::start(const std::shared_ptr<CompiledState> &state, TraceTree &tree) {
  if (Recorder::active_ || state->options.mode == Options::Mode::Off) return nullptr;
  Idle &idle = ThreadObject<Idle, Recording>::get();
  Recorder *recorder = idle ? idle.release() : new Recorder;
  recorder->begin(state, tree);
  recorded.store(true, std::memory_order_relaxed);
  return recorder;
}

void Recording::finish(Recorder *recorder) { recorder->flush(); }
void Recording::abandon(Recorder *recorder) { recorder->flushEagerly(); }

void Recording::stop(Recorder *recorder) {
  recorder->end();
  ThreadObject<Idle, Recording>::get().reset(recorder);
}

/// The thread's recording, put aside for a scope.
struct Recording::Aside {
  Aside() : current(std::exchange(Recorder::current_, nullptr)), active(std::exchange(Recorder::active_, nullptr)) {}
  ~Aside() {
    Recorder::current_ = current;
    Recorder::active_ = active;
  }
  Recorder *current, *active;
};

void recordAlone(const std::shared_ptr<CompiledState> &state, FunctionRef<void(Recorder &)> body) {
  const Recording::Aside aside;
  const uint32_t mode = std::exchange(modeWord, modeWord & ~uint32_t(GradEnabled));
  Recorder *recorder = Recording::start(state, state->forward);
  struct Stop {
    Recorder *recorder;
    uint32_t mode;
    ~Stop() {
      Recording::stop(recorder);
      modeWord = mode;
    }
  } stop{recorder, mode};
  body(*recorder);
  Recording::finish(recorder);
}

void materialise(const TensorBase &t, const char *reason, const SourceLocation &loc) {
  const Buffer &buffer = *t.impl()->storage->buffer;
  if (!buffer.isPending()) return;
  Recorder *recorder = Recorder::active_;
  if (buffer.recorder() != recorder || !recorder) failForeign(buffer);
  recorder->flush();
  recorder->startSegment(reason, fileOf(loc), loc.line());
  recorder->state_->countBreak(*recorder->cursor_);
}

void recordBackward(const std::shared_ptr<CompiledState> &origin, const std::function<void()> &body,
                    const SourceLocation &) {
  Recorder *recorder = origin ? Recording::start(origin, origin->backward) : nullptr;
  if (!recorder) return body();
  struct Stop {
    Recorder *recorder;
    ~Stop() { Recording::stop(recorder); }
  } stop{recorder};
  try {
    body();
    Recording::finish(recorder);
  } catch (...) {
    Recording::abandon(recorder);
    throw;
  }
}

} // namespace trace

} // namespace tensorjit
