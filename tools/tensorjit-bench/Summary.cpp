#include "Summary.h"

#include <cstdio>
#include <vector>

namespace tensorjit::bench {
namespace {

struct Line {
  std::string name, target;
  std::function<std::optional<std::string>(const Times &)> value;
};
std::vector<Line> &lines() {
  static std::vector<Line> all;
  return all;
}
std::vector<std::function<std::string()>> &notes() {
  static std::vector<std::function<std::string()>> all;
  return all;
}

} // namespace

Times &times() {
  static Times all;
  return all;
}

void addSummaryLine(std::string name, std::string target,
                    std::function<std::optional<std::string>(const Times &)> value) {
  lines().push_back({std::move(name), std::move(target), std::move(value)});
}

void addNote(std::function<std::string()> text) { notes().push_back(std::move(text)); }

void printSummary() {
  std::printf("\n");
  for (const Line &line : lines())
    if (auto value = line.value(times()))
      std::printf("%-52s %14s   %s\n", line.name.c_str(), value->c_str(), line.target.c_str());
  for (const auto &note : notes())
    if (auto text = note(); !text.empty()) std::printf("%s\n", text.c_str());
}

std::optional<std::string> ratio(const Times &times, const std::string &slow, const std::string &fast) {
  auto a = times.find(slow), b = times.find(fast);
  if (a == times.end() || b == times.end()) return std::nullopt;
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", a->second / b->second);
  return text;
}

std::optional<std::string> medianOf(std::vector<double> ratios) {
  if (ratios.empty()) return std::nullopt;
  std::ranges::sort(ratios);
  const size_t n = ratios.size();
  char text[64];
  std::snprintf(text, sizeof text, "%.2fx (%.2f to %.2f)", ratios[n / 2], ratios[n / 4], ratios[n * 3 / 4]);
  return text;
}

} // namespace tensorjit::bench
