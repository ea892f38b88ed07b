#include "core/TensorAccess.h"
#include "tensorjit/compile.h"
#include "trace/CompiledState.h"
#include "trace/Recorder.h"
#include "trace/Recording.h"
#include "trace/SaveRequest.h"

namespace tensorjit {

namespace {

struct Scope {
  explicit Scope(trace::SaveRequest &request) { trace::SaveRequest::current = &request; }
  ~Scope() { trace::SaveRequest::current = nullptr; }
};

bool isWhole(const TensorImpl &t) {
  return t.offset == 0 && t.sizes == baseLayout(t).sizes && t.strides == t.sizes.denseStrides();
}

uint32_t outputOf(const Tensor &result, const trace::SaveRequest &request) {
  if (result.defined() && isWhole(*result.impl()))
    for (size_t o = 0; o < request.outputs.size(); ++o)
      if (result.impl()->storage->buffer == request.outputs[o] || result.impl()->storage->buffer == request.memory[o])
        return static_cast<uint32_t>(o);
  throw not_supported("save: the function returns a tensor that its graph does not compute (a view, an argument or a "
                      "captured tensor); return a clone of it");
}

} // namespace

namespace detail {

static trace::Recorder *recorderOf(void *p) { return static_cast<trace::Recorder *>(p); }

Recording::Recording(const std::shared_ptr<trace::CompiledState> &state)
    : recorder_(trace::Recording::start(state, state->forward)) {}
Recording::~Recording() {
  if (recorder_) trace::Recording::stop(recorderOf(recorder_));
}
void Recording::finish() { trace::Recording::finish(recorderOf(recorder_)); }
void Recording::abandon() { trace::Recording::abandon(recorderOf(recorder_)); }

Compiled::Compiled(Options options) : state_(std::make_shared<trace::CompiledState>(std::move(options))) {}
CompileStats Compiled::stats() const { return state_->stats(); }
std::string Compiled::explain() const { return state_->explain(); }
void Compiled::freeze() { state_->freeze(); }
void Compiled::wait_for_compiles() const { state_->waitForCompiles(); }

void Compiled::save(const std::string &path, const std::vector<Tensor> &arguments,
                    const std::function<std::vector<Tensor>()> &body) const {
  trace::SaveRequest request;
  for (const Tensor &t : arguments) {
    checkDefined(t, "save");
    trace::materialise(t, "save", SourceLocation::current());
    makeRowMajor(*t.impl()->storage); // as the file's callers have their tensors
    request.arguments.push_back(t.impl()->storage->buffer);
    request.offsets.push_back(t.impl()->view ? t.impl()->offset * static_cast<int64_t>(itemSize(t.dtype())) : -1);
  }
  std::vector<Tensor> results;
  {
    Scope scope(request);
    results = body();
  }
  if (request.segments != 1)
    throw not_supported("save: the function ran as " + std::to_string(request.segments) +
                        " graphs; it must run as one, without graph breaks");
  request.program.numArguments = static_cast<uint32_t>(arguments.size());
  for (const Tensor &r : results) request.program.results.push_back(outputOf(r, request));
  saveProgram(request.program, path);
}

} // namespace detail

} // namespace tensorjit
