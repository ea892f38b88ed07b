#include "FakeCompiler.h"
#include "tensorjit/autograd.h"
#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/logging.h"
#include "tensorjit/ops.h"

#include <thread>

using namespace tensorjit;
using namespace tensorjit::testing;

using Recording = WithFakeCompiler;

TEST_F(Recording, SecondCallMatchesAndCompilesNothing) {
  Tensor w = tensor({1.f, 2.f, 3.f});
  auto f = [&](const Tensor &x) { return (x * w + 1.f).tanh(); };
  auto compiled = compile(f);
  for (int i = 0; i < 3; ++i) {
    Tensor x = tensor({0.5f * static_cast<float>(i), 1.f, -2.f});
    expectSame(compiled(x), f(x));
  }
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(compiled.stats().calls, 3);
  EXPECT_EQ(compiled.stats().graph_breaks, 0);
}

TEST_F(Recording, OnlyHeldResultsAreComputed) {
  Tensor kept;
  auto compiled = compile([&](const Tensor &x) {
    Tensor dead = x.exp();
    kept = x + x;
    return kept * x;
  });
  Tensor r = compiled(tensor({2.f}));
  EXPECT_EQ(floats(r), std::vector<float>{8});
  EXPECT_EQ(floats(kept), std::vector<float>{4});
  EXPECT_EQ(lastGraph.outputs.size(), 2u);
  for (const GraphNode &n : lastGraph.nodes) EXPECT_STRNE(info(n.op).name, "exp");
}

TEST_F(Recording, AViewThatBackwardReadAgainDoesNotHoldItsBase) {
  Tensor w = ones({6, 2}).requires_grad_();
  auto compiled = compile([&](const Tensor &x) {
    Tensor loss = matmul(flatten(x * 2.f, 1), w).sum();
    loss.backward();
    return loss.detach();
  });
  compiled(ones({4, 2, 3}));
  EXPECT_EQ(floats(w.grad()), std::vector<float>(12, 8));
  EXPECT_EQ(lastGraph.outputs.size(), 2u); // the loss and the gradient
}

TEST_F(Recording, ASecondSetOfOutputsCompilesTheUnionAndNoThirdFollows) {
  std::vector<Tensor> kept;
  int keep = 0;
  auto compiled = compile([&](const Tensor &x) {
    Tensor a = x + x, b = x * x;
    kept.clear();
    if (keep & 1) kept.push_back(a);
    if (keep & 2) kept.push_back(b);
    return a - b;
  });
  for (int k : {1, 2, 3, 0, 2, 1}) {
    keep = k;
    compiled(tensor({3.f}));
    for (const Tensor &t : kept) EXPECT_TRUE(floats(t)[0] == 6 || floats(t)[0] == 9);
  }
  EXPECT_EQ(compiles, 2);
}

TEST_F(Recording, InPlaceOnACapturedTensorWritesItsOwnMemory) {
  Tensor state = zeros({4});
  const void *memory = state.data_ptr();
  auto compiled = compile([&](const Tensor &x) { state.add_(x); });
  for (int i = 1; i <= 3; ++i) {
    compiled(ones({4}));
    EXPECT_EQ(floats(state), std::vector<float>(4, static_cast<float>(i)));
    EXPECT_EQ(state.data_ptr(), memory);
  }
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, ASavedValueOutlivesAnInPlaceUpdate) {
  Tensor w = full({3}, 2.f).requires_grad_();
  Tensor loss = (w * w).sum(); // saves w
  auto compiled = compile([&] {
    NoGradGuard guard;
    w.mul_(10.f);
  });
  compiled();
  EXPECT_EQ(floats(w), std::vector<float>(3, 20));
  loss.backward();
  EXPECT_EQ(floats(w.grad()), std::vector<float>(3, 4));
}

TEST_F(Recording, ValuesReadBeforeAnUpdateKeepTheOldOnes) {
  Tensor state = ones({2}), before, shared;
  auto compiled = compile([&] {
    before = state * 1.f;
    state.add_(1);
    shared = state.clone();
    state.mul_(3);
  });
  compiled();
  EXPECT_EQ(floats(before), std::vector<float>(2, 1));
  EXPECT_EQ(floats(shared), std::vector<float>(2, 2));
  EXPECT_EQ(floats(state), std::vector<float>(2, 6));
}

