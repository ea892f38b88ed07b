#pragma once
/// Forty-odd ways in which a function's world changes between two calls. Each is a struct with `prepare(k)`, which
/// switches the world to one of two states, and `run()`, the function; three calls go through states 0, 1, 0. A
/// compiled function must follow each change as the plain one does, bit for bit where the world is `exact` (no sums).
#include "tensorjit/tensorjit.h"

#include <any>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tensorjit::testing {

using Tensors = std::vector<Tensor>;

inline Tensor ramp(const Shape &sizes, double scale = 0.25) {
  return reshape(arange(sizes.numel(), kFloat32) * scale - 1.f, sizes);
}

struct GradModeToggle {
  static constexpr bool exact = true;
  Tensor w = ramp({4}).requires_grad_();
  bool grad = true;
  void prepare(int k) { grad = k == 0; }
  Tensors run() {
    AutoGradMode mode(grad);
    Tensor y = w * w;
    return {y, y.requires_grad() ? ones({1}) : zeros({1})};
  }
};

struct FrozenParameter {
  static constexpr bool exact = false;
  Tensor a = ramp({4}).requires_grad_(), b = ramp({4}, 0.5).requires_grad_();
  void prepare(int k) { b.requires_grad_(k == 0); }
  Tensors run() {
    a.mutable_grad() = b.mutable_grad() = Tensor();
    (a * b * b).sum().backward();
    return {a.grad(), b.grad()};
  }
};

struct ReboundTensor {
  static constexpr bool exact = true;
  Tensor first = ramp({3}), second = ramp({3}, 2), current;
  void prepare(int k) { current = k ? second : first; }
  Tensors run() { return {current * 2.f + 1.f}; }
};

struct GradientNoneOrDefined {
  static constexpr bool exact = false;
  Tensor w = ramp({3}).requires_grad_();
  void prepare(int k) { w.mutable_grad() = k ? ramp({3}, 3) : Tensor(); }
  Tensors run() {
    (w * w).sum().backward();
    return {w.grad()};
  }
};

struct SameTensorTwice {
  static constexpr bool exact = true;
  Tensor a = ramp({3}), b = ramp({3}, 2), left, right;
  void prepare(int k) {
    left = a.clone();
    right = k ? b.clone() : left;
  }
  Tensors run() {
    left.add_(1); // visible through `right` where both are one tensor
    return {left * right, right - left};
  }
};

struct ViewLeafWithBaseWritten {
  static constexpr bool exact = true;
  Tensor base = ramp({2, 3}), row = select(base, 0, 1);
  bool before = true;
  void prepare(int k) { before = k == 0; }
  Tensors run() {
    if (before) base.mul_(2);
    Tensor y = row + 1.f;
    if (!before) base.add_(3);
    return {y, row * 1.f, base};
  }
};

struct LearningRate {
  static constexpr bool exact = false;
  Tensor w = ramp({3}).requires_grad_();
  double lr = 0;
  void prepare(int k) { lr = k ? 0.01 : 0.5; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    (w * w).sum().backward();
    NoGradGuard guard;
    sgd_(w, w.grad(), lr, 0.1);
    return {w};
  }
};

struct Momentum {
  static constexpr bool exact = false;
  nn::Linear layer = nn::Linear(3, 2);
  optim::SGD sgd;
  Tensor x = ramp({4, 3});
  Momentum() : sgd(layer->parameters(), optim::SGDOptions(0.1).momentum(0.9)) {
    NoGradGuard guard;
    for (Tensor &p : params()) p.copy_(ramp(p.sizes(), 0.1));
  }
  Tensors params() { return layer->parameters(); }
  void prepare(int k) {
    static_cast<optim::SGDOptions &>(sgd.param_groups()[0].options()).momentum(k ? 0.5 : 0.9).lr(k ? 0.05 : 0.1);
  }
  Tensors run() {
    sgd.zero_grad();
    layer(x).square().mean().backward();
    sgd.step();
    return params();
  }
};

/// Step counts and rates go into the step as arguments: no two calls have the same.
template <class Optimizer, class Options> struct AdamWithScheduler {
  static constexpr bool exact = false;
  Tensor w = ramp({5}).requires_grad_();
  Optimizer adam{{w}, Options(0.1)};
  optim::ExponentialLR schedule{adam, 0.7};
  void prepare(int k) {
    if (k) schedule.step();
    static_cast<Options &>(adam.param_groups()[0].options()).weight_decay(k ? 0.3 : 0.1);
  }
  Tensors run() {
    adam.zero_grad();
    (w * w).sum().backward();
    adam.step();
    return {w};
  }
};

struct TrainOrEval {
  static constexpr bool exact = true;
  struct Net : nn::Module {
    Tensor forward(const Tensor &x) { return is_training() ? x * 3.f : x - 1.f; }
  } net;
  Tensor x = ramp({5});
  void prepare(int k) { net.train(k == 0); }
  Tensors run() { return {net.forward(x)}; }
};

