// Ops on a device agree with the CPU, one by one and compiled.
#include "Suite.h"
#include "device/Backend.h"

#include <dlfcn.h>

namespace device_suite {

namespace {

using Function = std::function<tj::Tensor(const std::vector<tj::Tensor> &)>;

/// Eager and compiled on the device against eager on the CPU; `rtol` 0: the same bits.
void compare(tj::Device d, const char *what, const std::vector<tj::Tensor> &x, const Function &f, double rtol = 0) {
  const tj::Tensor expected = f(x);
  const auto own = moved(x, d);
  auto compiled = tj::compile([&](const std::vector<tj::Tensor> &t) { return f(t); });
  for (int call = 0; call < 3; ++call) {
    const tj::Tensor y = call == 0 ? f(own) : compiled(own);
    const std::string name = std::string(what) + (call ? ", compiled" : ", eager");
    require(y.device() == d, name + ": the result is on " + y.device().str());
    if (rtol) requireClose(y.cpu(), expected, name, rtol, rtol);
    else requireSame(y.cpu(), expected, name);
  }
}

void pointwise(tj::Device d) {
  const tj::Tensor x = tj::randn({3, 17}), y = tj::randn({17}), i = tj::randint(-9, 9, {3, 17});
  compare(d, "x * 2 + 1", {x}, [](auto &t) { return t[0] * 2.0 + 1.0; });
  compare(d, "broadcast", {x, y}, [](auto &t) { return (t[0] + t[1]).maximum(t[0] * t[1]); });
  compare(d, "exp and tanh", {x}, [](auto &t) { return t[0].exp().tanh() / 3.0; });
  compare(d, "integers", {i}, [](auto &t) { return (t[0] * 3 + 1).remainder(5); });
  compare(d, "where", {x}, [](auto &t) { return tj::where(t[0] > 0, t[0], 0.5); });
  compare(d, "f64", {x.to(tj::kFloat64)}, [](auto &t) { return t[0] * t[0] - 1.0; });
  compare(d, "a cast", {x}, [](auto &t) { return t[0].to(tj::kInt64); });
}

/// The numbers and the state of the generator are those of the CPU, one by one and compiled, from one executable.
void randomNumbers(tj::Device d) {
  const auto draw = [](tj::Device on) {
    const auto options = tj::TensorOptions().device(on);
    tj::Tensor filled = tj::zeros({5, 7}, options);
    filled.uniform_(-2, 3);
    return std::vector<tj::Tensor>{tj::random_bits({33}, options.dtype(tj::kInt)),
                                   tj::random_bits({9}, options.dtype(tj::kInt64)),
                                   tj::rand({3, 17}, options),
                                   tj::rand({10}, options.dtype(tj::kFloat64)),
                                   tj::rand({21}, options.dtype(tj::kBFloat16)),
                                   tj::randn({101}, options),
                                   tj::randn({31}, options.dtype(tj::kHalf)),
                                   tj::randint(-5, 6, {33}, options),
                                   tj::randint(INT64_MIN, INT64_MAX, {5}, options),
                                   filled,
                                   tj::zeros({40}, options).bernoulli_(0.3),
                                   tj::nn::functional::dropout(tj::ones({4, 50}, options))};
  };
  const auto start = [] {
    tj::manual_seed(uint64_t(1) << 63 | 7);
    tj::default_generator().set_offset(0xFFFFFFF0);
  };
  start();
  std::vector<std::vector<tj::Tensor>> expected;
  for (int call = 0; call < 3; ++call) expected.push_back(draw(tj::kCPU));
  const uint64_t end = tj::default_generator().offset();
  auto compiled = tj::compile([&] { return draw(d); });
  for (bool eager : {true, false}) {
    start();
    for (size_t call = 0; call < expected.size(); ++call) {
      const auto got = eager ? draw(d) : compiled();
      for (size_t i = 0; i < got.size(); ++i) {
        require(got[i].device() == d, "what is drawn is on " + got[i].device().str());
        requireSame(got[i].cpu(), expected[call][i],
                    std::string(eager ? "eager" : "compiled") + " draw " + std::to_string(i) + " of call " +
                        std::to_string(call));
      }
    }
    require(tj::default_generator().offset() == end, "the generator has moved elsewhere");
  }
  require(compiled.stats().compiles <= 1, "compiled anew as the generator moves: " + compiled.explain());
}

/// The mask of the gradient is that of the result.
void dropoutGradient(tj::Device d) {
  tj::manual_seed(2);
  tj::Tensor x = tj::ones({64, 65}, tj::TensorOptions().device(d)).requires_grad_();
  auto step = tj::compile([&] {
    x.mutable_grad() = tj::Tensor();
    const tj::Tensor y = tj::nn::functional::dropout(x.t());
    y.sum().backward();
    return y;
  });
  tj::Tensor before;
  for (int call = 0; call < 3; ++call) {
    const tj::Tensor y = step();
    requireSame(x.grad().cpu(), y.t().cpu().contiguous(), "the gradient");
    const double kept = (y != 0).to(tj::kDouble).mean().item();
    require(kept > 0.46 && kept < 0.54, "kept " + std::to_string(kept)); // five standard deviations
    require(!before.defined() || !tj::equal(y.cpu(), before.cpu()), "the same mask in each call");
    before = y;
  }
}

/// They lie in memory as they are, and are computed in f32 and i32.
void storedTypes(tj::Device d) {
  for (tj::DType type : {tj::kHalf, tj::kBFloat16}) {
    const tj::Tensor x = tj::randn({40, 66}, type), y = tj::randn({66}, type);
    compare(d, "halves", {x, y}, [](auto &t) { return (t[0] * t[1] + 0.1).exp() - t[0]; });
    compare(d, "halves and floats", {x, y.to(tj::kFloat)}, [](auto &t) { return (t[0] + t[1]).to(t[0].dtype()); });
    compare(d, "halves as integers", {x}, [](auto &t) { return (t[0] * 3.0).to(tj::kInt16) * 7; });
    compare(d, "transposed halves", {x}, [](auto &t) { return t[0].t().contiguous(); });
    compare(d, "cat of halves", {x}, [](auto &t) { return tj::cat({t[0], t[0] * 2.0}, 1); });
    // An ulp of the dtype: the sums of a row differ in their order.
    const double unit = type == tj::kHalf ? 0x1p-10 : 0x1p-7;
    compare(
        d, "softmax of halves", {x}, [](auto &t) { return t[0].softmax(1); }, unit);
    compare(
        d, "sum of halves", {x}, [](auto &t) { return t[0].sum({0}); }, unit);
    compare(
        d, "product of halves", {x, y}, [](auto &t) { return tj::matmul(t[0], t[1]); }, unit);
  }
  const tj::Tensor i = tj::randint(-30000, 30000, {5, 9}).to(tj::kInt16);
  compare(d, "i16", {i}, [](auto &t) { return t[0] * 5 + t[0]; });
  compare(d, "the largest i16", {i}, [](auto &t) { return t[0].amax({1}); });
}

/// Factors of f16 and bf16, as they lie and made by other ops.
void productsOfHalves(tj::Device d) {
  for (tj::DType type : {tj::kHalf, tj::kBFloat16}) {
    const double unit = type == tj::kHalf ? 0x1p-9 : 0x1p-6; // the sums of f32 differ in their order, then round
    const tj::Tensor a = tj::randn({40, 64}, type), b = tj::randn({64, 48}, type), w = tj::randn({48, 64}, type),
                     bias = tj::randn({48}, type), x = tj::randn({2, 16, 9, 9}, type),
                     kernel = tj::randn({24, 16, 3, 3}, type);
    compare(
        d, "matmul of halves", {a, b}, [](auto &t) { return tj::matmul(t[0], t[1]); }, unit);
    compare(
        d, "layers of halves", {a, w, bias},
        [](auto &t) { return tj::linear(tj::relu(tj::linear(t[0], t[1], t[2])), t[1].t().contiguous()); }, 4 * unit);
    compare(
        d, "convolution of halves", {x, kernel}, [](auto &t) { return tj::relu(tj::conv2d(t[0], t[1])); }, unit);
  }
}

void shapes(tj::Device d) {
  const tj::Tensor x = tj::randn({4, 6});
  compare(d, "transposed", {x}, [](auto &t) { return t[0].transpose(0, 1) + 1.0; });
  compare(d, "cat", {x, tj::randn({2, 6})}, [](auto &t) { return tj::cat({t[0], t[1]}, 0); });
  compare(d, "flip", {x}, [](auto &t) { return tj::flip(t[0], {1}); });
  compare(d, "a slice", {x}, [](auto &t) { return t[0].slice(1, 1, 6, 2) * 2.0; });
  compare(d, "masked_fill", {x}, [](auto &t) { return tj::masked_fill(t[0], t[0] > 0, 2.0); });
  compare(d, "tril", {x}, [](auto &t) { return tj::tril(t[0], 1); });
  compare(d, "one_hot", {tj::tensor({2, 0, 1})}, [](auto &t) { return tj::one_hot(t[0], 4); });
}

void reductions(tj::Device d) {
  const tj::Tensor x = tj::randn({5, 300});
  compare(
      d, "sum", {x}, [](auto &t) { return t[0].sum(); }, 1e-5);
  compare(
      d, "mean of rows", {x}, [](auto &t) { return t[0].mean({1}); }, 1e-5);
  compare(
      d, "sum of columns", {x}, [](auto &t) { return t[0].sum({0}); }, 1e-5);
  compare(d, "argmax", {x}, [](auto &t) { return t[0].argmax(1); });
  compare(
      d, "softmax", {x}, [](auto &t) { return t[0].softmax(1); }, 1e-5);
}

void contractions(tj::Device d) {
  const tj::Tensor a = tj::randn({9, 20}), b = tj::randn({20, 7}), x = tj::randn({2, 3, 8, 8}),
                   w = tj::randn({4, 3, 3, 3});
  compare(
      d, "matmul", {a, b}, [](auto &t) { return tj::matmul(t[0], t[1]); }, 1e-5);
  compare(
      d, "conv2d", {x, w}, [](auto &t) { return tj::conv2d(t[0], t[1]); }, 1e-5);
}

/// Positions are small numbers, but not the integers beside them.
void largeIntegersBesidePositions(tj::Device d) {
  const tj::Tensor x = tj::randint(0, 1000, {6, 50}) * (int64_t(1) << 40);
  compare(d, "largest integers", {x}, [](auto &t) {
    auto [value, at] = tj::max(t[0], 1);
    return tj::cat({value.flip({0}), at.flip({0}), value + at, tj::argmax(t[0] - value.flip({0}).unsqueeze(1), 1)});
  });
  const tj::Tensor images = tj::randint(0, 1000, {1, 2, 6, 6}) * (int64_t(1) << 40);
  compare(d, "largest integers of windows", {images}, [](auto &t) {
    auto [value, at] = tj::max_pool2d_with_indices(t[0], 2);
    return tj::cat({value.flip({3}), at.flip({3}) * 3});
  });
}

/// Each value is used twice by the next: there are 2^40 ways through the function.
void sharedValues(tj::Device d) {
  auto chain = [](tj::Tensor v) {
    for (int i = 0; i < 40; ++i) v = v * 0.25 + v.maximum(0.5);
    return v;
  };
  const tj::Tensor x = tj::rand({3, 40});
  compare(d, "shared values", {x}, [&](auto &t) { return chain(t[0]); });
  compare(
      d, "the sum of shared values", {x}, [&](auto &t) { return chain(t[0]).sum({1}); }, 1e-5);
  compare(
      d, "rows less the sum of shared values", {x},
      [&](auto &t) {
        const tj::Tensor y = chain(t[0]);
        return y - chain(y - y.sum({1}, true)).sum({1}, true);
      },
      1e-4);
  compare(d, "shared positions", {x}, [](auto &t) {
    tj::Tensor v = tj::arange(40, tj::TensorOptions().device(t[0].device()));
    for (int i = 0; i < 40; ++i) v = v * 3 - v * 2;
    return v;
  });
}

void hostNumbers(tj::Device d) {
  const tj::Tensor x = tj::randn({6});
  auto compiled = tj::compile([](const tj::Tensor &t, double factor) { return t * factor; });
  for (double factor : {2.0, 3.0, 4.5, 2.0}) requireSame(compiled(x.to(d), factor).cpu(), x * factor, "a number");
  const tj::Tensor number = tj::tensor(2.5);
  compare(d, "a 0-d tensor of the CPU", {x}, [&](auto &t) { return t[0] * number + number; });
  tj::Tensor scale = tj::tensor(2.0).requires_grad_();
  (x.to(d) * scale).sum().backward();
  require(scale.grad().is_cpu(), "the gradient of a number");
  requireClose(scale.grad(), x.sum(), "the gradient of a number");
}

/// What the stand-in driver has counted behind this name, as text; empty on other devices.
std::string counted(tj::Device d, const std::string &name) {
  if (d.type() != tj::DeviceType::CUDA) return "";
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto counters = driver ? reinterpret_cast<size_t (*)(char *, size_t)>(dlsym(driver, "cudasimCounters")) : nullptr;
  if (!counters) return "";
  tj::cuda::synchronize();
  std::string text(counters(nullptr, 0), 0);
  counters(text.data(), text.size());
  const size_t start = text.find('"' + name + '"');
  return start == text.npos ? "" : text.substr(start, text.find('}', start) - start);
}

/// The bytes in such a text.
int64_t bytesIn(const std::string &text) {
  const size_t at = text.find("\"bytes\": ");
  return at == text.npos ? 0 : std::stoll(text.substr(at + 9));
}

/// A part of a tensor that is written in a compiled function is all that moves.
void windows(tj::Device d) {
  using Write = void (*)(tj::Tensor, const tj::Tensor &);
  struct Window {
    const char *what;
    Write write;
    int64_t bytes; ///< of the parts; 0: the whole tensor may move
  };
  const Window kinds[] = {
      {"a row", [](tj::Tensor t, const tj::Tensor &x) { t.select(0, 3).copy_(x.select(0, 0).select(0, 0) * 2); }, 1536},
      {"planes",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(0, 2, 4).copy_(x.expand({2, 12, 32}) + 1);
       },
       3072},
      {"columns",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(2, 5, 7).copy_(x.slice(2, 0, 2).expand({40, 12, 2}) * 3);
       },
       3840},
      {"every third row",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.select(0, 7).slice(0, 1, 12, 3).copy_(x.select(0, 0).slice(0, 0, 4) - 1);
       },
       1536},
      {"every third plane",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(0, 1, 40, 3).copy_(x.expand({13, 12, 32}) * 2);
       },
       13 * 1536},
      {"two parts",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(0, 0, 1).copy_(x * 5);
         t.slice(1, 11, 12).mul_(2);
       },
       1536 + 5120},
      {"a part of a part",
       [](tj::Tensor t, const tj::Tensor &x) { t.select(0, 1).slice(1, 0, 3).add_(x.select(0, 0).slice(1, 3, 6)); },
       1536},
      {"backward",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(0, 9, 7, -1).copy_(x.expand({2, 12, 32}) * 2);
       },
       0},
      {"every second column",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(2, 0, 32, 2).copy_(x.slice(2, 0, 16).expand({40, 12, 16}) * 2);
       },
       0},
      {"nothing",
       [](tj::Tensor t, const tj::Tensor &x) {
         t.slice(1, 4, 4).copy_(x.slice(1, 2, 2).expand({40, 0, 32}) * 2);
       },
       0},
  };
  const tj::Tensor x = tj::randn({1, 12, 32}), own = x.to(d);
  for (const Window &w : kinds) {
    tj::Tensor expected = tj::randn({40, 12, 32}), target = expected.to(d).clone();
    auto write = tj::compile([&](const tj::Tensor &t, const tj::Tensor &value) { w.write(t, value); });
    const tj::Tensor before = expected.clone(), snapshot = target.detach().clone();
    for (int call = 0; call < 3; ++call) {
      w.write(expected, x);
      const void *memory = target.data_ptr();
      const int64_t copied = bytesIn(counted(d, "device_to_device")), stored = bytesIn(counted(d, "global_store"));
      write(target, own);
      const int64_t moved = bytesIn(counted(d, "device_to_device")) - copied,
                    computed = bytesIn(counted(d, "global_store")) - stored;
      requireSame(target.cpu(), expected, w.what);
      require(target.data_ptr() == memory, std::string(w.what) + ": the tensor has moved");
      if (w.bytes && moved + computed > 3 * w.bytes) // computed, put into the part, copied
        throw Failed(std::string(w.what) + ": " + std::to_string(moved) + " bytes copied and " +
                     std::to_string(computed) + " stored for " + std::to_string(w.bytes));
    }
    requireSame(snapshot.cpu(), before, std::string(w.what) + ", the copy made before");
    // Another holder of the old contents keeps them.
    const tj::Tensor saved = target.detach() * 1.0;
    tj::Tensor shared = target.detach().clone();
    auto both = tj::compile([&](const tj::Tensor &t, const tj::Tensor &value) {
      const tj::Tensor old = t * 1.0;
      w.write(t, value);
      return old;
    });
    requireSame(both(shared, own).cpu(), saved.cpu(), std::string(w.what) + ", the old value");
    w.write(expected, x);
    requireSame(shared.cpu(), expected, std::string(w.what) + ", beside the old value");
  }
}