TEST_F(Recording, CopiesBetweenCapturedTensorsSwap) {
  Tensor a = full({2}, 1.f), b = full({2}, 2.f);
  auto compiled = compile([&] {
    Tensor t = a.clone();
    a.copy_(b);
    b.copy_(t);
  });
  for (int i = 0; i < 3; ++i) {
    compiled();
    EXPECT_EQ(floats(a)[0], i % 2 ? 1 : 2);
    EXPECT_EQ(floats(b)[0], i % 2 ? 2 : 1);
  }
  a.add_(10); // the two do not share memory
  EXPECT_EQ(floats(b)[0], 1);
}

TEST_F(Recording, WritesThroughViewsReachBaseAndSiblings) {
  auto f = [](Tensor x) {
    Tensor base = x.clone(), row = select(base, 0, 1), transposed = t(base), flat = view(base, {6});
    row.add_(10);
    narrow(flat, 0, 0, 2).mul_(5);
    select(transposed, 0, 2).sub_(1);
    return std::vector<Tensor>{base, row, transposed.contiguous(), flat};
  };
  auto compiled = compile(f);
  Tensor x = view(arange(6, kFloat32), {2, 3});
  auto want = f(x), got = compiled(x);
  for (size_t i = 0; i < want.size(); ++i) expectSame(got[i], want[i], "result " + std::to_string(i));
  EXPECT_EQ(floats(got[0]), (std::vector<float>{0, 5, 1, 13, 14, 14}));
}

TEST_F(Recording, AWriteThroughABroadcastToNothingChangesNothing) {
  Tensor state = ones({3});
  auto compiled = compile([&] {
    state.unsqueeze(0).expand({0, 3}).fill_(7);
    state.slice(0, 3, 3).add_(1);
    state.mul_(2);
  });
  compiled();
  EXPECT_EQ(floats(state), std::vector<float>(3, 2));
}

TEST_F(Recording, ViewsOfACapturedTensorSeeItsUpdates) {
  Tensor base = zeros({2, 2}), column = select(base, 1, 0), read;
  auto compiled = compile([&] {
    base.add_(1);
    read = column + 0.f;
    column.add_(10);
  });
  for (int i = 0; i < 3; ++i) compiled();
  EXPECT_EQ(floats(read), std::vector<float>(2, 23));
  EXPECT_EQ(floats(base), (std::vector<float>{33, 3, 33, 3}));
  EXPECT_EQ(floats(column), std::vector<float>(2, 33));
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, ARowOfACapturedTensorIsCopiedIntoATensorMadeHere) {
  Tensor data = view(arange(12, kFloat32), {4, 3}), row = select(data, 0, 2);
  auto f = [&](const Tensor &x) {
    Tensor y = x.clone();
    y.copy_(row);
    y.add_(1);
    return y * 2.f;
  };
  auto compiled = compile(f);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(floats(compiled(zeros({3}))), (std::vector<float>{14, 16, 18}));
  EXPECT_EQ(floats(data), floats(view(arange(12, kFloat32), {4, 3})));
}

TEST_F(Recording, ARowWrittenIntoACapturedTensorIsAllThatMoves) {
  Tensor cache = zeros({1 << 12, 64});
  const void *memory = cache.data_ptr();
  for (bool whole : {false, true}) {
    auto write = compile([&](const Tensor &x, int64_t row) {
      if (whole) narrow(cache, 0, row, 1).copy_(x);
      else select(cache, 0, row).copy_(select(x, 0, 0) * 2.f);
    });
    for (int i = 0; i < 3; ++i) {
      write(full({1, 64}, static_cast<float>(i + 1)), 7);
      EXPECT_EQ(floats(select(cache, 0, 7)), std::vector<float>(64, static_cast<float>(whole ? i + 1 : 2 * i + 2)));
    }
    int64_t elements = 0;
    for (const TensorType &t : lastGraph.types) elements += t.sizes.numel();
    EXPECT_LE(elements, 8 * 64); // of 2^18
  }
  EXPECT_EQ(compiles, 2);
  EXPECT_EQ(cache.data_ptr(), memory);
  EXPECT_EQ(cache.sum().item<float>(), 64 * 3);
}

