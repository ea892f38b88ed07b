// What the project's own CUDA code generator prints, compiled by NVRTC and executed.
#include "Device.h"

#include <cmath>
#include <cstdio>
#include <random>

namespace {

class Generated : public Device {
protected:
  static std::string ptx() {
    static const std::string text = [] {
      std::string command = CUDASIM_TRANSLATE " --kernel-to-ptx --nvrtc=" CUDASIM_NVRTC " " CUDASIM_KERNELS, out;
      FILE *pipe = popen(command.c_str(), "r");
      char part[4096];
      for (size_t n; (n = std::fread(part, 1, sizeof part, pipe));) out.append(part, n);
      EXPECT_EQ(pclose(pipe), 0) << command;
      return out;
    }();
    return text;
  }
  static std::vector<float> random(size_t count) {
    std::mt19937 engine(5);
    std::normal_distribution<float> values;
    std::vector<float> out(count);
    for (float &v : out) v = values(engine);
    return out;
  }
  /// Launched as the generator means it: blocks of the kernel's own thread limit.
  template <class... A> CUresult start(const char *name, unsigned blocks, A... arguments) {
    CUfunction f = load(ptx(), name);
    int threads = 0;
    EXPECT_EQ(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f), CUDA_SUCCESS);
    return run(f, {blocks}, {static_cast<unsigned>(threads)}, 0, arguments...);
  }
};

TEST_F(Generated, PointwiseRoundsAfterEachStep) {
  const int n = 1000;
  auto x = random(n), y = random(2 * n);
  y.erase(y.begin(), y.begin() + n);
  CUdeviceptr px = upload(x), py = upload(y), pz = allocate(n * 4);
  ASSERT_EQ(start("axpy_0", 4, px, py, pz), CUDA_SUCCESS);
  auto z = download<float>(pz, n);
  for (int i = 0; i < n; ++i) {
    float p = x[i] * y[i];
    ASSERT_EQ(z[i], (p + y[i]) / x[i]) << i; // to the bit: nothing is contracted
  }
}

TEST_F(Generated, SoftmaxReducesARow) {
  const int rows = 128, n = 1000;
  auto x = random(rows * n);
  CUdeviceptr px = upload(x), py = allocate(rows * n * 4);
  ASSERT_EQ(start("softmax_1", rows, px, py), CUDA_SUCCESS);
  auto y = download<float>(py, rows * n);
  for (int r = 0; r < rows; ++r) {
    double largest = -INFINITY, sum = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, double(x[r * n + i]));
    for (int i = 0; i < n; ++i) sum += std::exp(x[r * n + i] - largest);
    for (int i = 0; i < n; ++i) // exp within 2 ulp, a sum of 1000 terms in f32, a division
      ASSERT_NEAR(y[r * n + i], std::exp(x[r * n + i] - largest) / sum, 2e-6 * std::exp(x[r * n + i] - largest) / sum);
  }
}

TEST_F(Generated, ClassesArePickedAndChecked) {
  const int rows = 32, n = 10;
  auto x = random(rows * n);
  std::vector<long long> classes(rows), best(rows, 0);
  std::vector<float> loss(rows);
  for (int r = 0; r < rows; ++r) {
    classes[r] = r * 7 % n;
    loss[r] = x[r * n + classes[r]];
    for (int i = 1; i < n; ++i)
      if (x[r * n + i] > x[r * n + best[r]]) best[r] = i;
  }
  CUdeviceptr px = upload(x), pc = upload(classes), pl = allocate(rows * 4), pb = allocate(rows * 8),
              error = upload(std::vector<unsigned long long>{~0ull});
  ASSERT_EQ(start("pick_2", rows, px, pc, pl, pb, error), CUDA_SUCCESS);
  EXPECT_EQ(download<float>(pl, rows), loss);
  EXPECT_EQ(download<long long>(pb, rows), best);
  EXPECT_EQ(download<unsigned long long>(error, 1)[0], ~0ull);
  classes[9] = -1;
  classes[5] = 10;
  CUdeviceptr bad = upload(classes);
  ASSERT_EQ(start("pick_2", rows, px, bad, pl, pb, error), CUDA_SUCCESS);
  EXPECT_EQ(download<unsigned long long>(error, 1)[0], 5ull); // check 0 at the first bad row, whatever ran first
}

} // namespace