/// Numbers of the host are parameters of kernels: there is nothing to copy.
void copiesOfHostNumbers(tj::Device d) {
  auto copies = [&] { return counted(d, "host_to_device"); };
  const tj::Tensor x = tj::ones({6}).to(d), number = tj::tensor(2.5);
  auto f = tj::compile([&](const tj::Tensor &t, double factor) { return t * factor + number + factor; });
  for (double factor : {2.0, 3.0}) f(x, factor);
  const std::string before = copies();
  for (double factor : {4.0, 5.0}) {
    const tj::Tensor y = f(x, factor);
    require(copies() == before, "a number was copied: " + copies() + " after " + before);
    requireSame(y.cpu(), tj::full({6}, factor * 2 + 2.5), "numbers");
  }
}

void mixedDevices(tj::Device d) {
  const tj::Tensor x = tj::ones({2}).to(d), y = tj::ones({2});
  for (bool compiled : {false, true}) {
    auto f = [&] { return x + y; };
    auto c = tj::compile(f);
    const std::string text = thrownBy<tj::device_error>([&] { compiled ? c() : f(); });
    for (const char *part : {"add", "cpu", "Ops.cpp:"}) requireContains(text, part);
    requireContains(text, d.str());
  }
  tj::Tensor target = y.clone();
  requireContains(thrownBy<tj::device_error>([&] { target.add_(x); }), "add");
}

