#pragma once

namespace tensorjit {

/// Whether ops of this thread are put on the tape.
struct GradMode {
  static bool is_enabled();
  static void set_enabled(bool on);
};

/// Sets grad mode for its scope.
class AutoGradMode {
public:
  explicit AutoGradMode(bool on) : before_(GradMode::is_enabled()) { GradMode::set_enabled(on); }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode &) = delete;

private:
  bool before_;
};

/// No tape in its scope; leaves that require grad may be updated in place.
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// No tape in its scope, for code that only computes; the same as NoGradGuard here, since no tensor counts versions.
struct InferenceMode : AutoGradMode {
  explicit InferenceMode(bool on = true) : AutoGradMode(on ? false : GradMode::is_enabled()) {}
};

/// Runs `body` without the tape and returns what it returns.
template <class F> auto no_grad(F &&body) {
  NoGradGuard guard;
  return body();
}

} // namespace tensorjit
