// Hooks, user-written functions, and views that the tape cannot follow.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

TEST(AutogradHooks, RunInOrderOnTheWholeGradientOfALeaf) {
  Tensor x = tensor({1.f, 2.f}).requires_grad_();
  int calls = 0;
  x.register_hook([&](const Tensor &g) {
    ++calls;
    EXPECT_VALUES(g, 5, 5); // both uses have been added
    return g * 2;
  });
  x.register_hook([](const Tensor &g) { return g + 1; });
  (x * 2 + x * 3).sum().backward();
  EXPECT_EQ(calls, 1);
  EXPECT_VALUES(x.grad(), 11, 11);
}

TEST(AutogradHooks, OfAResultChangeWhatItsOperandsGet) {
  Tensor x = tensor({1.f, 2.f}).requires_grad_(), y = x * 2, seen;
  const size_t hook = y.register_hook([&](const Tensor &g) {
    seen = g;
    return Tensor(); // unchanged
  });
  y.register_hook([](const Tensor &g) { return g * 10; });
  (y * 3).sum().backward();
  EXPECT_VALUES(seen, 3, 3);
  EXPECT_VALUES(x.grad(), 60, 60);
  y.remove_hook(hook);
}

TEST(AutogradHooks, AreSeenByGradAndRefusedWithoutATape) {
  Tensor x = tensor({1.f}).requires_grad_();
  x.register_hook([](const Tensor &g) { return g * 4; });
  EXPECT_VALUES(autograd::grad({x * 2}, {x})[0], 8);
  errorOf<grad_error>([] { ones({2}).register_hook([](const Tensor &g) { return g; }); });
  Tensor y = tensor({1.f, 1.f}).requires_grad_();
  y.register_hook([](const Tensor &) { return ones({3}); });
  errorOf<shape_error>([&] { y.sum().backward(); });
}

namespace {

/// exp, whose derivative reads its result.
struct UserExp : autograd::Function<UserExp> {
  static Tensor forward(autograd::AutogradContext *ctx, const Tensor &x) {
    Tensor y = exp(x);
    ctx->save_for_backward({y});
    return y;
  }
  static autograd::variable_list backward(autograd::AutogradContext *ctx, autograd::variable_list g) {
    return {g[0] * ctx->get_saved_variables()[0]};
  }
};

/// Two results, an argument that is no tensor, and one that gets no gradient.
struct SumAndProduct : autograd::Function<SumAndProduct> {
  static autograd::variable_list forward(autograd::AutogradContext *ctx, const Tensor &a, const Tensor &b, int times) {
    ctx->save_for_backward({a, b});
    ctx->saved_data["times"] = times;
    EXPECT_FALSE(GradMode::is_enabled());
    return {a + b, a * b * times};
  }
  static autograd::variable_list backward(autograd::AutogradContext *ctx, autograd::variable_list g) {
    EXPECT_EQ(g.size(), 2u);
    const auto &saved = ctx->get_saved_variables();
    const int times = std::any_cast<int>(ctx->saved_data["times"]);
    EXPECT_TRUE(ctx->needs_input_grad(0));
    EXPECT_FALSE(ctx->needs_input_grad(1));
    return {g[0] + g[1] * saved[1] * times, Tensor(), Tensor()};
  }
};

struct WrongCount : autograd::Function<WrongCount> {
  static Tensor forward(autograd::AutogradContext *, const Tensor &x) { return x * 1; }
  static autograd::variable_list backward(autograd::AutogradContext *, autograd::variable_list) { return {}; }
};

struct WrongSizes : autograd::Function<WrongSizes> {
  static Tensor forward(autograd::AutogradContext *, const Tensor &x) { return x.sum(); }
  static autograd::variable_list backward(autograd::AutogradContext *, autograd::variable_list g) { return g; }
};

struct Identity : autograd::Function<Identity> {
  static Tensor forward(autograd::AutogradContext *, const Tensor &x) { return x; }
  static autograd::variable_list backward(autograd::AutogradContext *, autograd::variable_list g) { return {g[0] * 7}; }
};

} // namespace

TEST(AutogradFunction, OwnDerivativeIsUsedAndDifferentiatedAgain) {
  Tensor x = tensor({0.f, 1.f}).requires_grad_();
  const Tensor first = autograd::grad({UserExp::apply(x).sum()}, {x}, {}, true, /*create_graph=*/true)[0];
  EXPECT_TRUE(allclose(first.detach(), exp(x.detach())));
  const Tensor second = autograd::grad({first.sum()}, {x})[0];
  EXPECT_TRUE(allclose(second, exp(x.detach())));
}

TEST(AutogradFunction, SeveralResultsAndArguments) {
  Tensor a = tensor({2.f}).requires_grad_(), b = tensor({3.f});
  auto results = SumAndProduct::apply(a, b, 4);
  EXPECT_VALUES(results[0], 5);
  EXPECT_VALUES(results[1], 24);
  results[1].backward(); // the other result's gradient is zeros
  EXPECT_VALUES(a.grad(), 12);
  EXPECT_FALSE(b.grad().defined());
}

TEST(AutogradFunction, SavedValuesKeepTheirContents) {
  Tensor a = tensor({2.f}).requires_grad_(), b = tensor({3.f});
  auto results = SumAndProduct::apply(a, b, 1);
  b.add_(100);
  results[1].backward();
  EXPECT_VALUES(a.grad(), 3);
}

TEST(AutogradFunction, AnArgumentReturnedAsItIsHasAGradientOfItsOwn) {
  Tensor x = tensor({2.f}).requires_grad_();
  const Tensor y = Identity::apply(x);
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 7);
  EXPECT_TRUE(x.is_leaf());
}

TEST(AutogradFunction, WithoutATapeForwardAloneRuns) {
  Tensor x = tensor({2.f}).requires_grad_();
  NoGradGuard noGrad;
  EXPECT_FALSE(UserExp::apply(x).requires_grad());
}

TEST(AutogradFunction, WrongGradientsAreRefused) {
  Tensor x = tensor({2.f, 3.f}).requires_grad_();
  errorOf<grad_error>([&] { WrongCount::apply(x).sum().backward(); });
  errorOf<shape_error>([&] { WrongSizes::apply(x).backward(); });
}

TEST(AutogradViews, AViewMadeUnderNoGradTakesNoTrackedValue) {
  Tensor w = tensor({5.f}).requires_grad_(), base = zeros({3});
  Tensor view;
  {
    NoGradGuard noGrad;
    view = base.slice(0, 1, 2);
  }
  errorOf<grad_error>([&] { view.copy_(w); });
  EXPECT_VALUES(base, 0, 0, 0);
  view.fill_(4); // a value without gradient
  EXPECT_VALUES(base, 0, 4, 0);
  NoGradGuard noGrad;
  view.copy_(w);
  EXPECT_VALUES(base, 0, 5, 0);
}
