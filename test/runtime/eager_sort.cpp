// Order: stability, NaN, zeros, dims and layouts, every way that a list is sorted, and derivatives.
#include "Expect.h"

#include <algorithm>
#include <numeric>

using namespace tensorjit;
using namespace tensorjit::test;

TEST(EagerSort, NanAndZeros) {
  const Tensor x = tensor({0.f, NAN, -0.f, -INFINITY, INFINITY, NAN, 1.f});
  const auto [up, at] = x.sort();
  EXPECT_VALUES(at, 3, 0, 2, 6, 4, 1, 5);
  EXPECT_FALSE(std::signbit(values(up)[1]));
  EXPECT_TRUE(std::signbit(values(up)[2]));
  EXPECT_VALUES(std::get<1>(x.sort(0, true)), 1, 5, 4, 6, 0, 2, 3);
  EXPECT_VALUES(x.argsort(0, true), 1, 5, 4, 6, 0, 2, 3);
}

/// Indices of a stable sort by value.
static std::vector<double> stableOrder(const std::vector<double> &x, bool descending) {
  std::vector<double> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) {
    const double p = x[static_cast<size_t>(a)], q = x[static_cast<size_t>(b)];
    return descending ? p > q : p < q;
  });
  return order;
}

// Lengths below and above those at which lists are sorted by digits; values that repeat.
TEST(EagerSort, IsStableForEveryDTypeAndLength) {
  manual_seed(3);
  for (int64_t n : {1, 2, 63, 300, 511, 512, 3000, 70000})
    for (DType type : {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble}) {
      const Tensor x = randint(0, 100, {n}).sub(type == kByte ? 0 : 50).to(type);
      for (bool descending : {false, true}) {
        const auto [y, at] = x.sort(0, descending);
        const auto order = stableOrder(values(x), descending);
        ASSERT_EQ(values(at), order) << n << ' ' << name(type) << ' ' << descending;
        ASSERT_EQ(y.dtype(), type);
        ASSERT_EQ(values(y), values(x.index_select(0, at)));
      }
    }
}

TEST(EagerSort, AllBitsCount) {
  manual_seed(5);
  for (DType type : {kInt, kLong}) {
    const Tensor x = random_bits({5000}, type);
    EXPECT_EQ(values(std::get<1>(x.sort())), stableOrder(values(x), false));
  }
  const Tensor f = randn({5000}).exp().mul(randn({5000}));
  EXPECT_EQ(values(std::get<1>(f.sort())), stableOrder(values(f), false));
  EXPECT_EQ(values(std::get<1>(f.to(kDouble).sort(0, true))), stableOrder(values(f), true));
}

TEST(EagerSort, DimsAndLayouts) {
  manual_seed(6);
  const Tensor x = randn({3, 40, 5});
  const auto [y, at] = x.sort(1);
  EXPECT_EQ(values(gather(x, 1, at)), values(y));
  EXPECT_EQ(values(std::get<0>(x.permute({0, 2, 1}).sort(2)).permute({0, 2, 1})), values(y));
  for (int64_t i = 0; i < 39; ++i) EXPECT_TRUE(y.select(1, i).le(y.select(1, i + 1)).all().item<bool>());
  EXPECT_EQ(std::get<0>(zeros({3, 0}).sort(1)).sizes(), Shape({3, 0}));
  EXPECT_EQ(std::get<0>(zeros({0, 3}).sort(1)).sizes(), Shape({0, 3}));
  EXPECT_VALUES(std::get<1>(tensor(4.f).sort()), 0);
}

