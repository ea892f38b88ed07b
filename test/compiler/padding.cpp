// Padding is no factor: beside an infinite or NaN weight or gradient it makes no NaN. The plain loops of f64, which
// leave padding out, say what is right.
#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/ops.h"
#include "tensorjit/random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace tensorjit;

namespace {

using Operands = std::vector<Tensor>;

template <class F> void expectNoMoreNaN(const char *what, F f, const Operands &operands) {
  Operands exactOperands;
  for (const Tensor &t : operands) exactOperands.push_back(t.to(kDouble));
  const Tensor exact = f(exactOperands).contiguous();
  auto compiled = compile([&] { return f(operands); });
  const Tensor got = compiled().to(kDouble).contiguous();
  EXPECT_EQ(compiled.stats().eager_segments, 0) << what;
  int64_t wrong = 0;
  for (int64_t i = 0; i < exact.numel(); ++i) {
    const double e = exact.data_ptr<double>()[i], g = got.data_ptr<double>()[i];
    const bool agrees =
        std::isfinite(e) ? std::fabs(g - e) <= 1e-3 * (1 + std::fabs(e)) : e == g || (std::isnan(e) && std::isnan(g));
    wrong += !agrees;
  }
  EXPECT_EQ(wrong, 0) << what << " of " << exact.numel();
}

/// `t` whose first place along the last dim holds `value`.
Tensor with(const Tensor &t, float value) {
  Tensor copy = t.clone();
  copy.select(-1, 0).fill_(value);
  return copy;
}

} // namespace

TEST(Padding, IsNotMultiplied) {
  manual_seed(1);
  for (float value : {INFINITY, NAN})
    for (auto [c, size] : {std::pair<int64_t, int64_t>{1, 7}, {4, 28}}) {
      SCOPED_TRACE(std::to_string(value) + " of " + std::to_string(c) + " channels of " + std::to_string(size));
      // Positive numbers, so that infinities of both signs do not meet.
      const Tensor x = rand({2, c, size, size}) + 0.5, w = with(rand({20, c, 3, 3}) + 0.5, value);
      const Tensor g = with(rand({2, 20, size, size}) + 0.5, value), clean = rand({2, 20, size, size}) + 0.5;
      expectNoMoreNaN("conv", [](const Operands &t) { return conv2d(t[0], t[1], {}, 1, 1); }, {x, w});
      expectNoMoreNaN("conv of a result", [](const Operands &t) { return conv2d(relu(t[0]), t[1], {}, 1, 1); }, {x, w});
      expectNoMoreNaN("stride", [](const Operands &t) { return conv2d(relu(t[0]), t[1], {}, 2, 1); }, {x, w});
      expectNoMoreNaN("dilation", [](const Operands &t) { return conv2d(relu(t[0]), t[1], {}, 1, 2, 2); }, {x, w});
      expectNoMoreNaN("bias and relu", [](const Operands &t) { return relu(conv2d(t[0], t[1], t[2], 1, 1)); },
                      {x, w, rand({20})});
      expectNoMoreNaN("signals",
                      [](const Operands &t) { return conv1d(select(t[0], 2, 0), select(t[1], 2, 1), {}, 1, 1); },
                      {x, w});
      expectNoMoreNaN("weight gradient",
                      [&](const Operands &t) { return conv2d_weight_grad(t[0], t[1], w.sizes(), 1, 1); }, {g, x});
      expectNoMoreNaN("volumes", [](const Operands &t) { return conv3d(t[0], t[1], {}, 1, 1); },
                      {reshape(x, {1, 2 * c, 1, size, size}), with(rand({5, 2 * c, 1, 3, 3}) + 0.5, value)});
      if (c == 1) continue; // one column of results is no tile of a product
      expectNoMoreNaN("input gradient",
                      [&](const Operands &t) { return conv2d_input_grad(t[0], t[1], x.sizes(), 1, 1); }, {clean, w});
      expectNoMoreNaN("transposed", [&](const Operands &t) { return conv_transpose2d(t[0], t[1], {}, 2, 1); },
                      {clean, with(rand({20, c, 4, 4}) + 0.5, value)});
    }
}
