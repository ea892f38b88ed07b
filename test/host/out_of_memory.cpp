// Tensors that do not fit: an error of the library at the call, whatever asks for them, and the program goes on.
#include "Work.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/resource.h>

namespace {

constexpr int64_t billion = 1'000'000'000;

template <class Expected, class F> void expect(const char *what, F body) {
  try {
    body();
  } catch (const Expected &) {
    return;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s: another error: %s\n", what, e.what());
    _exit(1);
  }
  std::fprintf(stderr, "%s: no error\n", what);
  _exit(1);
}

} // namespace

int main() {
  Work work;
  work.run(); // libraries are open, threads are there
  // A billion f32 are 4 GB.
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = rlim_t(3) << 30;
  setrlimit(RLIMIT_AS, &limit);

  const tj::Tensor one = tj::ones({1}), wide = one.expand({billion}), column = tj::ones({50000, 1});
  expect<tj::out_of_memory>("zeros", [] { tj::zeros({billion}); });
  expect<tj::out_of_memory>("full", [] { tj::full({billion}, 3); });
  expect<tj::out_of_memory>("arange", [] { tj::arange(billion); });
  expect<tj::out_of_memory>("arange f64", [] { tj::arange(0, 1e9, 1.0); });
  expect<tj::out_of_memory>("eye", [] { tj::eye(50000); });
  expect<tj::out_of_memory>("randn", [] { tj::randn({billion}); });
  expect<tj::out_of_memory>("rand", [] { tj::rand({1000, 1000, 1000}); });
  expect<tj::out_of_memory>("randint", [] { tj::randint(0, 10, {billion}); });
  expect<tj::out_of_memory>("add", [&] { wide + 1.f; });
  expect<tj::out_of_memory>("clone", [&] { wide.clone(); });
  expect<tj::out_of_memory>("to", [&] { wide.to(tj::kFloat64); });
  expect<tj::out_of_memory>("in place", [&] {
    tj::Tensor t = tj::ones({1});
    t.set_data(wide);
    t.copy_(wide + 1.f);
  });
  expect<tj::out_of_memory>("matmul", [&] { tj::matmul(column, column.t()); });
  expect<tj::out_of_memory>("softmax", [&] { tj::softmax(wide, 0); });
  expect<tj::out_of_memory>("conv2d", [&] {
    tj::nn::functional::conv2d(one.expand({1, 1, 40000, 40000}), tj::ones({1, 1, 3, 3}));
  });
  expect<tj::out_of_memory>("dlpack", [&] { tj::to_dlpack(wide); });
  expect<tj::out_of_memory>("print", [&] { work.compiled(wide + 2.f); });
  expect<tj::out_of_memory>("compiled result", [&] {
    auto f = tj::compile([](const tj::Tensor &x) { return x.expand({billion}) * 2.f; }, testOptions());
    f(one);
  });
  expect<tj::out_of_memory>("compiled temporary", [&] {
    auto f = tj::compile(
        [](const tj::Tensor &x) {
          tj::Tensor y = (x.expand({50000, 50000}) * 2.f).exp();
          return tj::matmul(y, y).sum();
        },
        testOptions());
    f(one);
  });
  expect<tj::out_of_memory>("backward", [&] {
    tj::Tensor w = tj::ones({1}).requires_grad_();
    tj::Tensor y = w.expand({billion});
    y.backward(y.detach() * 2.f);
  });
  expect<tj::out_of_memory>("Linear", [] { tj::nn::Linear(100000, 10000); });
  const auto path = std::filesystem::temp_directory_path() / ("tensorjit-sparse-" + std::to_string(getpid()));
  {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000,), }\n";
    std::ofstream(path, std::ios::binary)
        << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
    std::filesystem::resize_file(path, 10 + header.size() + 4000000000u);
  }
  expect<tj::out_of_memory>("read_npy", [&] { tj::data::read_npy(path); });
  std::filesystem::remove(path);

  // More bytes than there are addresses.
  expect<tj::shape_error>("2^61 f64", [] { tj::zeros({int64_t(1) << 61}, tj::kFloat64); });
  expect<tj::shape_error>("2^63 elements", [] { tj::zeros({int64_t(1) << 32, int64_t(1) << 31}); });
  expect<tj::out_of_memory>("2^60 bytes", [] { tj::zeros({int64_t(1) << 60}, tj::kBool); });

  work.run();
}