void checks(tj::Device d) {
  const tj::Tensor x = tj::randn({4, 3}).to(d);
  const tj::Tensor good = tj::tensor({0, 2}).to(d), bad = tj::tensor({0, 3}).to(d);
  auto compiled = tj::compile([&](const tj::Tensor &i) { return tj::index_select(x, 1, i); });
  for (int call = 0; call < 2; ++call) {
    const std::string text = thrownBy<tj::index_error>([&] {
      const tj::Tensor y = call ? compiled(bad) : tj::index_select(x, 1, bad);
      y.cpu();
    });
    requireContains(text, "gather"); // which index_select is made of
    requireContains(text, "out of range");
    // The device goes on.
    requireSame((call ? compiled(good) : tj::index_select(x, 1, good)).cpu(), tj::index_select(x.cpu(), 1, good.cpu()),
                "after an index error");
  }
}

/// Checks in kernels: found at the next synchronisation, once.
void checksOfKernels(tj::Device d) {
  const tj::Tensor x = tj::randn({3, 4}).to(d), bad = tj::tensor({0, 7, -1}).to(d), good = tj::tensor({0, 3, 1}).to(d);
  auto compiled = tj::compile([&](const tj::Tensor &t) { return tj::cross_entropy(x, t); });
  const std::string onCpu = thrownBy<tj::index_error>([&] { tj::cross_entropy(x.cpu(), bad.cpu()); });
  for (int call = 0; call < 4; ++call) {
    const std::string text = thrownBy<tj::index_error>([&] {
      const tj::Tensor y = call % 2 ? compiled(bad) : tj::cross_entropy(x, bad);
      y.item();
    });
    requireContains(text, onCpu.substr(0, onCpu.find(" (")));
    requireContains(text, "Ops.cpp:");
    x.cpu(); // raised once
    requireClose(compiled(good).cpu(), tj::cross_entropy(x.cpu(), good.cpu()), "after an index error");
    // The first of two runs fails before anyone looks: told once, whatever the second did.
    thrownBy<tj::index_error>([&] {
      const tj::Tensor y = compiled(bad), z = compiled(good);
      y.item();
    });
    x.cpu();
  }
}

