#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tensorjit::data {

/// Threads that each run the same task once for every `run`.
class Workers {
public:
  explicit Workers(int count);
  /// Waits for the tasks that are running; those not yet begun are dropped.
  ~Workers();
  Workers(const Workers &) = delete;

  /// Starts `task` on every thread, once the task before has ended on all of them.
  void run(std::function<void()> task);

private:
  void loop();
  void stop();

  std::mutex mutex_;
  std::condition_variable wake_, idle_;
  std::function<void()> task_;
  uint64_t round_ = 0;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

} // namespace tensorjit::data
