/// Tensors that compiled functions leave in a memory order of their choice, with the real compiler: hand-made graphs
/// whose inputs lie channels last, and chains of convolutions and pools whose results are then used in every way.
#include "core/TensorAccess.h"
#include "eager/Copy.h"
#include "execute/CallPlan.h"
#include "execute/Program.h"
#include "op/OpId.h"
#include "tensorjit/tensorjit.h"
#include "trace/CompilerLoader.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <unistd.h>

using namespace tensorjit;

namespace {

const MemoryOrder channelsLast({0, 2, 3, 1});

/// Whole numbers in [-2, 2], so that sums of a few million of them are exact in f32.
Tensor draw(const Shape &sizes, std::mt19937 &random) {
  std::vector<float> values(static_cast<size_t>(sizes.numel()));
  for (float &v : values) v = static_cast<float>(static_cast<int>(random() % 5) - 2);
  return reshape(tensor(values), sizes);
}

struct GraphMaker {
  Graph graph;
  ValueId input(const Shape &sizes, MemoryOrder order = {}) {
    graph.types.push_back({DType::F32, sizes});
    graph.inputOrders.push_back(order);
    return graph.numInputs++;
  }
  ValueId op(OpId id, std::vector<ValueId> operands, const Attrs &attrs = {}) {
    GraphNode node{id, std::move(operands), attrs, static_cast<ValueId>(graph.types.size()), 0};
    std::vector<TensorType> types, results(info(id).numResults);
    for (ValueId v : node.operands) types.push_back(graph.types[v]);
    info(id).infer(types, attrs, results);
    graph.types.insert(graph.types.end(), results.begin(), results.end());
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back().firstResult;
  }
  ValueId conv(ValueId x, ValueId w) {
    Attrs a;
    for (int64_t v : {1, 1, 1}) a.addInts(Shape{v, v}); // stride, padding, dilation
    a.addInt(1);
    return op(OpId::Conv2d, {x, w}, a);
  }
  ValueId reshape(ValueId x, const Shape &sizes) {
    Attrs a;
    a.addInts(sizes);
    return op(OpId::Reshape, {x}, a);
  }
};

/// Runs the program on these tensors, laid out as its inputs say, and returns its results row-major.
std::vector<Tensor> runProgram(Executable executable, const std::vector<Tensor> &inputs) {
  Program program(std::move(executable));
  const Executable &exe = program.executable();
  auto laidOut = [&](const TensorSpec &spec, const Tensor &t) {
    Ref<Buffer> buffer = allocateFor(spec);
    eager::copyStrided(
        viewOf(t), {buffer->storedData(), spec.type.dtype, spec.type.sizes, buffer->order().strides(spec.type.sizes)});
    return buffer;
  };
  std::vector<Ref<Buffer>> in, out;
  for (size_t i = 0; i < inputs.size(); ++i) in.push_back(laidOut(exe.inputs[i], inputs[i]));
  for (const TensorSpec &spec : exe.outputs)
    out.push_back(spec.aliasesInput < 0 ? allocateFor(spec) : in[static_cast<size_t>(spec.aliasesInput)]);
  std::vector<void *> inPointers, outPointers;
  for (auto &b : in) inPointers.push_back(b->storedData());
  for (auto &b : out) outPointers.push_back(b->storedData());
  ErrorSlot error;
  EXPECT_TRUE(program.run(inPointers, outPointers, error));
  std::vector<Tensor> results;
  for (size_t o = 0; o < out.size(); ++o)
    results.push_back(makeTensor(exe.outputs[o].type.dtype, exe.outputs[o].type.sizes, out[o]));
  return results;
}

Executable compileGraph(const Graph &graph, CompileOptions options = {}) {
  std::string why;
  const CompilerInterface *compiler = trace::compiler(&why);
  if (!compiler) throw Error(why);
  return compiler->compile(graph, options, nullptr);
}

/// The graph compiled against the same graph run op by op on row-major tensors.
Executable expectSameAsEager(const Graph &graph, const std::vector<Tensor> &inputs) {
  std::vector<Tensor> want = runProgram(planCalls(graph), inputs);
  for (auto mode : {CompileOptions::Mode::NoFuse, CompileOptions::Mode::Full}) {
    CompileOptions options;
    options.mode = mode;
    std::vector<Tensor> got = runProgram(compileGraph(graph, options), inputs);
    EXPECT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(equal(got[i], want[i])) << "result " << i;
  }
  return compileGraph(graph);
}

std::string kernels(const Executable &exe) {
  std::string names;
  for (const Step &step : exe.steps) names += (step.kind == Step::Launch ? step.kernel : "call") + " ";
  return names;
}

} // namespace

