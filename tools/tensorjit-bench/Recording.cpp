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

} // namespace

void registerRecording() {
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
}

} // namespace tensorjit::bench
