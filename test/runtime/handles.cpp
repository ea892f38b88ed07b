// Handles that outlive what they came from, or are used by another thread.
#include "Expect.h"
#include "FakeCompiler.h"

#include <thread>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

struct Handles : tensorjit::testing::WithFakeCompiler {};

struct Numbers : data::Dataset {
  data::Example get(int64_t i) override { return {tensor(i), {}}; }
  int64_t size() const override { return 20; }
};

} // namespace

TEST_F(Handles, ResultsOutliveTheCompiledFunctionAndItsCaptures) {
  Tensor y, view, grad;
  {
    Tensor captured = tensor({1.f, 2.f}).requires_grad_();
    auto f = compile([&](const Tensor &x) { return x * captured; });
    y = f(tensor({3.f, 4.f}));
    view = y.select(0, 1);
    grad = captured;
  }
  y.sum().backward();
  EXPECT_VALUES(view, 8);
  EXPECT_VALUES(grad.grad(), 3, 4);
}

TEST_F(Handles, ACopyOfACompiledFunctionOutlivesTheFirst) {
  auto make = [] {
    auto f = compile([](const Tensor &x) { return x + 1.f; });
    f(ones({2}));
    auto copy = f;
    return copy;
  };
  EXPECT_VALUES(make()(ones({2})), 2, 2);
}

TEST_F(Handles, AnIteratorOutlivesItsLoader) {
  for (int workers : {0, 2}) {
    auto loader = data::make_data_loader(Numbers(), data::DataLoaderOptions().batch_size(2).num_workers(workers));
    auto it = loader->begin();
    const Tensor first = (*it).data;
    loader.reset();
    try {
      for (int i = 0; i < 20 && it != std::default_sentinel; ++i) ++it;
    } catch (const Error &) {
    }
    EXPECT_VALUES(first, 0, 1);
  }
}

TEST_F(Handles, ATensorMayBeFreedByAnotherThread) {
  std::vector<Tensor> made;
  auto f = compile([](const Tensor &x) { return x * 2.f; });
  for (int i = 0; i < 1000; ++i) made.push_back(f(ones({3})));
  std::thread([&made] { made.clear(); }).join();
  std::thread([&made] {
    for (int i = 0; i < 1000; ++i) made.push_back(ones({3}) + 1.f);
  }).join();
  EXPECT_VALUES(made[999], 2, 2, 2);
}

TEST_F(Handles, AValueThatIsStillRecordedIsRefusedElsewhere) {
  std::string text;
  auto f = compile([&](const Tensor &x) {
    Tensor y = x + 1.f;
    std::thread([&] { text = errorOf<Error>([&] { y.item(); }); }).join();
    return y;
  });
  EXPECT_VALUES(f(ones({1})), 2);
  EXPECT_NE(text.find("still running on another thread"), text.npos) << text;
  EXPECT_NE(text.find("handles.cpp"), text.npos) << text;
}

TEST_F(Handles, UndefinedTensorsAreRefusedEverywhere) {
  const Tensor none;
  errorOf<type_error>([&] { none + 1.f; });
  errorOf<type_error>([&] { none.sizes(); });
  errorOf<type_error>([&] { none.clone(); });
  errorOf<type_error>([&] { none.data_ptr(); });
  errorOf<type_error>([&] { none.item(); });
  errorOf<type_error>([&] { data::write_npy("/tmp/none.npy", none); });
  errorOf<type_error>([&] { Tensor(none).copy_(ones({1})); });
  errorOf<type_error>([&] { matmul(none, ones({2, 2})); });
  auto f = compile([](const Tensor &x) { return x + 1.f; });
  errorOf<type_error>([&] { f(none); });
}
