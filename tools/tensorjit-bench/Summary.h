#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tensorjit::bench {

/// Best seconds an iteration of each benchmark that ran, by name.
using Times = std::map<std::string, double>;

/// A line below the results: what a ratio is called, its value (none where its benchmarks did not run), and what it
/// is meant to be.
void addSummaryLine(std::string name, std::string target, std::function<std::optional<std::string>(const Times &)> value);
/// A line of free text, asked for after the run.
void addNote(std::function<std::string()> text);

void printSummary(const Times &times);

/// "1.83x": how many times `fast` goes into `slow`.
std::optional<std::string> ratio(const Times &times, const std::string &slow, const std::string &fast);

} // namespace tensorjit::bench
