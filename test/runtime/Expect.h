#pragma once
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace tensorjit::test {

/// Elements in row-major order.
inline std::vector<double> values(const Tensor &t) {
  const Tensor dense = t.detach().to(kDouble).contiguous();
  const double *p = dense.data_ptr<double>();
  return {p, p + dense.numel()};
}

/// Text of the `E` that `body` throws; empty, with a failure, when it throws none.
template <class E, class F> std::string errorOf(F body) {
  try {
    body();
  } catch (const E &e) {
    return e.what();
  }
  ADD_FAILURE() << "no error of the expected type";
  return "";
}

inline void expectClose(const Tensor &t, const std::vector<double> &expected, double tolerance) {
  const auto got = values(t);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const bool same = got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]));
    if (!same) {
      EXPECT_NEAR(got[i], expected[i], tolerance) << "at " << i;
    }
  }
}

} // namespace tensorjit::test

#define EXPECT_VALUES(tensor, ...) EXPECT_EQ(::tensorjit::test::values(tensor), (std::vector<double>{__VA_ARGS__}))
