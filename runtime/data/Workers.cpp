#include "data/Workers.h"

namespace tensorjit::data {

Workers::Workers(int count) {
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { loop(); });
  } catch (...) {
    stop(); // the system is out of threads: those that started must be joined before the members go
    throw;
  }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto &thread : threads_) thread.join();
}

void Workers::run(std::function<void()> task) {
  {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
    task_ = std::move(task);
    running_ = threads_.size();
    ++round_;
  }
  wake_.notify_all();
}

void Workers::loop() {
  std::unique_lock lock(mutex_);
  for (uint64_t seen = 0;;) {
    wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    auto task = task_;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    if (--running_ > 0) continue;
    task_ = nullptr; // what the task holds (the epoch, the data set) goes with its last run
    idle_.notify_all();
  }
}

} // namespace tensorjit::data
