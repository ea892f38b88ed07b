/// Cases of the catalogue that are about recording: guards (CG), graph breaks (GB), in-place and detach (TR).
#include "FakeCompiler.h"
#include "tensorjit/tensorjit.h"

#include <list>
#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

using Case = WithFakeCompiler;

TEST_F(Case, CG01_ClampLimitChanges) {
  float limit = 0;
  auto compiled = compile([&](Tensor x) {
    x = x.detach().requires_grad_();
    Tensor y = clamp(x, std::nullopt, limit);
    y.sum().backward();
    return std::pair(y, x.grad());
  });
  for (float l : {0.5f, 0.7f, 1.0f}) {
    limit = l;
    auto [y, grad] = compiled(tensor({2.f}));
    EXPECT_EQ(floats(y), std::vector<float>{l});
    EXPECT_EQ(floats(grad), std::vector<float>{0});
  }
  auto [y, grad] = compiled(tensor({0.9f}));
  EXPECT_EQ(floats(y), std::vector<float>{0.9f});
  EXPECT_EQ(floats(grad), std::vector<float>{1});
}

TEST_F(Case, CG03_CapturedHelperIsReplaced) {
  std::function<Tensor(const Tensor &)> helper = [](const Tensor &x) { return x.exp() + 20.f; };
  auto compiled = compile([&](const Tensor &x) { return helper(x) + 1.f; });
  Tensor x = tensor({1.f});
  expectSame(compiled(x), x.exp() + 20.f + 1.f);
  helper = [](const Tensor &x) { return x.tanh(); };
  expectSame(compiled(x), x.tanh() + 1.f);
}

TEST_F(Case, CG07_EmbeddedConstantsAreTheirValues) {
  for (float v : {1.f, 2.f}) {
    Tensor constant = tensor({v, 10 * v});
    auto compiled = compile([&](const Tensor &x) { return x + constant; });
    EXPECT_EQ(floats(compiled(zeros({2}))), (std::vector<float>{v, 10 * v}));
  }
}

TEST_F(Case, CG11_AFailureOfTheEnvironmentIsTriedAgain) {
  std::vector<std::string> warnings;
  set_log_sink([&](std::string_view line) { warnings.emplace_back(line); });
  auto compiled = compile([](const Tensor &x) { return x * 2.f; });
  failures = 1;
  failure = Failure::Environment;
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiles, 1);
  set_log_sink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the disk is full"), std::string::npos) << warnings[0];
}

TEST_F(Case, CG13_ThreadsWithManySizes) {
  std::atomic<int> wrong{0};
  auto work = [&](int first) {
    auto compiled = compile([](const Tensor &x) { return x * x; });
    for (int round = 0; round < 2; ++round)
      for (int n = first; n < first + 40; n += 2) {
        Tensor x = arange(n, kFloat32);
        if (bytesOf(compiled(x)) != bytesOf(x * x)) ++wrong;
      }
  };
  std::thread even(work, 0), odd(work, 1);
  even.join();
  odd.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiles, 40);
}

TEST_F(Case, GB01_HostListAcrossABreak) {
  std::vector<int> list;
  auto compiled = compile([&](const Tensor &x) {
    list.push_back(1);
    Tensor y = 2.f * x;
    y.sum().item<float>();
    list.push_back(2);
    return (3.f * y).sum() + static_cast<int64_t>(list.size());
  });
  Tensor x = tensor({1.f, 2.f});
  EXPECT_EQ(floats(compiled(x)), std::vector<float>{6 * 3 + 2});
  EXPECT_EQ(floats(compiled(x)), std::vector<float>{6 * 3 + 4});
}

TEST_F(Case, GB03_ListGrowsWhileItIsWalked) {
  auto compiled = compile([](const Tensor &one) {
    std::list<int> list{1};
    for (int item : list)
      if (list.size() < 3) list.push_back(item + 1);
    int sum = 0;
    for (int item : list) sum += item;
    return sum * one;
  });
  EXPECT_EQ(floats(compiled(tensor({1.f}))), std::vector<float>{6});
  EXPECT_EQ(floats(compiled(tensor({1.f}))), std::vector<float>{6});
}

TEST_F(Case, GB05_TheHandlerOfAnErrorRuns) {
  auto compiled = compile([](const Tensor &x) {
    try {
      return select(x, 0, 10);
    } catch (const index_error &) {
      return x + 2.f;
    }
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(floats(compiled(ones({3}))), std::vector<float>(3, 3));
  EXPECT_EQ(compiles, 1);
}

TEST_F(Case, GB07_ASegmentIsUsedAgainAfterAnEmptyBranch) {
  auto compiled = compile([](const Tensor &x, const Tensor &flag) {
    if (flag.item<float>() > 0) return x * 2.f + 1.f;
    return x;
  });
  Tensor x = tensor({3.f}), yes = tensor(1.f), no = tensor(0.f);
  EXPECT_EQ(floats(compiled(x, yes)), std::vector<float>{7});
  EXPECT_EQ(floats(compiled(x, no)), std::vector<float>{3});
  EXPECT_EQ(floats(compiled(x, yes)), std::vector<float>{7});
  EXPECT_EQ(compiles, 1);
}

TEST_F(Case, TR07_InPlaceAfterDetach) {
  auto f = [](Tensor input) {
    input = input.detach().requires_grad_();
    Tensor a = 2.f * input, d = a.detach();
    a.mul_(2.f);
    a.sum().backward();
    return std::pair(input.grad(), d);
  };
  auto compiled = compile(f);
  for (int i = 0; i < 2; ++i)
    for (auto &[grad, d] : {f(ones({3})), compiled(ones({3}))}) {
      EXPECT_EQ(floats(grad), std::vector<float>(3, 4));
      EXPECT_EQ(floats(d), std::vector<float>(3, 4));
    }
}

TEST_F(Case, TR09_DetachInPlaceCutsTheTape) {
  auto f = [](const Tensor &x) {
    Tensor y = 2.f * x;
    y.detach_();
    Tensor z = y + 1.f;
    EXPECT_FALSE(y.requires_grad());
    EXPECT_FALSE(z.requires_grad());
    return z;
  };
  auto compiled = compile(f);
  Tensor x = ones({2}).requires_grad_();
  for (int i = 0; i < 2; ++i) expectSame(compiled(x), f(x));
  EXPECT_FALSE(x.grad().defined());
}

TEST_F(Case, TR11_SecondDerivative) {
  auto compiled = compile([](Tensor x) {
    x = x.detach().requires_grad_();
    Tensor f = (x * x * x).sum();
    Tensor first = autograd::grad({f}, {x}, {}, true, true)[0];
    Tensor second = autograd::grad({first.sum()}, {x})[0];
    return std::pair(first, second);
  });
  for (int i = 0; i < 2; ++i) {
    auto [first, second] = compiled(tensor({2.f}));
    EXPECT_EQ(floats(first), std::vector<float>{12});
    EXPECT_EQ(floats(second), std::vector<float>{12});
  }
}