TEST(EagerSort, TopkIsTheBeginningOfSort) {
  manual_seed(7);
  for (int64_t n : {5, 100, 3000}) {
    const Tensor x = randint(0, 50, {4, n}).to(kFloat);
    for (int64_t k : {int64_t(0), int64_t(1), int64_t(5), n / 30 + 1, n / 4, n / 2, n})
      for (bool largest : {false, true}) {
        const auto [y, at] = x.topk(k, 1, largest);
        const auto [all, order] = x.sort(1, largest);
        ASSERT_EQ(values(at), values(order.slice(1, 0, k))) << n << ' ' << k;
        ASSERT_EQ(values(y), values(all.slice(1, 0, k)));
      }
  }
  const Tensor wide = random_bits({3000}, kLong);
  EXPECT_EQ(values(std::get<1>(wide.topk(9))), values(std::get<1>(wide.sort(0, true)).slice(0, 0, 9)));
  EXPECT_VALUES(std::get<1>(tensor({1.f, NAN, 3.f, NAN}).topk(3)), 1, 3, 2);
  const std::string text = errorOf<shape_error>([] { ones({2, 3}).topk(4); });
  EXPECT_NE(text.find("topk: k is 4, but dim 1 of [2x3] has size 3"), std::string::npos) << text;
  errorOf<shape_error>([] { ones({3}).topk(-1); });
  errorOf<index_error>([] { ones({3}).topk(1, 1); });
}

TEST(EagerSort, KthAndMedian) {
  const Tensor x = tensor({{4.f, 1.f, 3.f, 2.f}, {8.f, 8.f, NAN, NAN}});
  const auto [third, where] = x.select(0, 0).kthvalue(3);
  EXPECT_EQ(third.item<double>(), 3);
  EXPECT_EQ(where.item<int64_t>(), 2);
  const auto [m, at] = x.median(1);
  EXPECT_EQ(values(m)[0], 2);
  EXPECT_TRUE(std::isnan(values(m)[1]));
  EXPECT_VALUES(at, 3, 2);
  EXPECT_EQ(std::get<0>(x.median(1, true)).sizes(), Shape({2, 1}));
  EXPECT_TRUE(std::isnan(x.median().item<double>()));
  EXPECT_EQ(tensor({3, 1, 2, 9}).median().item<int64_t>(), 2);
  EXPECT_EQ(tensor(5.f).median().item<double>(), 5);
  errorOf<shape_error>([] { ones({3}).kthvalue(0); });
  errorOf<shape_error>([] { ones({3}).kthvalue(4); });
  errorOf<shape_error>([] { zeros({2, 0}).median(1); });
  errorOf<shape_error>([] { zeros({0}).median(); });
}

TEST(EagerSort, GradientsGoWhereTheElementsWere) {
  Tensor x = tensor({3.f, 1.f, 2.f}).requires_grad_();
  const Tensor w = tensor({1.f, 10.f, 100.f});
  sum(mul(std::get<0>(x.sort()), w)).backward();
  EXPECT_VALUES(x.grad(), 100, 1, 10);
  x.mutable_grad() = {};
  sum(mul(std::get<0>(x.topk(2)), w.slice(0, 0, 2))).backward();
  EXPECT_VALUES(x.grad(), 1, 0, 10);
  x.mutable_grad() = {};
  x.median().backward();
  EXPECT_VALUES(x.grad(), 0, 0, 1);
}

TEST(EagerSort, Searching) {
  const Tensor row = tensor({1.f, 3.f, 3.f, 5.f}), v = tensor({3.f, 0.f, 9.f, NAN, INFINITY});
  EXPECT_VALUES(searchsorted(row, v), 1, 0, 4, 4, 4);
  EXPECT_VALUES(searchsorted(row, v, true), 3, 0, 4, 4, 4);
  EXPECT_VALUES(searchsorted(tensor({1.f, NAN, NAN}), tensor({NAN, INFINITY}), false), 1, 1);
  EXPECT_VALUES(searchsorted(tensor({1.f, NAN, NAN}), tensor({NAN, INFINITY}), true), 3, 1);
  EXPECT_VALUES(searchsorted(tensor({{1, 2}, {3, 4}}), tensor({{2}, {2}})), 1, 0);
  EXPECT_VALUES(searchsorted(tensor({1, 2, 3}), tensor(2.5f)), 2); // an integer row and a float meet at f32
  EXPECT_EQ(searchsorted(zeros({0}), v).sizes(), Shape({5}));
  EXPECT_EQ(searchsorted(row, zeros({3, 0})).sizes(), Shape({3, 0}));
  errorOf<shape_error>([&] { searchsorted(ones({2, 3}), ones({3, 3})); });
  errorOf<shape_error>([&] { searchsorted(tensor(1.f), v); });
}
