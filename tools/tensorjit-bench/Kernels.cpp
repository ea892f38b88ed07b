// Matrix product and convolution on one thread, as a share of the FMA peak of one thread, which is measured just before
// each of them.
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
  measureBest(state, name, [&] { benchmark::DoNotOptimize(f().data_ptr()); });
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

void conv32to64(benchmark::State &state) {
  Tensor x = randn({128, 32, 14, 14}), w = randn({64, 32, 3, 3}), b = randn({64});
  auto f = tensorjit::compile(
      [](const Tensor &in, const Tensor &weight, const Tensor &bias) { return relu(conv2d(in, weight, bias, 1, 1)); });
  measure(state, "Kernel/conv_32_64", 2.0 * 128 * 64 * 14 * 14 * 32 * 9, [&] { return f(x, w, b); });
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
  for (auto [name, function] :
       {std::pair<const char *, Function>{"Kernel/matmul_1024", matmul1024}, {"Kernel/conv_32_64", conv32to64}})
    benchmark::RegisterBenchmark(name, function)->Unit(benchmark::kMillisecond)->MinTime(1.0)->UseRealTime();
  addSummaryLine("matmul 1024x1024x1024, share of the FMA peak", "at least 70 %",
                 [](auto &t) { return share(t, "Kernel/matmul_1024"); });
  addSummaryLine("conv 32->64 on 128x32x14x14, share of the FMA peak", "at least 70 %",
                 [](auto &t) { return share(t, "Kernel/conv_32_64"); });
}

} // namespace tensorjit::bench
