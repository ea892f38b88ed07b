// Reads and writes at positions that are data, compiled: no call of an eager kernel, the same bits, the same errors.
#include "SameBits.h"

#include <gtest/gtest.h>
#include <tensorjit/tensorjit.h>

#include <functional>

using namespace tensorjit;

namespace {

Tensor positions(const Shape &sizes, int64_t bound, DType type = kInt64) {
  return remainder(iota({sizes.numel()}, 0, kInt64) * 7919 + 13, bound).reshape(sizes).to(type);
}

Tensor numbers(const Shape &sizes) { return sin(arange(sizes.numel(), kFloat)).reshape(sizes); }

using Function = std::function<Tensor(const Tensor &, const Tensor &, const Tensor &)>;

void expectCompiled(const char *what, const Function &function, const Tensor &x, const Tensor &at, const Tensor &v) {
  auto compiled = compile([&](Tensor a, Tensor b, Tensor c) { return function(a, b, c); });
  EXPECT_TRUE(test::sameBits(compiled(x, at, v), function(x, at, v))) << what;
  const std::string why = compiled.explain();
  EXPECT_EQ(compiled.stats().eager_segments, 0) << what << why;
  EXPECT_EQ(why.find("call of an eager kernel"), std::string::npos) << what << why;
}

TEST(IndexCompiled, ReadsAreKernels) {
  for (DType type : {kFloat, kDouble, kInt8, kBFloat16})
    for (DType index : {kInt64, kInt}) {
      const Tensor x = (numbers({37, 19}) * 50).to(type), rows = positions({53}, 37, index);
      const Tensor none = zeros({1});
      expectCompiled(
          "index_select 0", [](auto x, auto at, auto) { return index_select(x, 0, at); }, x, rows, none);
      expectCompiled(
          "index_select 1", [](auto x, auto at, auto) { return index_select(x, 1, at); }, x, positions({5}, 19, index),
          none);
      expectCompiled(
          "gather 0", [](auto x, auto at, auto) { return gather(x, 0, at); }, x, positions({41, 19}, 37, index), none);
      expectCompiled(
          "gather 1", [](auto x, auto at, auto) { return gather(x, 1, at); }, x, positions({30, 23}, 19, index), none);
      expectCompiled(
          "index",
          [](auto x, auto at, auto) {
            return x.index({at, at.slice(0, 0, 1) - 1});
          },
          x, positions({11}, 19, index), none);
    }
}

TEST(IndexCompiled, ReadsStandBetweenWhatComesBeforeAndAfter) {
  const Tensor table = numbers({40, 32}), at = positions({6, 5}, 40), bias = numbers({32});
  auto layer = [](const Tensor &table, const Tensor &at, const Tensor &bias) {
    return relu(embedding(table, (at * 3 + 1).remainder(40)) * 2 + bias).sum(-1);
  };
  auto compiled = compile([&](Tensor a, Tensor b, Tensor c) { return layer(a, b, c); });
  EXPECT_TRUE(allclose(compiled(table, at, bias), layer(table, at, bias), 1e-5, 1e-6));
  EXPECT_EQ(compiled.stats().eager_segments, 0) << compiled.explain();
}

TEST(IndexCompiled, WritesAreKernels) {
  for (DType type : {kFloat, kDouble, kInt, kUInt8}) {
    const Tensor x = (numbers({37, 19}) * 50).abs().to(type), rows = positions({53}, 37);
    const Tensor v = (numbers({53, 19}) * 50).abs().to(type), w = v.transpose(0, 1).contiguous();
    expectCompiled(
        "index_add 0", [](auto x, auto at, auto v) { return index_add(x, 0, at, v); }, x, rows, v);
    expectCompiled(
        "index_copy 0", [](auto x, auto at, auto v) { return index_copy(x, 0, at, v); }, x, rows, v);
    expectCompiled(
        "index_add 1", [](auto x, auto at, auto v) { return index_add(x, 1, at, v); }, x.transpose(0, 1).contiguous(),
        rows, w);
    expectCompiled(
        "scatter_add 0", [](auto x, auto at, auto v) { return scatter_add(x, 0, at, v); }, x, positions({53, 19}, 37),
        v);
    expectCompiled(
        "scatter_add 1", [](auto x, auto at, auto v) { return scatter_add(x, 1, at, v); }, x, positions({37, 53}, 19),
        w.expand({19, 53}).transpose(0, 1).repeat({2, 3}).slice(0, 0, 37).slice(1, 0, 53));
    expectCompiled(
        "scatter 0", [](auto x, auto at, auto v) { return scatter(x, 0, at, v); }, x, positions({53, 19}, 37), v);
    expectCompiled(
        "onto zeros", [](auto x, auto at, auto v) { return index_add(zeros_like(x), 0, at, v) + x; }, x, rows, v);
    expectCompiled(
        "list of one row", [](auto x, auto at, auto v) { return index_add(x, 0, at, v); },
        x.slice(1, 0, 1).reshape({37}), rows, v.slice(1, 0, 1).reshape({53}));
  }
}

TEST(IndexCompiled, WritesInPlaceOfWhatIsNotReadAgain) {
  const Tensor x = numbers({64, 16}), at = positions({10}, 64), v = numbers({10, 16});
  expectCompiled(
      "onto a value", [](auto x, auto at, auto v) { return index_add(x * 2, 0, at, v).exp(); }, x, at, v);
  expectCompiled(
      "both live",
      [](auto x, auto at, auto v) {
        const Tensor y = x * 2;
        return index_copy(y, 0, at, v) - y;
      },
      x, at, v);
}

TEST(IndexCompiled, TheGradientOfAnEmbedding) {
  Tensor table = numbers({50, 24}).requires_grad_(), other = table.detach().clone().requires_grad_();
  const Tensor at = positions({7, 9}, 50);
  auto loss = [&](const Tensor &w) { return (embedding(w, at, 3) * embedding(w, at, 3)).sum(); };
  auto step = compile([&] {
    loss(table).backward();
    return table.grad();
  });
  loss(other).backward();
  EXPECT_TRUE(allclose(step(), other.grad(), 1e-5, 1e-6));
  EXPECT_EQ(step.stats().eager_segments, 0) << step.explain();
}

std::string errorOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const index_error &e) {
    return std::string(e.what()).substr(0, std::string(e.what()).rfind(" ("));
  }
  return "no error";
}