TEST_F(Recording, WindowsAreWrittenInOrderAndReadTheOldContents) {
  auto f = [](Tensor cache) {
    Tensor first = select(cache, 0, 0).clone();
    select(cache, 0, 0).copy_(select(cache, 0, 1) + 0.f);
    select(cache, 0, 1).copy_(first);
    narrow(select(cache, 0, 1), 0, 1, 2).add_(100);
    select(cache, 1, 3).copy_(select(cache, 1, 0) * 10.f);
    return cache.sum();
  };
  auto compiled = compile(f);
  Tensor a = view(arange(160, kFloat32), {40, 4}), b = a.clone();
  for (int i = 0; i < 3; ++i) {
    expectSame(compiled(b), f(a));
    expectSame(b, a);
  }
}

TEST_F(Recording, AWindowIsNotWrittenIntoAValueThatIsStillWanted) {
  Tensor w = full({64, 4}, 2.f).requires_grad_(), alias;
  Tensor loss = (w * w).sum(); // saves w
  auto compiled = compile([&] {
    NoGradGuard guard;
    select(w, 0, 1).copy_(full({4}, 7.f));
  });
  compiled();
  EXPECT_EQ(floats(select(w, 0, 1)), std::vector<float>(4, 7));
  loss.backward();
  EXPECT_EQ(floats(w.grad()), std::vector<float>(256, 4));
  // Nor where the run fails.
  auto failing = compile([&](const Tensor &x, const Tensor &t) {
    NoGradGuard guard;
    select(w, 0, 2).copy_(full({4}, 9.f));
    cross_entropy(x, t);
  });
  EXPECT_THROW(failing(zeros({1, 3}), tensor({5})), index_error);
  EXPECT_EQ(floats(select(w, 0, 2)), std::vector<float>(4, 2));
}

TEST_F(Recording, BatchesCutFromOneTensorShareAPath) {
  Tensor data = view(arange(32, kFloat32), {8, 4});
  auto compiled = compile([](const Tensor &x) { return x * 2.f; });
  for (int64_t i = 0; i < 4; ++i) {
    Tensor batch = narrow(data, 0, 2 * i, 2);
    expectSame(compiled(batch), batch * 2.f);
  }
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, AHostNumberBecomesAnArgumentAtItsSecondValue) {
  auto f = [](const Tensor &x, float a, float b) { return x * a + b; };
  auto compiled = compile(f);
  Tensor x = tensor({1.f, 2.f});
  for (auto [a, b] : {std::pair{2.f, 1.f}, {3.f, 1.f}, {4.f, 2.f}, {5.f, 3.f}, {2.f, 1.f}})
    expectSame(compiled(x, a, b), f(x, a, b));
  EXPECT_LE(compiles, 2);
}

TEST_F(Recording, HostNumbersOfEveryKindKeepTheirBits) {
  auto f = [](const Tensor &x, Scalar s) { return x + s; };
  auto compiled = compile(f);
  for (const Tensor &x : {tensor({1.f}), tensor({int64_t(1)}), tensor({1.0}, kFloat64), tensor({1}, kUInt8)})
    for (Scalar s : {Scalar(2), Scalar(3), Scalar(0.1), Scalar(-0.1f), Scalar(true)}) {
      if (x.dtype() == kUInt8 && s.kind() == Scalar::Kind::Float) continue;
      expectSame(compiled(x, s), f(x, s));
    }
}

TEST_F(Recording, ErrorsAreThrownAtTheCallWithTheEagerText) {
  auto message = [](auto f) {
    try {
      f();
    } catch (const shape_error &e) {
      return std::string(e.what());
    }
    return std::string("no shape_error");
  };
  auto bad = [](const Tensor &x) { return x + ones({7}); };
  auto compiled = compile(bad);
  Tensor x = ones({3});
  std::string eager = message([&] { bad(x); });
  EXPECT_NE(eager.find("trace_recorder.cpp:"), std::string::npos) << eager;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(message([&] { compiled(x); }), eager);
}

