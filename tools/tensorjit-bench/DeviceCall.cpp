// What a call of a compiled function costs the host where a CUDA device does the arithmetic: of chains of ops that are
// a kernel each. Over the driver of test/device that does nothing, nothing but the runtime's own time is measured:
//
//   LD_LIBRARY_PATH=build/instant_driver tensorjit-bench --benchmark_filter=Device
#include "Benchmarks.h"
#include "Summary.h"

#include <cstdio>
#include <tensorjit/tensorjit.h>

namespace tensorjit::bench {
namespace {

constexpr int fewLaunches = 1, manyLaunches = 101;

template <int Launches> void call(benchmark::State &state, const std::string &name) {
  NoGradGuard noGrad;
  const Tensor x = ones({4}).to(kCUDA), y = ones({4}).to(kCUDA);
  Options options;
  options.mode = Options::Mode::NoFuse;
  options.strict = true;
  auto f = tensorjit::compile(
      [&](const Tensor &a) {
        Tensor t = a;
        for (int i = 0; i < Launches; ++i) t = i % 2 ? t + y : t * y;
        return t;
      },
      options);
  for (int i = 0; i < 3; ++i) f(x);
  int pending = 0;
  measureBest(state, name, [&] {
    benchmark::DoNotOptimize(f(x).impl());
    // A queue that is full would make the host wait for the device.
    if (++pending % 64 == 0) {
      state.PauseTiming();
      cuda::synchronize();
      state.ResumeTiming();
    }
  });
}

void eagerOp(benchmark::State &state, const std::string &name) {
  NoGradGuard noGrad;
  const Tensor x = ones({4}).to(kCUDA), y = ones({4}).to(kCUDA);
  for (int i = 0; i < 3; ++i) x *y;
  measureBest(state, name, [&] { benchmark::DoNotOptimize((x * y).impl()); });
}

std::optional<std::string> microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  return text;
}

std::optional<std::string> microseconds(const Times &times, const char *name) {
  auto at = times.find(name);
  return at == times.end() ? std::nullopt : microseconds(at->second);
}

} // namespace

void registerDeviceCall() {
  if (!cuda::is_available()) return;
  for (auto [name, function] : {std::pair("Device/1_launch", &call<fewLaunches>),
                                {"Device/101_launches", &call<manyLaunches>},
                                {"Device/eager_op", &eagerOp}})
    benchmark::RegisterBenchmark(name, function, name)->Unit(benchmark::kMicrosecond)->UseRealTime();
  addSummaryLine("Host time of a CUDA call of one launch", "at most 5.3 us",
                 [](const Times &t) { return microseconds(t, "Device/1_launch"); });
  addSummaryLine("A further launch", "at most 0.3 us", [](const Times &t) -> std::optional<std::string> {
    auto few = t.find("Device/1_launch"), many = t.find("Device/101_launches");
    if (few == t.end() || many == t.end()) return std::nullopt;
    return microseconds((many->second - few->second) / (manyLaunches - fewLaunches));
  });
  addSummaryLine("An eager op on CUDA", "", [](const Times &t) { return microseconds(t, "Device/eager_op"); });
}

} // namespace tensorjit::bench