struct HostLoopLength {
  static constexpr bool exact = true;
  Tensor x = ramp({3});
  int n = 0;
  void prepare(int k) { n = k ? 5 : 2; }
  Tensors run() {
    Tensor y = x;
    for (int i = 0; i < n; ++i) y = y * x + 1.f;
    return {y};
  }
};

struct CapturedBool {
  static constexpr bool exact = true;
  Tensor x = ramp({3});
  bool flag = false;
  void prepare(int k) { flag = k; }
  Tensors run() { return {flag ? x.exp() : x.neg()}; }
};

struct SwappedSubmodule {
  static constexpr bool exact = true;
  struct Activation : nn::Module {
    bool tanh = false;
    Tensor forward(const Tensor &x) { return tanh ? x.tanh() : x.relu(); }
  };
  std::shared_ptr<Activation> a = std::make_shared<Activation>(), b = std::make_shared<Activation>(), used;
  Tensor x = ramp({6});
  SwappedSubmodule() { b->tanh = true; }
  void prepare(int k) { used = k ? b : a; }
  Tensors run() { return {used->forward(x)}; }
};

template <DType Other> struct DTypeOfInput {
  static constexpr bool exact = true;
  Tensor x;
  void prepare(int k) { x = k ? ramp({3}).to(Other) : ramp({3}); }
  Tensors run() { return {x * 2 + 0.1}; }
};

struct BatchSize {
  static constexpr bool exact = false;
  Tensor w = ramp({3}), x;
  void prepare(int k) { x = ramp({k ? 7 : 4, 3}); }
  Tensors run() { return {(x * w).sum({1}), x.sum()}; }
};

struct SizeOne {
  static constexpr bool exact = true;
  Tensor w = ramp({4}), x;
  void prepare(int k) { x = ramp({k ? 1 : 4}); }
  Tensors run() { return {x + w, x * 2.f}; }
};

struct ExceptionAndRetry {
  static constexpr bool exact = true;
  Tensor state = zeros({2});
  bool fail = false;
  void prepare(int k) { fail = k; }
  Tensors run() {
    state.add_(1);
    try {
      if (fail) {
        state.mul_(2);
        state + ones({7});
      }
    } catch (const shape_error &) {
      state.sub_(0.5);
    }
    return {state * 1.f};
  }
};

struct BranchOnItem {
  static constexpr bool exact = false;
  Tensor x;
  void prepare(int k) { x = k ? ramp({3}) - 5.f : ramp({3}) + 5.f; }
  Tensors run() {
    if (x.sum().item<float>() > 0) return {x * 2.f};
    return {x.abs()};
  }
};

struct NestedCompile {
  static constexpr bool exact = true;
  float factor = 1;
  CompiledFunction<std::function<Tensor(const Tensor &)>> inner =
      compile(std::function<Tensor(const Tensor &)>([this](const Tensor &x) { return x * factor; }));
  Tensor x = ramp({3});
  void prepare(int k) { factor = k ? 3 : 2; }
  Tensors run() { return {inner(x) + 1.f}; }
};

struct HostScalar {
  static constexpr bool exact = true;
  Tensor x = ramp({3});
  double a = 0;
  int64_t b = 0;
  void prepare(int k) {
    a = k ? 0.1 : 0.7;
    b = k ? 3 : 4;
  }
  Tensors run() { return {x * a - b, clamp(x, -a, a)}; }
};

struct InPlaceOnCapture {
  static constexpr bool exact = true;
  Tensor state = zeros({3}), x = ramp({3});
  bool reset = false;
  void prepare(int k) { reset = k; }
  Tensors run() {
    if (reset) state.zero_();
    state.add_(x);
    return {state};
  }
};

struct DetachedOrNot {
  static constexpr bool exact = false;
  Tensor w = ramp({3}).requires_grad_();
  bool cut = false;
  void prepare(int k) { cut = k; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    Tensor y = w * 2.f;
    if (cut) y = y.detach();
    (w * y).sum().backward();
    return {w.grad()};
  }
};

struct ShapeOfView {
  static constexpr bool exact = false;
  Tensor x = ramp({2, 6});
  bool wide = false;
  void prepare(int k) { wide = k; }
  Tensors run() { return {reshape(x, wide ? Shape{3, 4} : Shape{4, 3}).sum({0})}; }
};

struct EditedBetweenCalls {
  static constexpr bool exact = true;
  Tensor w = ramp({3});
  void prepare(int k) { w.add_(k ? 1 : -2); }
  Tensors run() { return {w * w}; }
};