TEST_F(Recording, AnExceptionLeavesWhatEagerExecutionWouldLeave) {
  Tensor state = zeros({2});
  bool fail = true;
  auto compiled = compile([&](const Tensor &x) {
    state.add_(x);
    if (fail) throw std::runtime_error("user's own");
    state.mul_(2);
    return state + 0.f;
  });
  EXPECT_THROW(compiled(ones({2})), std::runtime_error);
  EXPECT_EQ(floats(state), std::vector<float>(2, 1));
  fail = false;
  EXPECT_EQ(floats(compiled(ones({2}))), std::vector<float>(2, 4));
  EXPECT_EQ(floats(state), std::vector<float>(2, 4));
  fail = true;
  EXPECT_THROW(compiled(ones({2})), std::runtime_error);
  EXPECT_EQ(floats(state), std::vector<float>(2, 5));
}

TEST_F(Recording, ReadingAValueBreaksTheGraphAndGoesOn) {
  std::vector<std::string> lines;
  set_log_sink([&](std::string_view line) { lines.emplace_back(line); });
  set_logs("+graph_breaks");
  auto f = [](const Tensor &x) {
    Tensor s = x.sum();
    if (s.item<float>() > 0) return x * 2.f;
    return x - 1.f;
  };
  auto compiled = compile(f);
  for (float v : {1.f, -1.f, 2.f, -3.f}) {
    Tensor x = full({3}, v);
    expectSame(compiled(x), f(x));
  }
  set_logs("-graph_breaks");
  set_log_sink({});
  EXPECT_EQ(compiles, 3); // the sum, and what follows either way
  EXPECT_EQ(compiled.stats().graph_breaks, 4);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[0].find("graph break at trace_recorder.cpp:"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("item"), std::string::npos) << lines[0];
  EXPECT_NE(compiled.explain().find("graph break at trace_recorder.cpp:"), std::string::npos) << compiled.explain();
}

TEST_F(Recording, ViewsAndUpdatesGoOnAcrossABreak) {
  Tensor state = zeros({4});
  auto f = [&](const Tensor &x) {
    Tensor y = x + 1.f, half = narrow(y, 0, 0, 2);
    state.add_(y);
    float v = y.sum().item<float>();
    half.mul_(2);
    state.add_(y);
    return y * v;
  };
  auto compiled = compile(f);
  Tensor x = arange(4, kFloat32);
  Tensor want = f(x), wantState = state.clone();
  for (int i = 0; i < 2; ++i) {
    state.zero_();
    expectSame(compiled(x), want);
    expectSame(state, wantState);
  }
}

TEST_F(Recording, NestedCompiledFunctionsAreInlined) {
  auto inner = compile([](const Tensor &x) { return x.exp() * 2.f; });
  auto outer = compile([&](const Tensor &x) { return inner(x) + 1.f; });
  Tensor x = tensor({0.f, 1.f});
  expectSame(outer(x), x.exp() * 2.f + 1.f);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(inner.stats().calls, 0);
  expectSame(inner(x), x.exp() * 2.f);
}

TEST_F(Recording, OneFunctionServesManyThreads) {
  auto f = [](const Tensor &x) { return (x * x + 1.f).sqrt(); };
  auto compiled = compile(f);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        Tensor x = full({1 + (i + t) % 5}, i);
        if (bytesOf(compiled(x)) != bytesOf(f(x))) ++wrong;
      }
    });
  for (auto &t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(compiles, 5);
}

TEST_F(Recording, APendingTensorOnAnotherThreadThrowsNamingItsLine) {
  std::string text;
  auto compiled = compile([&](const Tensor &x) {
    Tensor y = x + 1.f;
    std::thread([&] {
      try {
        Tensor z = y * 2.f;
      } catch (const Error &e) {
        text = e.what();
      }
    }).join();
    return y;
  });
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_NE(text.find("trace_recorder.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("another thread"), std::string::npos) << text;
}

TEST_F(Recording, AnotherThreadMayDropAPendingTensor) {
  for (bool last : {false, true}) {
    auto compiled = compile([&](const Tensor &x) {
      Tensor y = x + 1.f, z = y * 2.f, kept = last ? Tensor() : y;
      std::thread([dropped = std::move(y)]() mutable { dropped = Tensor(); }).join();
      return kept.defined() ? z + kept : z;
    });
    for (int i = 0; i < 3; ++i) EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{last ? 4.f : 6.f});
    EXPECT_EQ(compiles, last ? 2 : 1);
  }
}

TEST_F(Recording, SuspendedOpsRunAtOnce) {
  auto compiled = compile([&](const Tensor &x) {
    Tensor y = x + 1.f;
    {
      trace::SuspendRecording suspend;
      Tensor z = y * 2.f;
      EXPECT_FALSE(trace::isPending(z));
    }
    return y * 3.f;
  });
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{6});
  EXPECT_EQ(compiled.stats().graph_breaks, 1);
}