/// What was to be written after a check that fails keeps its contents.
void stateAfterChecks(tj::Device d) {
  const tj::Tensor x = tj::randn({2, 3}).to(d);
  const tj::Tensor good = tj::tensor({0, 2}).to(d), bad = tj::tensor({0, 3}).to(d);
  tj::Tensor state = tj::zeros({}).to(d);
  auto step = tj::compile([&](const tj::Tensor &target) {
    const tj::Tensor loss = tj::cross_entropy(x, target);
    state.add_(loss);
    return loss;
  });
  for (int call = 0; call < 2; ++call) {
    const tj::Tensor before = state.cpu().clone();
    thrownBy<tj::index_error>([&] { step(bad).cpu(); });
    requireSame(state.cpu(), before, "state after a check that failed");
    step(good);
    require(!tj::equal(state, before), "state is not written");
  }
}

void fallback(tj::Device d) {
  const tj::Tensor x = tj::randn({4, 4});
  auto compiled = tj::compile([](const tj::Tensor &t) { return t * 2.0 + 1.0; },
                              [] {
                                tj::Options options;
                                options.mode = tj::Options::Mode::NoCodegen;
                                return options;
                              }());
  requireSame(compiled(x.to(d)).cpu(), x * 2.0 + 1.0, "eager kernels");
  tj::Options noCode;
  noCode.mode = tj::Options::Mode::NoCodegen;
  auto scaled = tj::compile([](const tj::Tensor &t, double factor) { return t * factor; }, noCode);
  for (double factor : {2.0, 3.0, 4.0})
    requireSame(scaled(x.to(d), factor).cpu(), x * factor, "a host number and eager kernels");
  auto fails = tj::compile([&](const tj::Tensor &t) -> tj::Tensor {
    const tj::Tensor y = t + 1.0;
    throw std::logic_error("from the function");
  });
  thrownBy<std::logic_error>([&] { fails(x.to(d)); });
}