TEST(IndexCompiled, ErrorsAreThoseOfEager) {
  const Tensor x = numbers({5, 4}), v = numbers({3, 4});
  const Tensor bad = tensor({int64_t(0), int64_t(7), int64_t(-9)});
  const std::vector<Function> functions = {
      [](auto x, auto at, auto) { return index_select(x, 0, at); },
      [](auto x, auto at, auto) { return x.index({at}); },
      [](auto x, auto at, auto) {
        return gather(x, 0, at.reshape({3, 1}));
      },
      [](auto x, auto at, auto v) { return index_add(x, 0, at, v); },
      [](auto x, auto at, auto v) { return index_copy(x, 0, at, v); },
      [](auto x, auto at, auto v) {
        return scatter(x, 0, at.reshape({3, 1}).expand({3, 4}), v);
      },
      [](auto x, auto at, auto v) {
        return scatter_add(x, 0, at.reshape({3, 1}).expand({3, 4}), v);
      },
      [](auto, auto at, auto) { return one_hot(at, 5); },
  };
  for (const Function &function : functions) {
    auto compiled = compile([&](Tensor a, Tensor b, Tensor c) { return function(a, b, c); });
    const std::string wanted = errorOf([&] { function(x, bad, v); });
    EXPECT_NE(wanted, "no error");
    EXPECT_EQ(errorOf([&] { compiled(x, bad, v); }), wanted);
    // And the function works afterwards.
    const Tensor good = tensor({int64_t(0), int64_t(2), int64_t(4)});
    EXPECT_TRUE(test::sameBits(compiled(x, good, v), function(x, good, v)));
  }
}

TEST(IndexCompiled, StateKeepsItsContentsWhereAPositionIsWrong) {
  Tensor cache = numbers({6, 3}).clone();
  const Tensor before = cache.clone(), v = numbers({2, 3});
  auto write = compile([&](Tensor at, Tensor v) { cache.index_put_({at}, v * 2); });
  write(tensor({int64_t(1), int64_t(-1)}), v);
  EXPECT_TRUE(test::sameBits(cache.select(0, 5), v.select(0, 1) * 2));
  const Tensor kept = cache.clone();
  EXPECT_THROW(write(tensor({int64_t(1), int64_t(6)}), v), index_error);
  EXPECT_TRUE(test::sameBits(cache, kept));
}

TEST(IndexCompiled, SizesThatAreDataEndTheSegment) {
  auto f = compile([](Tensor x) {
    const Tensor big = masked_select(x * 2, x > 1);
    return big.sum() + nonzero(x).sum();
  });
  for (auto values : {std::vector<float>{0, 1, 2, 3}, {5, 0, 0, 0}, {0, 0, 0, 0}, {0, 1, 2, 3}}) {
    const Tensor x = tensor(values);
    const Tensor eager = masked_select(x * 2, x > 1).sum() + nonzero(x).sum();
    EXPECT_EQ(f(x).item(), eager.item());
  }
}

// GB-05, with a position that is data: the error comes at the end of the segment, which reading the data is.
TEST(IndexCompiled, GB05_AHandlerSeesTheErrorWhereTheValueIsRead) {
  auto f = compile([](Tensor x, Tensor at) {
    try {
      return x + index_select(x, 0, at).item();
    } catch (const index_error &) {
      return x + 2;
    }
  });
  const Tensor x = tensor({1.f, 2.f, 3.f});
  EXPECT_TRUE(equal(f(x, tensor({int64_t(10)})), x + 2));
  EXPECT_TRUE(equal(f(x, tensor({int64_t(0)})), x + 1));
}

} // namespace
