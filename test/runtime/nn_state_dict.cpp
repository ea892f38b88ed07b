// The state of a module: names, files, and what does not fit.
#include "Expect.h"

#include <filesystem>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

struct Counting : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(2, 3));
  nn::Sequential tail = register_module("tail", nn::Sequential(nn::Linear(nn::LinearOptions(3, 1).bias(false))));
  Tensor count = register_buffer("count", tensor(int64_t(7)));
};

struct StateDict : testing::Test {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tensorjit-state-" + std::to_string(getpid()))).string();
  void TearDown() override { std::filesystem::remove(path); }
};

std::vector<std::string> namesOf(const OrderedDict<Tensor> &dict) {
  std::vector<std::string> names;
  for (const auto &[name, value] : dict) names.push_back(name);
  return names;
}

} // namespace

TEST_F(StateDict, HasParametersThenBuffersUnderTheirNames) {
  EXPECT_EQ(namesOf(Counting().state_dict()),
            (std::vector<std::string>{"fc.weight", "fc.bias", "tail.0.weight", "count"}));
}

TEST_F(StateDict, AFileBringsAModuleBack) {
  manual_seed(1);
  Counting from, to;
  from.count.fill_(9);
  save(from, path);
  const Tensor weight = to.fc->weight;
  load(to, path);
  for (const auto &[name, value] : from.state_dict()) EXPECT_TRUE(equal(*to.state_dict().find(name), value)) << name;
  EXPECT_TRUE(equal(weight, from.fc->weight)); // whoever held the parameter sees it
  EXPECT_TRUE(to.fc->weight.requires_grad() && to.fc->weight.is_leaf());
}

TEST_F(StateDict, EverythingThatDoesNotFitIsListedAndNothingIsLoaded) {
  Counting net;
  OrderedDict<Tensor> state;
  state.insert("fc.weight", zeros({3, 2}));
  state.insert("fc.bias", zeros({4}));
  state.insert("count", tensor(0.5f));
  state.insert("extra", zeros({1}));
  const auto before = values(net.fc->weight);
  const std::string text = errorOf<value_error>([&] { net.load_state_dict(state); });
  EXPECT_EQ(text.substr(0, text.rfind(" (")),
            "module: the state does not fit: missing: tail.0.weight; unexpected: extra; different: fc.bias is f32[4], "
            "expected f32[3], count is f32[], expected i64[]");
  EXPECT_EQ(values(net.fc->weight), before);
}

TEST_F(StateDict, ADamagedFileLoadsNothing) {
  Counting net;
  save(net, path);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const auto before = values(net.fc->weight);
  errorOf<io_error>([&] { load(net, path); });
  EXPECT_EQ(values(net.fc->weight), before);
}

TEST_F(StateDict, AnOptimizerIsSavedAlike) {
  Tensor p = ones({2}).requires_grad_();
  optim::AdamW from({p}, optim::AdamWOptions(0.5)), to({p}, optim::AdamWOptions(0.25));
  p.mutable_grad() = ones({2});
  from.step();
  save(from, path);
  load(to, path);
  EXPECT_EQ(to.param_groups()[0].options().get_lr(), 0.5);
  for (const auto &[name, value] : from.state_dict()) EXPECT_TRUE(equal(*to.state_dict().find(name), value)) << name;
}
