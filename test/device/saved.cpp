// device-saved WHAT FILE DEVICE: a program saved on a device by one process and run by another, which has neither the
// compiler nor NVRTC.
#include "Suite.h"
#include "file/FileReader.h"

#include <cstdio>
#include <fstream>
#include <optional>

using namespace device_suite;

namespace {

bool isMapped(const std::vector<std::string> &libraries) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    for (const std::string &library : libraries)
      if (line.find(library) != line.npos) return true;
  return false;
}

bool compilerIsMapped() { return isMapped({"LLVM", "MLIR", "tensorjit_compiler", "nvrtc"}); }

/// Everything from fixed seeds, so that two processes see the same.
struct Training {
  tj::nn::Conv2d conv{nullptr};
  tj::nn::Linear fc{nullptr};
  std::unique_ptr<tj::optim::SGD> sgd;

  explicit Training(tj::Device device) {
    tj::manual_seed(1);
    conv = tj::nn::Conv2d(tj::nn::Conv2dOptions(1, 4, 3).padding(1));
    fc = tj::nn::Linear(4 * 4 * 4, 10);
    std::vector<tj::Tensor> parameters;
    for (tj::nn::Module *m : std::initializer_list<tj::nn::Module *>{conv.get(), fc.get()}) {
      m->to(device);
      for (const tj::Tensor &p : m->parameters()) parameters.push_back(p);
    }
    sgd = std::make_unique<tj::optim::SGD>(parameters, tj::optim::SGDOptions(0.05).momentum(0.9));
  }
  tj::Tensor step(const tj::Tensor &x, const tj::Tensor &y) {
    tj::Tensor loss = tj::cross_entropy(fc(tj::flatten(tj::max_pool2d(tj::relu(conv(x)), 2), 1)), y);
    sgd->zero_grad();
    loss.backward();
    sgd->step();
    return loss.detach();
  }
};

std::pair<tj::Tensor, tj::Tensor> batch(int64_t i) {
  tj::manual_seed(static_cast<uint64_t>(100 + i));
  tj::Tensor x = tj::rand({4, 1, 8, 8});
  return {x, tj::randint(0, 10, {4})};
}

/// Updates its second argument.
tj::Tensor addInto(const tj::Tensor &x, tj::Tensor to) {
  to.add_(x * 2.0);
  return to.sum();
}

/// One program with state and one without.
void saveSmall(const std::string &path, tj::Device device) {
  tj::Tensor count = tj::zeros({64}).to(device);
  auto next = tj::compile([&](const tj::Tensor &x) {
    count.add_(x);
    return count * 2.0;
  });
  next.save(path + ".count", tj::zeros({64}).to(device));
  auto triple = tj::compile([](const tj::Tensor &x) { return x * 3.0; });
  triple.save(path + ".triple", tj::zeros({64}).to(device));
}

void save(const std::string &path, tj::Device device) {
  Training training(device);
  auto step = tj::compile([&](const tj::Tensor &x, const tj::Tensor &y) { return training.step(x, y); });
  auto at = [&](int64_t i) {
    auto [x, y] = batch(i);
    return std::pair(x.to(device), y.to(device));
  };
  auto [x0, y0] = at(0);
  step(x0, y0); // the first step starts the momentum
  auto [x1, y1] = at(1);
  step.save(path, x1, y1);
  auto add = tj::compile(addInto);
  add.save(path + ".update", tj::ones({2, 3}).to(device), tj::zeros({2, 3}).to(device));
  saveSmall(path, device);
}

void runsTraining(const std::string &path, tj::Device device) {
  tj::LoadedExecutable loaded(path);
  require(loaded.device() == device && loaded.num_arguments() == 2, "another program");
  Training eager{tj::Device()};
  std::vector<tj::Tensor> got, expected;
  for (int64_t i = 0; i < 8; ++i) {
    auto [x, y] = batch(i);
    const tj::Tensor loss = eager.step(x, y);
    if (i < 2) continue; // the saved state is what these left
    expected.push_back(loss);
    // Strided arguments are the caller's business.
    const tj::Tensor own = i % 2 ? x.to(device) : x.permute({3, 0, 1, 2}).contiguous().to(device).permute({1, 2, 3, 0});
    got.push_back(loaded.run({own, y.to(device)})[0]);
    require(got.back().device() == device, "the result is on " + got.back().device().str());
  }
  for (size_t i = 0; i < got.size(); ++i)
    requireClose(got[i].cpu(), expected[i], "step " + std::to_string(i), 1e-4, 1e-5);
  auto [x, y] = batch(9);
  const tj::Tensor own = x.to(device), bad = tj::full({4}, 10, tj::kInt64).to(device);
  requireContains(thrownBy<tj::index_error>([&] { loaded.run({own, bad})[0].item(); }), "cross_entropy");
  loaded.run({own, y.to(device)})[0].item(); // goes on
  if (!device.is_cpu())
    requireContains(thrownBy<tj::device_error>([&] {
                      loaded.run({x, y.to(device)});
                    }),
                    "argument 0 is on cpu, the program takes it on " + device.str());
  requireContains(thrownBy<tj::shape_error>([&] {
                    loaded.run({tj::ones({2}).to(device), y.to(device)});
                  }),
                  "saved.cpp:");
}