TEST_F(Recording, AnEndlessLoopOfOpsGoesOnEagerly) {
  auto compiled = compile([](Tensor x, int n) {
    for (int i = 0; i < n; ++i) x = x + 1.f;
    return x;
  });
  EXPECT_EQ(floats(compiled(zeros({1}), 40000)), std::vector<float>{40000});
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(floats(compiled(zeros({1}), 40000)), std::vector<float>{40000});
  EXPECT_EQ(floats(compiled(zeros({1}), 10)), std::vector<float>{10});
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, AFailedIndexCheckLeavesStateAsItWas) {
  Tensor state = zeros({2});
  auto f = [&](const Tensor &x, const Tensor &t) {
    state.add_(1);
    Tensor loss = cross_entropy(x, t);
    state.add_(loss);
    return loss;
  };
  auto compiled = compile(f);
  Tensor x = zeros({2, 3}), good = tensor({0, 2}), bad = tensor({0, 3});
  compiled(x, good);
  Tensor before = state.clone();
  std::string text, eager;
  for (std::string *to : {&text, &eager}) try {
      to == &text ? compiled(x, bad) : f(x, bad);
      ADD_FAILURE();
    } catch (const index_error &e) {
      *to = e.what();
      if (to == &text) expectSame(state, before);
    }
  EXPECT_EQ(text, eager);
  EXPECT_NE(text.find("trace_recorder.cpp:"), std::string::npos) << text;
  state.copy_(before);
  compiled(x, good);
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, ADeadIndexCheckStillRaises) {
  auto compiled = compile([&](const Tensor &x, const Tensor &t) {
    cross_entropy(x, t);
    return x + 1.f;
  });
  compiled(zeros({1, 3}), tensor({2}));
  EXPECT_THROW(compiled(zeros({1, 3}), tensor({5})), index_error);
}

TEST_F(Recording, BackwardOutsideIsCompiledToo) {
  Tensor w = tensor({2.f, 3.f}).requires_grad_();
  auto compiled = compile([&](const Tensor &x) { return (x * w).square().sum(); });
  for (int i = 0; i < 3; ++i) {
    w.mutable_grad() = Tensor();
    Tensor loss = compiled(ones({2}));
    loss.backward();
    EXPECT_EQ(floats(w.grad()), (std::vector<float>{4, 6}));
  }
  EXPECT_EQ(compiles, 2);
}

TEST_F(Recording, BackwardOfALossTakenOutsideIsCompiledToo) {
  Tensor w = tensor({2.f, 3.f}).requires_grad_(), outside = tensor({1.f, 1.f}).requires_grad_();
  auto compiled = compile([&](const Tensor &x) { return (x * w).square(); });
  for (int i = 0; i < 3; ++i) {
    w.mutable_grad() = outside.mutable_grad() = Tensor();
    Tensor loss = (compiled(ones({2})) * outside).sum();
    loss.backward();
    EXPECT_EQ(floats(w.grad()), (std::vector<float>{4, 6}));
    EXPECT_EQ(floats(outside.grad()), (std::vector<float>{4, 9}));
  }
  EXPECT_EQ(compiles, 2);
}

