#include "log/Log.h"
#include "log/Environment.h"
#include "tensorjit/error.h"
#include "tensorjit/logging.h"

#include <atomic>
#include <mutex>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace tensorjit {

namespace {

struct ChannelName {
  std::string_view name;
  log::Channel channel;
};
constexpr ChannelName channelNames[] = {{"graph_breaks", log::Channel::GraphBreaks},
                                        {"recompiles", log::Channel::Recompiles},
                                        {"fusion", log::Channel::Fusion},
                                        {"compile", log::Channel::Compile}};

unsigned parseChannels(std::string_view list, unsigned channels) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
    bool on = item.empty() || item[0] != '-';
    if (!item.empty() && (item[0] == '+' || item[0] == '-')) item.remove_prefix(1);
    if (item.empty()) continue;
    bool known = false;
    for (const ChannelName &c : channelNames) {
      if (c.name != item) continue;
      known = true;
      unsigned bit = static_cast<unsigned>(c.channel);
      channels = on ? channels | bit : channels & ~bit;
    }
    if (!known)
      throw value_error("unknown log channel '" + std::string(item) +
                        "'; there are graph_breaks, recompiles, fusion and compile");
  }
  return channels;
}

class FunctionSink : public spdlog::sinks::base_sink<std::mutex> {
public:
  explicit FunctionSink(std::function<void(std::string_view)> f) : function_(std::move(f)) {}

private:
  void sink_it_(const spdlog::details::log_msg &msg) override {
    spdlog::memory_buf_t text;
    formatter_->format(msg, text);
    std::string_view line(text.data(), text.size());
    if (line.ends_with('\n')) line.remove_suffix(1);
    function_(line);
  }
  void flush_() override {}
  std::function<void(std::string_view)> function_;
};

/// Never destroyed: static objects may log while they go.
class Logger {
public:
  static Logger &get() {
    static Logger &logger = *new Logger;
    return logger;
  }
  unsigned channels() const { return channels_.load(std::memory_order_relaxed); }
  void setChannels(std::string_view list) { channels_ = parseChannels(list, channels()); }

  void setSink(spdlog::sink_ptr sink) {
    auto next = std::make_shared<spdlog::logger>("tensorjit", std::move(sink));
    next->set_pattern("[tensorjit] %v");
    std::lock_guard lock(mutex_);
    logger_ = std::move(next);
  }
  void write(spdlog::level::level_enum level, const std::string &text) {
    std::shared_ptr<spdlog::logger> logger;
    {
      std::lock_guard lock(mutex_);
      logger = logger_;
    }
    logger->log(level, text);
  }

private:
  Logger() {
    setSink(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    try {
      setChannels(environment().logs);
    } catch (const value_error &e) {
      write(spdlog::level::warn, std::string("TENSORJIT_LOGS: ") + e.what());
    }
  }
  std::atomic<unsigned> channels_{0};
  std::mutex mutex_;
  std::shared_ptr<spdlog::logger> logger_;
};

} // namespace

bool log::enabled(Channel channel) { return Logger::get().channels() & static_cast<unsigned>(channel); }

void log::message(Channel channel, const std::string &text) {
  if (enabled(channel)) Logger::get().write(spdlog::level::info, text);
}

void log::warn(const std::string &text) { Logger::get().write(spdlog::level::warn, "warning: " + text); }

void set_log_sink(std::function<void(std::string_view)> sink) {
  if (sink) Logger::get().setSink(std::make_shared<FunctionSink>(std::move(sink)));
  else Logger::get().setSink(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
}

void set_logs(std::string_view channels) { Logger::get().setChannels(channels); }

} // namespace tensorjit