void updatesArguments(const std::string &path, tj::Device device) {
  tj::LoadedExecutable loaded(path + ".update", device);
  tj::Tensor to = tj::ones({4, 3}).to(device), rows = to.slice(0, 1, 3);
  const tj::Tensor sum = loaded.run({tj::ones({2, 3}).to(device), rows})[0];
  require(sum.item() == 18, "the sum");
  requireSame(to.cpu(), tj::tensor({{1., 1., 1.}, {3., 3., 3.}, {3., 3., 3.}, {1., 1., 1.}}),
              "a window that is updated");
  tj::Tensor whole = tj::zeros({2, 3}).to(device);
  const tj::Tensor before = whole.clone();
  loaded.run({tj::ones({2, 3}).to(device), whole});
  requireSame(whole.cpu(), tj::full({2, 3}, 2.0), "an argument that is updated");
  requireSame(before.cpu(), tj::zeros({2, 3}), "its old value");
  requireContains(thrownBy<tj::device_error>([&] {
                    tj::LoadedExecutable other(path, device.is_cpu() ? tj::Device(tj::DeviceType::Null) : tj::Device());
                  }),
                  "does not run on");
}

/// What one stream writes, state and results, the next one reads, and nobody waits.
void ordersStreams(const std::string &path, tj::Device device) {
  tj::LoadedExecutable counter(path + ".count"), triple(path + ".triple");
  std::vector<tj::cuda::Stream> streams;
  if (device.is_cuda()) streams = {tj::cuda::new_stream(), tj::cuda::new_stream(), tj::cuda::default_stream()};
  const tj::Tensor one = tj::ones({64}).to(device);
  auto onStreams = [&](const std::function<void()> &call) {
    for (size_t i = 0; i < 12; ++i) {
      std::optional<tj::cuda::StreamGuard> guard;
      if (!streams.empty()) guard.emplace(streams[i % streams.size()]);
      call();
    }
  };
  std::vector<tj::Tensor> counts, powers = {one};
  onStreams([&] { counts.push_back(counter.run({one})[0]); });
  onStreams([&] { powers.push_back(triple.run({powers.back()})[0]); });
  double power = 1;
  for (size_t i = 0; i < counts.size(); ++i, power *= 3) {
    requireSame(counts[i].cpu(), tj::full({64}, 2.0 * static_cast<double>(i + 1)), "count " + std::to_string(i));
    requireSame(powers[i].cpu(), tj::full({64}, power), "power " + std::to_string(i));
  }
}

void run(const std::string &path, tj::Device device) {
  runsTraining(path, device);
  updatesArguments(path, device);
  ordersStreams(path, device);
  require(!compilerIsMapped(), "the compiler or NVRTC is mapped");
}

/// The device refuses the program, saying what is in its way.
void refused(const std::string &path, const std::vector<std::string> &words) {
  const std::string text = thrownBy<tj::device_error>([&] { tj::LoadedExecutable loaded(path); });
  for (const std::string &word : words) requireContains(text, word);
  require(!compilerIsMapped(), "the compiler or NVRTC is mapped");
}

void damaged(const std::string &path, tj::Device) {
  tj::FileReader file(path);
  std::vector<char> bytes(file.size());
  file.read(0, std::as_writable_bytes(std::span(bytes)));
  const std::string copy = path + ".damaged";
  for (size_t size : {size_t(0), size_t(4), size_t(100), bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(copy, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(size));
    requireContains(thrownBy<tj::io_error>([&] { tj::LoadedExecutable loaded(copy); }), copy);
  }
}

const std::map<std::string, void (*)(const std::string &, tj::Device)> kinds = {
    {"save", save},
    {"run", run},
    {"damaged", damaged},
    {"other-architecture",
     [](const std::string &path, tj::Device) {
       refused(path, {path, "is for compute capability 9.0 and newer", "cuda:0 has compute capability 8.0"});
     }},
    {"missing-driver",
     [](const std::string &path, tj::Device) {
       refused(path, {path, "the CUDA driver cannot be opened"});
     }},
    {"old-driver",
     [](const std::string &path, tj::Device) {
       refused(path, {path, "too old"});
     }},
};

} // namespace

int main(int argc, char **argv) {
  const auto kind = kinds.find(argc > 3 ? argv[1] : "");
  if (kind == kinds.end()) return 2;
  try {
    kind->second(argv[2], tj::Device(argv[3]));
  } catch (const std::exception &e) {
    std::printf("%s: %s\n", argv[1], e.what());
    return 1;
  }
}
