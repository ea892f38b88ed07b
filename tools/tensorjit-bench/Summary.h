#pragma once
#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tensorjit::bench {

/// Seconds of the fastest iteration of each benchmark that ran, by name: on a machine that others use too, ratios of
/// fastest iterations are the ones that repeat.
using Times = std::map<std::string, double>;
Times &times();

/// The benchmark's loop: each iteration calls `step`.
template <class Step> void measureBest(benchmark::State &state, const std::string &name, Step step) {
  double best = times().contains(name) ? times()[name] : 1e9;
  for (auto _ : state) {
    auto start = std::chrono::steady_clock::now();
    step();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  times()[name] = best;
}

double secondsOf(auto &&f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A line below the results: what a ratio is called, its value (none where its benchmarks did not run), and what it
/// is meant to be.
void addSummaryLine(std::string name, std::string target,
                    std::function<std::optional<std::string>(const Times &)> value);
/// A line of free text, asked for after the run.
void addNote(std::function<std::string()> text);

void printSummary();

/// "1.83x": how many times `fast` goes into `slow`.
std::optional<std::string> ratio(const Times &times, const std::string &slow, const std::string &fast);

/// "1.83x (1.79 to 1.88)": the median of ratios that were measured in rounds, and the quarters on its sides. A machine
/// that changes its speed from one second to the next changes both sides of a round's ratio.
std::optional<std::string> medianOf(std::vector<double> ratios);

} // namespace tensorjit::bench
