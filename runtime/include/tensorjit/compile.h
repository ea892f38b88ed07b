#pragma once
/// `compile(f)`: the same callable, its ops recorded, fused and compiled.
#include "tensorjit/compile_options.h"
#include "tensorjit/tensor.h"

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tensorjit {

namespace trace {
class CompiledState;
}
namespace nn {
class Module;
}

namespace detail {

/// One call of a compiled function: ops of this thread are recorded from construction on.
class Recording {
public:
  explicit Recording(const std::shared_ptr<trace::CompiledState> &state);
  ~Recording();
  Recording(const Recording &) = delete;
  /// False where ops are recorded already or recording is off: the function is then simply called.
  bool active() const { return recorder_; }
  void finish();
  void abandon(); ///< an exception leaves the function: what it did so far takes effect

private:
  void *recorder_ = nullptr;
};

class Compiled {
public:
  /// Times, breaks, compiles.
  CompileStats stats() const;
  /// What was recorded and compiled, for people: each path with its breaks (reason, line), the steps that run as
  /// eager kernels with the reason, and what was fused.
  std::string explain() const;
  /// No call compiles any more: those that find no executable run with eager kernels, or throw where `on_miss` is
  /// `Error`. A program calls it after it has called the function on all kinds of input that it expects. What has been
  /// compiled in the background and no call has taken up is lost.
  void freeze();
  /// Returns when what is compiled in the background (`Options::background`) is there for the next call.
  void wait_for_compiles() const;

protected:
  explicit Compiled(Options options);
  template <class Body> auto run(Body &&body) const -> std::invoke_result_t<Body> {
    Recording recording(state_);
    if (!recording.active()) return body();
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
        body();
        recording.finish();
      } else {
        std::invoke_result_t<Body> result = body();
        recording.finish();
        return result;
      }
    } catch (...) {
      recording.abandon();
      throw;
    }
  }
  /// Calls `body` and writes the executable that served it. See `CompiledFunction::save`.
  void save(const std::string &path, const std::vector<Tensor> &arguments,
            const std::function<std::vector<Tensor>()> &body) const;

private:
  std::shared_ptr<trace::CompiledState> state_;
};

inline void collect(std::vector<Tensor> &to, const Tensor &t) { to.push_back(t); }
template <class T> void collect(std::vector<Tensor> &to, const std::vector<T> &list) {
  for (const T &t : list) collect(to, t);
}
template <class... T> void collect(std::vector<Tensor> &to, const std::tuple<T...> &t) {
  std::apply([&](const auto &...each) { (collect(to, each), ...); }, t);
}
template <class A, class B> void collect(std::vector<Tensor> &to, const std::pair<A, B> &p) {
  collect(to, p.first);
  collect(to, p.second);
}

} // namespace detail

/// A callable whose ops are compiled. It is called as the callable itself is, runs the callable's own code each time,
/// and may be called from many threads at once where the callable may.
template <class F> class CompiledFunction : public detail::Compiled {
public:
  CompiledFunction(F f, Options options) : Compiled(std::move(options)), function_(std::move(f)) {}

  template <class... Args>
  requires std::invocable<F &, Args...>
  auto operator()(Args &&...args) -> std::invoke_result_t<F &, Args...> {
    return run(
        [&]() -> std::invoke_result_t<F &, Args...> { return std::invoke(function_, std::forward<Args>(args)...); });
  }
  template <class... Args>
  requires std::invocable<const F &, Args...>
  auto operator()(Args &&...args) const -> std::invoke_result_t<const F &, Args...> {
    return run([&]() -> std::invoke_result_t<const F &, Args...> {
      return std::invoke(function_, std::forward<Args>(args)...);
    });
  }

  /// Calls the function on these tensors and writes what served the call into a file that `LoadedExecutable` runs
  /// without the function and without the compiler. Captured tensors are saved as the call left them; host numbers keep
  /// the values that they had in it, so save a train step after its first call, which starts the momentum. The function
  /// must run as one graph (no break), draw no random numbers and return tensors. Throws `io_error`, or `not_supported`
  /// for another function.
  template <class... Args> void save(const std::string &path, const Args &...args) {
    std::vector<Tensor> arguments;
    (detail::collect(arguments, args), ...);
    Compiled::save(path, arguments, [&] {
      std::vector<Tensor> results;
      if constexpr (std::is_void_v<std::invoke_result_t<F &, const Args &...>>) (*this)(args...);
      else detail::collect(results, (*this)(args...));
      return results;
    });
  }

private:
  F function_;
};

namespace detail {

template <class M> struct CallForward {
  M target; ///< a pointer, smart pointer or module holder
  template <class... Args>
  requires requires(M &m, Args &&...args) { m->forward(std::forward<Args>(args)...); }
  auto operator()(Args &&...args) -> decltype(target->forward(std::forward<Args>(args)...)) {
    return target->forward(std::forward<Args>(args)...);
  }
};

template <class M>
concept HasForward = requires {
  &std::remove_cvref_t<M>::forward;
}
|| std::is_base_of_v<nn::Module, std::remove_cvref_t<M>>;
template <class M>
concept PointsAtModule = requires(std::remove_cvref_t<M> &m) {
  requires HasForward<decltype(*m.operator->())>;
};

} // namespace detail

/// Compiles a callable. It is copied or moved into the result.
template <class F>
requires(!detail::HasForward<F> && !detail::PointsAtModule<F>) auto compile(F &&f, Options options = {}) {
  return CompiledFunction<std::decay_t<F>>(std::forward<F>(f), std::move(options));
}

/// Compiles a module's `forward`. The module is used where it lies: it must outlive the result.
template <detail::HasForward M> auto compile(M &module, Options options = {}) {
  return CompiledFunction<detail::CallForward<M *>>({&module}, std::move(options));
}

/// Compiles `forward` of the module in a holder or smart pointer, which is shared.
template <detail::PointsAtModule M> auto compile(const M &module, Options options = {}) {
  return CompiledFunction<detail::CallForward<M>>({module}, std::move(options));
}

} // namespace tensorjit
