/// The stale captures with the real compiler: bits equal where only exact ops are involved, else within a few ulp of
/// the values at hand, since sums may be taken in another order.
#include "StaleCaptures.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tensorjit;
using namespace tensorjit::testing;

namespace {

double maxDifference(const Tensor &a, const Tensor &b) {
  Tensor x = a.detach().to(kFloat64).contiguous(), y = b.detach().to(kFloat64).contiguous();
  const double *p = x.data_ptr<double>(), *q = y.data_ptr<double>();
  double most = 0;
  for (int64_t i = 0; i < x.numel(); ++i) most = std::max(most, std::abs(p[i] - q[i]) / (1 + std::abs(q[i])));
  return most;
}

template <class World> void follow(const std::string &name, World &plain, World &traced, double tolerance) {
  Options options;
  options.strict = true;
  auto compiled = compile([&traced] { return traced.run(); }, options);
  int call = 0;
  for (int k : {0, 1, 0, 1, 1, 0}) {
    plain.prepare(k);
    traced.prepare(k);
    Tensors want = plain.run(), got = compiled();
    ASSERT_EQ(want.size(), got.size()) << name;
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(got[i].defined(), want[i].defined()) << name;
      if (!want[i].defined()) continue;
      ASSERT_EQ(got[i].sizes(), want[i].sizes()) << name;
      ASSERT_EQ(got[i].dtype(), want[i].dtype()) << name;
      EXPECT_LE(maxDifference(got[i], want[i]), tolerance) << name << ", call " << call << ", result " << i;
    }
    ++call;
  }
}

} // namespace

TEST(StaleCapture, EveryToggleIsSeenByCompiledCode) {
  forEachStaleCapture([](const std::string &name, auto world) {
    using World = decltype(world);
    World plain, traced;
    // Sums over at most 18 elements; everything else is exact or one shared function.
    follow(name, plain, traced, World::exact ? 0 : 1e-6);
  });
}

TEST(StaleCapture, NestedCompile) {
  NestedCompile plain, traced;
  follow("nested compile", plain, traced, 0);
}