struct GrowingHostList {
  static constexpr bool exact = false;
  std::vector<float> list;
  Tensor x = ramp({3});
  void prepare(int) {}
  Tensors run() {
    list.push_back(1);
    Tensor y = 2.f * x;
    y.sum().item<float>();
    list.push_back(2);
    return {(3.f * y).sum() + static_cast<float>(list.size())};
  }
};

/// Small whole numbers: sums of a few thousand of their products are exact in f32.
inline Tensor wholeNumbers(const Shape &sizes) {
  std::vector<float> values(static_cast<size_t>(sizes.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 5) - 2.f;
  return reshape(tensor(values), sizes);
}

/// What another compiled function has made may lie in memory in an order of its own.
struct OtherFunctionsResult {
  static constexpr bool exact = true;
  nn::Conv2d conv = nn::Conv2d(3, 16, 1);
  CompiledFunction<std::function<Tensor(const Tensor &)>> other =
      compile(std::function<Tensor(const Tensor &)>([this](const Tensor &x) { return relu(conv(x)); }));
  Tensor x = wholeNumbers({2, 3, 6, 6}), image;
  OtherFunctionsResult() {
    NoGradGuard guard;
    for (Tensor &p : conv->parameters()) p.copy_(wholeNumbers(p.sizes()));
  }
};

struct ReorderedOrNot : OtherFunctionsResult {
  void prepare(int k) {
    NoGradGuard guard;
    image = other(x * (k + 1.f));
    if (k) image = image.clone();
  }
  Tensors run() {
    return {image * 2.f, image.sum({1}), select(image, 0, 1) + 1.f, conv2d(image, wholeNumbers({4, 16, 1, 1}))};
  }
};

struct ReorderedViewed : OtherFunctionsResult {
  Tensor flat, row, turned;
  void prepare(int k) {
    NoGradGuard guard;
    image = other(x * (k + 1.f));
    flat = flatten(image, 1);
    row = select(image, 0, k);
    turned = permute(image, {3, 1, 0, 2});
  }
  Tensors run() { return {flat * 2.f, row + 1.f, turned - 1.f, matmul(flat, t(flat))}; }
};

struct ReorderedWritten : OtherFunctionsResult {
  int k = 0;
  void prepare(int state) {
    NoGradGuard guard;
    k = state;
    image = other(x * (k + 1.f));
    if (k) select(image, 1, 3).mul_(2.f);
  }
  Tensors run() {
    NoGradGuard guard;
    Tensor before = image * 1.f;
    image.add_(1.f);
    if (!k) select(image, 2, 1).zero_();
    return {before, image, image * 3.f};
  }
};

struct ReorderedSavedTwice : OtherFunctionsResult {
  Tensor leaf, once;
  void prepare(int k) {
    conv->weight.mutable_grad() = Tensor();
    leaf = (x * (k + 1.f)).requires_grad_();
    image = other(leaf);
    once = (image * image).sum();
    if (k) image.detach().add_(1.f); // what the tape has saved stays
  }
  Tensors run() {
    Tensor loss = once + (image * image * image).sum();
    loss.backward();
    return {leaf.grad(), conv->weight.grad(), loss.detach()};
  }
};

struct InferenceModeToggle {
  static constexpr bool exact = true;
  Tensor w = ramp({4}).requires_grad_();
  bool inference = false;
  void prepare(int k) { inference = k == 1; }
  Tensors run() {
    InferenceMode mode(inference);
    Tensor y = w * 2.f;
    return {y, y.requires_grad() ? ones({1}) : zeros({1})};
  }
};

/// One tape walked once or twice.
struct RetainedGraph {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  int walks = 1;
  void prepare(int k) { walks = 1 + k; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    Tensor loss = (w * w).sum();
    for (int i = 0; i < walks; ++i) loss.backward({}, /*retain_graph=*/i + 1 < walks);
    return {w.grad()};
  }
};

struct SecondDerivative {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  bool twice = false;
  void prepare(int k) { twice = k == 1; }
  Tensors run() {
    const Tensor first = autograd::grad({(w * w * w).sum()}, {w}, {}, true, /*create_graph=*/true)[0];
    return {twice ? autograd::grad({first.sum()}, {w})[0] : first.detach()};
  }
};

struct HookOrNone {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  std::optional<size_t> hook;
  void prepare(int k) {
    if (k) hook = w.register_hook([](const Tensor &g) { return g * 3.f; });
    else if (hook) w.remove_hook(*hook);
    if (!k) hook.reset();
  }
  Tensors run() {
    w.mutable_grad() = Tensor();
    Tensor y = w * w;
    y.register_hook([this](const Tensor &g) { return hook ? g + 1.f : Tensor(); });
    y.sum().backward();
    return {w.grad()};
  }
};

/// x * factor with a derivative that says otherwise, so that a test sees which one was used.
struct ScaledByUser : autograd::Function<ScaledByUser> {
  static Tensor forward(autograd::AutogradContext *ctx, const Tensor &x, double factor) {
    ctx->save_for_backward({x});
    ctx->saved_data["factor"] = factor;
    return x * factor;
  }
  static autograd::variable_list backward(autograd::AutogradContext *ctx, autograd::variable_list grads) {
    const double factor = std::any_cast<double>(ctx->saved_data["factor"]);
    return {grads[0] * ctx->get_saved_variables()[0] * (factor + 1), Tensor()};
  }
};

struct UserFunctionArgument {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  double factor = 2;
  void prepare(int k) { factor = k ? 5 : 2; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    Tensor y = ScaledByUser::apply(w, factor);
    (y * y).sum().backward();
    return {y.detach(), w.grad()};
  }
};

struct AccumulatedGradients {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  int batches = 1;
  void prepare(int k) { batches = k ? 3 : 1; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    for (int i = 0; i < batches; ++i) (w * w * static_cast<float>(i + 1)).sum().backward();
    return {w.grad()};
  }
};

/// A value that two losses share, whole or cut off in one of them.
struct SharedSubgraph {
  static constexpr bool exact = false;
  Tensor w = ramp({4}).requires_grad_();
  bool cut = false;
  void prepare(int k) { cut = k == 1; }
  Tensors run() {
    w.mutable_grad() = Tensor();
    Tensor shared = w * w;
    ((cut ? shared.detach() : shared) * w + shared).sum().backward();
    return {w.grad()};
  }
};

/// The state of the generator is no part of what is captured.
struct Reseeded {
  static constexpr bool exact = true;
  Tensor x = ramp({4, 5});
  uint64_t seed = 0;
  bool more = false;
  void prepare(int k) {
    seed = k ? 7 : uint64_t(1) << 63 | 5;
    more = k == 1;
  }
  Tensors run() {
    manual_seed(seed);
    if (more) default_generator().set_offset(0xFFFFFFFF);
    Tensor first = rand({5}), dropped = nn::functional::dropout(x), last = randn({3}) * first.slice(0, 0, 3);
    return {first, dropped, last, full({1}, static_cast<int64_t>(default_generator().offset() & 0xFFFFFF))};
  }
};

struct DropoutTrainOrEval {
  static constexpr bool exact = true;
  nn::Dropout dropout{0.25};
  Tensor x = ramp({33});
  void prepare(int k) { dropout->train(k == 0); }
  Tensors run() {
    manual_seed(3);
    Tensor y = dropout(x) + 1.f;
    return {y, full({1}, static_cast<int64_t>(default_generator().offset()))};
  }
};

/// Calls `each(name, tag of the world's type)` for all of them.
template <class F> void forEachStaleCapture(F each) {
  each("grad mode", GradModeToggle());
  each("frozen parameter", FrozenParameter());
  each("rebound tensor", ReboundTensor());
  each("gradient none or defined", GradientNoneOrDefined());
  each("f(x, x)", SameTensorTwice());
  each("view leaf with its base written", ViewLeafWithBaseWritten());
  each("lr", LearningRate());
  each("momentum", Momentum());
  each("Adam with a scheduler", AdamWithScheduler<optim::Adam, optim::AdamOptions>());
  each("AdamW with a scheduler", AdamWithScheduler<optim::AdamW, optim::AdamWOptions>());
  each("train or eval", TrainOrEval());
  each("host loop length", HostLoopLength());
  each("captured bool", CapturedBool());
  each("swapped submodule", SwappedSubmodule());
  each("dtype", DTypeOfInput<kFloat64>());
  each("dtype, f16", DTypeOfInput<kHalf>());
  each("dtype, bf16", DTypeOfInput<kBFloat16>());
  each("batch size", BatchSize());
  each("size 1", SizeOne());
  each("exception and retry", ExceptionAndRetry());
  each("item() branch", BranchOnItem());
  each("host scalar", HostScalar());
  each("in-place on a captured tensor", InPlaceOnCapture());
  each("detach", DetachedOrNot());
  each("shape of a view", ShapeOfView());
  each("captured tensor edited between calls", EditedBetweenCalls());
  each("growing host list", GrowingHostList());
  each("another function's result, or a copy of it", ReorderedOrNot());
  each("views of another function's result", ReorderedViewed());
  each("another function's result, written", ReorderedWritten());
  each("another function's result, saved twice", ReorderedSavedTwice());
  each("inference mode", InferenceModeToggle());
  each("retained graph", RetainedGraph());
  each("second derivative", SecondDerivative());
  each("hook or none", HookOrNone());
  each("user-written function", UserFunctionArgument());
  each("accumulated gradients", AccumulatedGradients());
  each("shared subgraph", SharedSubgraph());
  each("reseeded", Reseeded());
  each("dropout in train or eval", DropoutTrainOrEval());
}

} // namespace tensorjit::testing
