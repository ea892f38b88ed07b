// Distances of 2,000 points to one point: as a loop over rows, and as the few ops that say the same for all rows.
#include <chrono>
#include <cstdio>
#include <tensorjit/tensorjit.h>

namespace tj = tensorjit;

namespace {

/// Three ops and a write for every row.
tj::Tensor byLoop(const tj::Tensor &points, const tj::Tensor &centre) {
  auto distances = tj::zeros({points.size(0)});
  for (int64_t i = 0; i < points.size(0); ++i) {
    auto difference = points.select(0, i) - centre;
    distances.select(0, i).copy_((difference * difference).sum().sqrt());
  }
  return distances;
}

/// The same ops once, on all rows: one kernel when compiled.
tj::Tensor vectorised(const tj::Tensor &points, const tj::Tensor &centre) {
  auto difference = points - centre;
  return (difference * difference).sum(1).sqrt();
}

template <class F> tj::Tensor timed(const char *name, F f, const tj::Tensor &points, const tj::Tensor &centre) {
  f(points, centre); // compiles, where there is something to compile
  auto start = std::chrono::steady_clock::now();
  auto result = f(points, centre);
  result.data_ptr();
  std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%-24s %9.3f ms\n", name, took.count());
  return result;
}

} // namespace

int main() {
  auto points = tj::randn({2000, 64}), centre = tj::randn({64});
  auto expected = timed("loop, eager", byLoop, points, centre);
  auto vector = timed("vectorised, eager", vectorised, points, centre);
  auto compiled = timed("vectorised, compiled", tj::compile(vectorised), points, centre);
  bool same = tj::allclose(vector, expected, 1e-5, 1e-5) && tj::allclose(compiled, expected, 1e-5, 1e-5);
  std::printf("results %s\n", same ? "agree" : "differ");
  return same ? 0 : 1;
}
