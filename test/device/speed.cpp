// device-speed save FOLDER DEVICE: compiles kernels and saves them. device-speed run FOLDER DEVICE: runs what was
// saved, without the compiler, and prints each kernel's memory traffic as a share of what a copy on the device reaches.
//
// On the stand-in driver, which shows no time, the numbers mean nothing.
#include "device/Backend.h"
#include "device/Stream.h"
#include "tensorjit/tensorjit.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace tj = tensorjit;

namespace {

using Tensors = std::vector<tj::Tensor>;

struct Kernel {
  const char *name;
  double wanted; ///< share of a copy's rate
  std::vector<tj::Shape> sizes;
  std::function<tj::Tensor(const Tensors &)> compute;
};

const std::vector<Kernel> kernels = {
    {"pointwise", 0.92, {{4096, 4096}, {4096, 4096}}, [](const Tensors &t) { return (t[0] * 2.0 + t[1]).tanh(); }},
    {"softmax", 0.85, {{8192, 2048}}, [](const Tensors &t) { return t[0].softmax(1); }},
    {"layer_norm", 0.85, {{8192, 2048}}, [](const Tensors &t) { return tj::layer_norm(t[0], {2048}); }},
    {"transpose", 0.80, {{4096, 4096}}, [](const Tensors &t) { return t[0].transpose(0, 1) * 1.5; }},
    {"row_sum", 0.85, {{8192, 4096}}, [](const Tensors &t) { return t[0].sum({1}); }},
    {"column_sum", 0.80, {{8192, 4096}}, [](const Tensors &t) { return t[0].sum({0}); }},
};

std::string fileOf(const std::string &folder, const Kernel &kernel) { return folder + "/" + kernel.name; }

Tensors argumentsOf(const Kernel &kernel, tj::Device device) {
  Tensors t;
  for (const tj::Shape &s : kernel.sizes) t.push_back(tj::full(s, 0.5, tj::TensorOptions().device(device)));
  return t;
}

void save(const std::string &folder, tj::Device device) {
  for (const Kernel &kernel : kernels) {
    tj::Options options;
    options.strict = true;
    options.name = kernel.name;
    auto compiled = tj::compile([&](const Tensors &t) { return kernel.compute(t); }, options);
    compiled.save(fileOf(folder, kernel), argumentsOf(kernel, device));
  }
}

/// The best of some runs, in seconds.
double timeOf(int device, const std::function<void()> &call) {
  double best = 1e9;
  for (int i = 0; i < 12; ++i) {
    tj::cuda::Event from(true), to(true);
    const tj::cuda::Stream stream = tj::cuda::current_stream(device);
    from.record(stream);
    call();
    to.record(stream);
    to.synchronize();
    best = std::min(best, from.elapsed_time(to) / 1e3);
  }
  return best;
}

double rateOfCopy(tj::Device device) {
  const size_t bytes = size_t(64) << 20;
  tj::Tensor from = tj::zeros({static_cast<int64_t>(bytes / 4)}, tj::TensorOptions().device(device));
  tj::Tensor to = tj::zeros_like(from);
  auto &backend = tensorjit::device::backend(device);
  auto &stream = tensorjit::device::currentStream(device);
  const double seconds =
      timeOf(device.index(), [&] { backend.copyOnDevice(to.data_ptr(), from.data_ptr(), bytes, stream.handle); });
  return 2 * static_cast<double>(bytes) / seconds;
}

void run(const std::string &folder, tj::Device device) {
  const double copy = rateOfCopy(device);
  std::printf("a copy on the device: %.0f GB/s\n", copy / 1e9);
  for (const Kernel &kernel : kernels) {
    tj::LoadedExecutable program(fileOf(folder, kernel), device);
    const Tensors arguments = argumentsOf(kernel, device);
    double bytes = 0;
    auto count = [&](const tj::Tensor &t) { bytes += static_cast<double>(t.numel()) * 4; };
    for (const tj::Tensor &t : arguments) count(t);
    for (const tj::Tensor &t : program.run(arguments)) count(t);
    const double seconds = timeOf(device.index(), [&] { program.run(arguments); });
    std::printf("%-12s %.2f of a copy (wanted %.2f)\n", kernel.name, bytes / seconds / copy, kernel.wanted);
  }
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc == 4 ? argv[1] : "";
  if (what != "save" && what != "run") return 2;
  try {
    (what == "save" ? save : run)(argv[2], tj::Device(argv[3]));
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", what.c_str(), e.what());
    return 1;
  }
}