TEST(ArgumentOrder, AConvolutionReadsAndWritesChannelsLast) {
  std::mt19937 random(1);
  GraphMaker g;
  ValueId x = g.input({2, 16, 8, 8}, channelsLast), w = g.input({32, 16, 3, 3});
  g.graph.outputs.push_back({g.op(OpId::Relu, {g.conv(x, w)})});
  Executable exe = expectSameAsEager(g.graph, {draw({2, 16, 8, 8}, random), draw({32, 16, 3, 3}, random)});
  EXPECT_EQ(exe.inputs[0].storageOrder, channelsLast.dims());
  EXPECT_EQ(exe.outputs[0].storageOrder, channelsLast.dims());
  EXPECT_EQ(exe.outputs[0].type.sizes, Shape({2, 32, 8, 8}));
  EXPECT_EQ(exe.steps.size(), 2u) << kernels(exe); // the packed weight and the convolution
}

TEST(ArgumentOrder, AFlattenedImageIsReadInPlace) {
  std::mt19937 random(2);
  GraphMaker g;
  ValueId x = g.input({4, 8, 3, 3}, channelsLast), w = g.input({72, 10});
  g.graph.outputs.push_back({g.op(OpId::Matmul, {g.reshape(x, {4, 72}), w})});
  Executable exe = expectSameAsEager(g.graph, {draw({4, 8, 3, 3}, random), draw({72, 10}, random)});
  EXPECT_EQ(exe.steps.size(), 1u) << kernels(exe);
}

TEST(ArgumentOrder, UpdatesKeepTheOrderOfTheirInput) {
  std::mt19937 random(3);
  GraphMaker g;
  ValueId x = g.input({2, 4, 5, 6}, channelsLast), d = g.input({2, 4, 5, 6}), sum = g.op(OpId::Add, {x, d});
  g.graph.outputs.push_back({sum, 0});
  g.graph.outputs.push_back({g.op(OpId::Mul, {sum, d})});
  Executable exe = expectSameAsEager(g.graph, {draw({2, 4, 5, 6}, random), draw({2, 4, 5, 6}, random)});
  EXPECT_EQ(exe.outputs[0].storageOrder, channelsLast.dims());
}

TEST(ArgumentOrder, AnyOrderAndAnArgumentThatIsReturned) {
  std::mt19937 random(4);
  GraphMaker g;
  ValueId x = g.input({2, 3, 4, 5}, MemoryOrder({3, 1, 0, 2})), y = g.input({6, 7}, MemoryOrder({1, 0}));
  g.graph.outputs.push_back({x});
  g.graph.outputs.push_back({g.op(OpId::Exp, {y})});
  g.graph.outputs.push_back({g.reshape(y, {42})});
  expectSameAsEager(g.graph, {draw({2, 3, 4, 5}, random), draw({6, 7}, random)});
}

TEST(ArgumentOrder, CallsOfEagerKernelsGetRowMajorTensors) {
  std::mt19937 random(5);
  GraphMaker g;
  g.graph.types.push_back({DType::U8, {2, 3, 4, 4}});
  g.graph.inputOrders.push_back(channelsLast);
  g.graph.numInputs = 1;
  Attrs pool;
  for (int64_t v : {2, 2, 0, 1}) pool.addInts(Shape{v, v}); // kernel, stride, padding, dilation
  pool.addInt(false);                                       // ceil_mode
  ValueId y = g.op(OpId::MaxPool2d, {0}, pool);
  g.graph.outputs.push_back({y});
  Tensor x = (draw({2, 3, 4, 4}, random) + 2.f).to(kUInt8);
  Executable exe = expectSameAsEager(g.graph, {x});
  EXPECT_NE(kernels(exe).find("call"), std::string::npos) << kernels(exe);
}