TEST_F(Recording, ATrainingStepIsOneGraph) {
  auto make = [] { return full({3}, 1.5f).requires_grad_(); };
  Tensor w = make(), eagerW = make(), buffer = zeros({3}), eagerBuffer = zeros({3});
  auto step = [](Tensor &w, Tensor &buffer, const Tensor &x, double lr, bool first) {
    Tensor loss = (x * w).tanh().sum();
    w.mutable_grad() = Tensor();
    loss.backward();
    NoGradGuard guard;
    sgd_momentum_(w, w.grad(), buffer, lr, 0.9, 0, 0, first);
    return loss;
  };
  auto compiled = compile([&](const Tensor &x, double lr, bool first) { return step(w, buffer, x, lr, first); });
  const void *memory = w.data_ptr();
  for (int i = 0; i < 5; ++i) {
    Tensor x = full({3}, 0.1f * static_cast<float>(i + 1));
    expectSame(compiled(x, 0.1 / (i + 1), i == 0), step(eagerW, eagerBuffer, x, 0.1 / (i + 1), i == 0));
    expectSame(w, eagerW);
    expectSame(buffer, eagerBuffer);
    expectSame(w.grad(), eagerW.grad());
    EXPECT_EQ(w.data_ptr(), memory);
  }
  EXPECT_EQ(compiles, 1);
}

TEST_F(Recording, ModulesAndHoldersAreCompiledByReference) {
  struct Scale {
    float factor = 2;
    Tensor forward(const Tensor &x) { return x * factor; }
  };
  Scale module;
  auto byReference = compile(module);
  module.factor = 3;
  EXPECT_EQ(floats(byReference(ones({1}))), std::vector<float>{3});
  auto shared = std::make_shared<Scale>();
  auto byHolder = compile(shared);
  shared->factor = 5;
  EXPECT_EQ(floats(byHolder(ones({1}))), std::vector<float>{5});
}

TEST_F(Recording, ModeOffRunsTheFunctionAsItIs) {
  Options options;
  options.mode = Options::Mode::Off;
  auto compiled = compile([](const Tensor &x) { return x + 1.f; }, options);
  EXPECT_EQ(floats(compiled(ones({1}))), std::vector<float>{2});
  EXPECT_EQ(compiled.stats().calls, 0);
}

// A loop over rows, longer than is worth compiling: the rest of the call runs eagerly, and what the recorded part needs
// is made in the first call.
TEST_F(Recording, ALoopTooLongToCompile) {
  auto body = [](const Tensor &points) {
    Tensor sums = zeros({points.size(0)});
    for (int64_t i = 0; i < points.size(0); ++i) select(sums, 0, i).copy_((select(points, 0, i) * 2.f).sum());
    return sums;
  };
  auto compiled = compile(body);
  for (int call = 0; call < 3; ++call) {
    Tensor points = view(arange(2000 * 3, kFloat32), {2000, 3}) + static_cast<float>(call);
    expectSame(compiled(points), body(points));
  }
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(compiled.stats().graph_breaks, 3);
  EXPECT_NE(compiled.explain().find("run by eager kernels: more ops between two graph breaks"), std::string::npos)
      << compiled.explain();
}

// Each view that was written from outside, and each storage, has its own value at the end.
TEST_F(Recording, ManyStoragesAndViewsOfOutside) {
  std::vector<Tensor> states, rows;
  for (int i = 0; i < 300; ++i) {
    states.push_back(full({2, 3}, static_cast<float>(i)));
    rows.push_back(t(states.back()));
  }
  auto compiled = compile([&](const Tensor &x) {
    for (size_t i = 0; i < states.size(); ++i) states[i].add_(x);
    Tensor sum = x;
    for (size_t i = 0; i < states.size(); ++i) {
      sum = sum + select(rows[i], 0, 0).sum(); // the new value, through a view from outside
      if (i % 3 == 0) states[i].mul_(2.f);
      sum = sum + rows[i].sum() + rows[i].mean();
    }
    return sum;
  });
  for (int call = 1; call <= 3; ++call) {
    float wanted = 1;
    std::vector<float> values;
    for (const Tensor &state : states) values.push_back(floats(state)[0]);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] += 1;
      wanted += 2 * values[i];
      if (i % 3 == 0) values[i] *= 2;
      wanted += 7 * values[i];
    }
    EXPECT_EQ(compiled(tensor(1.f)).item<float>(), wanted) << call;
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(floats(states[i]), std::vector<float>(6, values[i])) << i;
  }
  EXPECT_EQ(compiles, 1);
}
