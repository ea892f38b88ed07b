// Matrix product and convolution on one thread, as a share of the FMA peak of one thread, which is measured just before
// each of them. The convolution's input comes from another compiled function, as in a network, which leaves it in the
// memory order of its choice, and so is the result left; at the edge of a network, input and result are row-major.
#include "Benchmarks.h"
#include "FmaPeak.h"
#include "Summary.h"

#include <cstdio>
#include <map>
#include <tensorjit/tensorjit.h>

namespace tensorjit::bench {
namespace {

struct Kernel {
  double flops = 0, peak = 0;
};
std::map<std::string, Kernel> kernels;

template <class F> void measure(benchmark::State &state, const std::string &name, double flops, F f) {
  NoGradGuard noGrad;
  const int threads = get_num_threads();
  set_num_threads(1);
  for (int i = 0; i < 3; ++i) f();
  kernels[name] = {flops, fmaPeak(1)};
  measureBest(state, name, [&] { benchmark::DoNotOptimize(f().impl()); });
  set_num_threads(threads);
  state.counters["GFLOP/s"] =
      benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
  state.counters["peak"] = kernels[name].peak * 1e-9;
}

void matmul1024(benchmark::State &state) {
  Tensor a = randn({1024, 1024}), b = randn({1024, 1024});
  auto f = tensorjit::compile([](const Tensor &x, const Tensor &y) { return matmul(x, y); });
  measure(state, "Kernel/matmul_1024", 2.0 * 1024 * 1024 * 1024, [&] { return f(a, b); });
}

void conv32to64(benchmark::State &state, bool inNetwork) {
  NoGradGuard noGrad;
  Tensor w = randn({64, 32, 3, 3}), b = randn({64}), before = randn({32, 3, 3, 3});
  auto producer = tensorjit::compile([&](const Tensor &image) { return relu(conv2d(image, before, {}, 1, 1)); });
  auto f = tensorjit::compile(
      [](const Tensor &in, const Tensor &weight, const Tensor &bias) { return relu(conv2d(in, weight, bias, 1, 1)); });
  Tensor x = producer(randn({128, 3, 14, 14}));
  constexpr double flops = 2.0 * 128 * 64 * 14 * 14 * 32 * 9;
  if (inNetwork) return measure(state, "Kernel/conv_32_64", flops, [&] { return f(x, w, b); });
  x.data_ptr(); // makes it row-major
  measure(state, "Kernel/conv_32_64_edge", flops, [&] {
    Tensor y = f(x, w, b);
    y.data_ptr();
    return y;
  });
}

std::optional<std::string> share(const Times &times, const std::string &name) {
  auto at = times.find(name);
  if (at == times.end()) return std::nullopt;
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * kernels[name].flops / at->second / kernels[name].peak);
  return text;
}

} // namespace

void registerKernels() {
  using Function = void (*)(benchmark::State &);
  for (auto [name, function] : {std::pair<const char *, Function>{"Kernel/matmul_1024", matmul1024},
                                {"Kernel/conv_32_64", [](benchmark::State &state) { conv32to64(state, true); }},
                                {"Kernel/conv_32_64_edge", [](benchmark::State &state) { conv32to64(state, false); }}})
    benchmark::RegisterBenchmark(name, function)->Unit(benchmark::kMillisecond)->MinTime(1.0)->UseRealTime();
  addSummaryLine("matmul 1024x1024x1024, share of the FMA peak", "at least 70 %",
                 [](auto &t) { return share(t, "Kernel/matmul_1024"); });
  addSummaryLine("conv 32->64 in a network, share of the FMA peak", "at least 70 %",
                 [](auto &t) { return share(t, "Kernel/conv_32_64"); });
  addSummaryLine("  row-major input and result, at a network's edge", "",
                 [](auto &t) { return share(t, "Kernel/conv_32_64_edge"); });
}

} // namespace tensorjit::bench