TEST(ArgumentOrder, ImportPermutesTheArgument) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tensorjit-import-" + std::to_string(getpid()));
  GraphMaker g;
  g.graph.name = "g";
  ValueId x = g.input({2, 4, 5, 6}, channelsLast);
  g.graph.outputs.push_back({g.op(OpId::Neg, {x}), 0});
  CompileOptions options;
  options.dumpDir = folder;
  compileGraph(g.graph, options);
  std::stringstream text;
  text << std::ifstream(folder / "g.1-import.mlir").rdbuf();
  std::filesystem::remove_all(folder);
  for (const char *part : {"%arg0: tensor<2x5x6x4xf32> {tj.order = array<i64: 0, 2, 3, 1>}",
                           "-> (tensor<2x5x6x4xf32> {tj.order = array<i64: 0, 2, 3, 1>, tj.updates = 0 : i64})",
                           "tj.permute", "tensor<2x4x5x6xf32>"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part << "\n" << text.str();
}

namespace {

/// A chain of ops on images, some of whose values are kept.
struct Chain {
  struct Step {
    enum Kind { Conv, Relu, Pool, OverlappingPool, Residual, Scale, Turn } kind;
    Tensor weight;
    bool kept;
  };
  std::vector<Step> steps;
  Shape input;

  explicit Chain(unsigned seed) {
    std::mt19937 random(seed);
    auto pick = [&](auto... choices) {
      std::array list{int64_t(choices)...};
      return list[random() % list.size()];
    };
    int64_t channels = pick(1, 3, 8, 16), size = pick(8, 9, 12);
    input = {pick(1, 2, 5), channels, size, size};
    int convolutions = 0;
    for (int i = 0; i < 6; ++i) {
      auto kind = static_cast<Step::Kind>(random() % 7);
      if (i == 0 && random() % 2) kind = Step::Conv;
      if (kind == Step::Conv && ++convolutions > 2) kind = Step::Relu;
      if (kind == Step::Pool || kind == Step::OverlappingPool) {
        if (size < 4) continue;
        size = kind == Step::Pool ? size / 2 : (size - 3) / 2 + 1;
      }
      Step step{kind, {}, random() % 3 == 0};
      if (kind == Step::Conv) {
        int64_t out = pick(1, 4, 16, 32), k = pick(1, 3);
        step.weight = draw({out, channels, k, k}, random).requires_grad_();
        channels = out;
      }
      steps.push_back(step);
    }
    steps.push_back({Step::Scale, {}, true});
  }

  std::vector<Tensor> run(const Tensor &x) const {
    std::vector<Tensor> kept;
    Tensor y = x;
    for (const Step &step : steps) {
      switch (step.kind) {
      case Step::Conv: y = conv2d(y, step.weight, {}, 1, step.weight.size(2) / 2); break;
      case Step::Relu: y = relu(y); break;
      case Step::Pool: y = max_pool2d(y, 2); break;
      case Step::OverlappingPool: y = max_pool2d(y, 3, 2); break;
      case Step::Residual: y = y + relu(-y); break;
      case Step::Scale: y = y * 0.5f; break;
      case Step::Turn: y = permute(permute(y, {0, 2, 3, 1}) * 2.f, {0, 3, 1, 2}); break;
      }
      if (step.kept) kept.push_back(y);
    }
    return kept;
  }

  std::vector<Tensor> gradients(const Tensor &x) {
    std::vector<Tensor> all{x.grad()};
    for (Step &step : steps)
      if (step.weight.defined()) {
        all.push_back(step.weight.grad());
        step.weight.mutable_grad() = Tensor();
      }
    return all;
  }
};

void expectClose(const Tensor &got, const Tensor &want, const std::string &what) {
  ASSERT_EQ(got.defined(), want.defined()) << what;
  if (!want.defined()) return;
  ASSERT_EQ(got.sizes(), want.sizes()) << what;
  // Sums of whole numbers, exact until they grow beyond 2^24.
  EXPECT_TRUE(allclose(got.detach(), want.detach(), 1e-5, 1e-3)) << what;
}

/// Uses a kept value in one of several ways; `f` is the second function, compiled or not.
template <class F> std::vector<Tensor> use(const Tensor &t, unsigned how, F &f) {
  switch (how % 6) {
  case 0: return {t.contiguous() + 1.f};
  case 1: return {f(t)};
  case 2: return {f(flatten(t, 1)), select(t, 0, t.size(0) - 1)};
  case 3: {
    Tensor d = t.detach();
    d.add_(1.f);
    select(d, 1, 0).zero_();
    return {d, f(d)};
  }
  case 4: return {f(permute(t, {2, 0, 3, 1})), f(select(t, 2, 0))};
  default: {
    float first = select(flatten(t.detach()), 0, 0).template item<float>();
    return {f(t) + first};
  }
  }
}

} // namespace

TEST(MemoryOrderFuzz, ChainsWhoseResultsAreUsedInEveryWay) {
  unsigned reordered = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Chain chain(seed);
    Options options;
    options.strict = true;
    auto forward = compile([&](const Tensor &x) { return chain.run(x); }, options);
    auto second = [](const Tensor &x) { return x * 3.f + relu(x); };
    auto compiledSecond = compile(second, options);
    for (int call = 0; call < 2; ++call) {
      std::mt19937 random(seed * 7 + static_cast<unsigned>(call));
      Tensor values = draw(chain.input, random);
      auto all = [&](auto &&f, auto &&g) {
        Tensor x = values.clone().requires_grad_();
        std::vector<Tensor> kept = f(x), results;
        for (size_t i = 0; i < kept.size(); ++i) {
          reordered += !kept[i].impl()->storage->buffer->order().isRowMajor();
          for (Tensor &t : use(kept[i], seed + static_cast<unsigned>(i), g)) results.push_back(t);
        }
        Tensor loss;
        for (const Tensor &k : kept) loss = loss.defined() ? loss + k.sum() : k.sum();
        if (seed % 2) loss.backward({}, true);
        loss.backward();
        for (Tensor &t : chain.gradients(x)) results.push_back(t);
        return results;
      };
      std::vector<Tensor> want = all([&](const Tensor &x) { return chain.run(x); }, second);
      std::vector<Tensor> got = all(forward, compiledSecond);
      ASSERT_EQ(got.size(), want.size());
      for (size_t i = 0; i < got.size(); ++i) expectClose(got[i], want[i], "result " + std::to_string(i));
    }
  }
  EXPECT_GT(reordered, 20u); // or nothing of this was tried
}
