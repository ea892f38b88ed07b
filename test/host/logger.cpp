// The program's own spdlog: its default logger, its registry and its levels are not the library's, and the other way
// round; the library's messages go where the program wants them.
#include "Work.h"

#include <mutex>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>

int main() {
  std::ostringstream own;
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("program", std::make_shared<spdlog::sinks::ostream_sink_mt>(own)));
  spdlog::set_level(spdlog::level::off);
  std::vector<std::string> lines;
  std::mutex mutex;
  tj::set_log_sink([&](std::string_view line) {
    std::lock_guard lock(mutex);
    lines.emplace_back(line);
  });
  tj::Options options;
  options.fail_compile = tj::Options::Failure::Refusal;
  auto f = tj::compile([](const tj::Tensor &x) { return x + 1.f; }, options);
  f(tj::ones({2}));
  f(tj::ones({2}));
  REQUIRE(lines.size() == 1);
  REQUIRE(lines[0].find("[tensorjit] warning: ") == 0);
  spdlog::set_level(spdlog::level::info);
  spdlog::info("mine");
  REQUIRE(own.str().find("mine") != std::string::npos);
  REQUIRE(own.str().find("tensorjit") == std::string::npos);
  REQUIRE(spdlog::get("program") && !spdlog::get("tensorjit"));
  REQUIRE(lines.size() == 1);
}
