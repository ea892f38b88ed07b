// What an op costs in a compiled function beside its arithmetic: the difference of two chains of ops on one element,
// both compiled into one kernel.
#include "Benchmarks.h"
#include "Summary.h"

#include <cstdio>
#include <tensorjit/tensorjit.h>

namespace tensorjit::bench {
namespace {

constexpr int shortChain = 100, longChain = 600;

template <int Ops> void chain(benchmark::State &state, const std::string &name) {
  NoGradGuard noGrad;
  Tensor x = ones({1}), y = ones({1});
  auto f = tensorjit::compile([&](const Tensor &a) {
    Tensor t = a;
    for (int i = 0; i < Ops / 2; ++i) t = (t + y) * y;
    return t;
  });
  for (int i = 0; i < 3; ++i) f(x);
  measureBest(state, name, [&] { benchmark::DoNotOptimize(f(x).impl()); });
}

/// A call of next to no arithmetic: what the call itself costs.
void addOne(benchmark::State &state, const std::string &name, bool compiled) {
  NoGradGuard noGrad;
  Tensor x = ones({4});
  auto body = [](const Tensor &a) { return a + 1; };
  auto f = tensorjit::compile(body);
  for (int i = 0; i < 3; ++i) f(x);
  measureBest(state, name, [&] { benchmark::DoNotOptimize((compiled ? f(x) : body(x)).impl()); });
}

/// A loop over rows, far longer than what is worth compiling.
void rows(benchmark::State &state, const std::string &name, bool compiled) {
  NoGradGuard noGrad;
  Tensor points = randn({10'000, 64}), centre = randn({64});
  auto body = [](const Tensor &points, const Tensor &centre) {
    Tensor distances = zeros({points.size(0)});
    for (int64_t i = 0; i < points.size(0); ++i) {
      Tensor difference = points.select(0, i) - centre;
      distances.select(0, i).copy_((difference * difference).sum().sqrt());
    }
    return distances;
  };
  auto f = tensorjit::compile(body);
  if (compiled) f(points, centre);
  measureBest(state, name, [&] { (compiled ? f(points, centre) : body(points, centre)).data_ptr(); });
}

std::optional<std::string> nanoseconds(const Times &times, const char *name) {
  auto at = times.find(name);
  if (at == times.end()) return std::nullopt;
  char text[32];
  std::snprintf(text, sizeof text, "%.0f ns", at->second * 1e9);
  return text;
}

} // namespace

void registerRecording() {
  for (auto [name, compiled] : {std::pair("Call/add_one_compiled", true), {"Call/add_one_eager", false}})
    benchmark::RegisterBenchmark(name, addOne, name, compiled)->Unit(benchmark::kNanosecond)->UseRealTime();
  for (auto [name, compiled] : {std::pair("Loop/10000_rows_compiled", true), {"Loop/10000_rows_eager", false}})
    benchmark::RegisterBenchmark(name, rows, name, compiled)->Unit(benchmark::kMillisecond)->UseRealTime();
  addSummaryLine("x + 1 on 4 floats, compiled", "under 1 us",
                 [](const Times &t) { return nanoseconds(t, "Call/add_one_compiled"); });
  addSummaryLine("x + 1 on 4 floats, eager", "", [](const Times &t) { return nanoseconds(t, "Call/add_one_eager"); });
  addSummaryLine("A loop over 10,000 rows, compiled against eager", "at most 2x",
                 [](const Times &t) { return ratio(t, "Loop/10000_rows_compiled", "Loop/10000_rows_eager"); });
  for (auto [name, function] :
       {std::pair("Recording/100_ops", &chain<shortChain>), {"Recording/600_ops", &chain<longChain>}})
    benchmark::RegisterBenchmark(name, function, name)->Unit(benchmark::kMicrosecond)->UseRealTime();
  addSummaryLine("A recorded op", "at most 40 ns", [](const Times &t) -> std::optional<std::string> {
    auto few = t.find("Recording/100_ops"), many = t.find("Recording/600_ops");
    if (few == t.end() || many == t.end()) return std::nullopt;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ns", (many->second - few->second) / (longChain - shortChain) * 1e9);
    return text;
  });
  addSummaryLine("A call of 100 ops, for each op", "at most 25 ns", [](const Times &t) -> std::optional<std::string> {
    auto call = t.find("Recording/100_ops");
    if (call == t.end()) return std::nullopt;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f ns", call->second / shortChain * 1e9);
    return text;
  });
}

} // namespace tensorjit::bench