void breaks(tj::Device d) {
  auto f = tj::compile([](const tj::Tensor &t) {
    const tj::Tensor y = t * 2.0;
    return y.sum().item() > 0 ? y + 1.0 : y - 1.0;
  });
  requireSame(f(tj::ones({3}).to(d)).cpu(), tj::full({3}, 3.0), "one branch");
  requireSame(f(tj::full({3}, -1.0).to(d)).cpu(), tj::full({3}, -3.0), "the other");
  // A function may use two devices; each segment has one.
  auto two = tj::compile([&](const tj::Tensor &t) { return (t.to(d) * 2.0).cpu() + t; });
  for (int call = 0; call < 2; ++call) requireSame(two(tj::ones({3})), tj::full({3}, 3.0), "two devices");
  // The same function on the CPU is another path.
  requireSame(f(tj::ones({3})), tj::full({3}, 3.0), "on the CPU");
}

void kernels(tj::Device d) {
  tj::Options options;
  options.strict = true; // no eager kernels in their place
  auto f = tj::compile([](const tj::Tensor &t) { return (t * 2.0).tanh(); }, options);
  f(tj::ones({8}).to(d));
  require(f.stats().compiles == 1 && f.stats().eager_segments == 0, "it was not compiled: " + f.explain());
}

void losses(tj::Device d) {
  const tj::Tensor x = tj::randn({4, 5}), target = tj::tensor({1, 4, 0, 2}), weight = tj::rand({5});
  compare(
      d, "cross_entropy with weights", {x, target, weight}, [](auto &t) { return tj::cross_entropy(t[0], t[1], t[2]); },
      1e-5);
  const tj::Tensor q = tj::randn({2, 6, 8});
  compare(
      d, "causal attention", {q},
      [](auto &t) { return tj::scaled_dot_product_attention(t[0], t[0], t[0], {}, 0, true); }, 1e-5);
}

} // namespace

const std::vector<Case> opCases = {
    {"losses", losses},
    {"pointwise", pointwise},
    {"random numbers", randomNumbers},
    {"dropout", dropoutGradient},
    {"stored types", storedTypes},
    {"products of halves", productsOfHalves},
    {"shapes", shapes},
    {"reductions", reductions},
    {"contractions", contractions},
    {"large integers beside positions", largeIntegersBesidePositions},
    {"shared values", sharedValues},
    {"host numbers", hostNumbers},
    {"host numbers are not copied", copiesOfHostNumbers},
    {"windows", windows},
    {"mixed devices", mixedDevices},
    {"index checks", checks},
    {"index checks of kernels", checksOfKernels},
    {"state after index checks", stateAfterChecks},
    {"fallback", fallback},
    {"graph breaks", breaks},
    {"kernels", kernels},
};

} // namespace device_suite
