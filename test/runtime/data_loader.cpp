#include "tensorjit/compile.h"
#include "tensorjit/creation.h"
#include "tensorjit/data/dataloader.h"
#include "tensorjit/ops.h"
#include "tensorjit/random.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <thread>

namespace tj = tensorjit;
using tj::data::DataLoaderOptions;
using tj::data::Example;
using tj::data::make_data_loader;

namespace {

std::vector<int64_t> values(const tj::Tensor &t) {
  auto *p = t.data_ptr<int64_t>();
  return {p, p + t.numel()};
}

/// Example i is the vector (i, 10 i) with target i; `before` runs first.
class Pairs : public tj::data::Dataset {
public:
  explicit Pairs(int64_t size, std::function<void(int64_t)> before = {}) : size_(size), before_(std::move(before)) {}
  int64_t size() const override { return size_; }
  Example get(int64_t i) override {
    if (before_) before_(i);
    return {tj::tensor(std::vector<int64_t>{i, 10 * i}), tj::tensor(i)};
  }

private:
  int64_t size_;
  std::function<void(int64_t)> before_;
};

/// Each example is its own random draw.
class Draws : public tj::data::BatchDataset {
public:
  int64_t size() const override { return 8; }
  void get_batch(tj::data::BatchBuilder &batch) override {
    auto *x = static_cast<int64_t *>(batch.data(tj::kInt64, {}));
    for (int64_t row = 0; row < static_cast<int64_t>(batch.indices().size()); ++row) {
      batch.start(row);
      x[row] = static_cast<int64_t>(tj::data::example_seed());
    }
  }
};

/// The data of every batch of one epoch.
std::vector<std::vector<int64_t>> epoch(tj::data::DataLoader &loader) {
  std::vector<std::vector<int64_t>> batches;
  for (auto [x, y] : loader) batches.push_back(values(x));
  return batches;
}

std::vector<int64_t> targets(tj::data::DataLoader &loader) {
  std::vector<int64_t> all;
  for (auto [x, y] : loader)
    for (int64_t v : values(y)) all.push_back(v);
  return all;
}

class WithWorkers : public testing::TestWithParam<int> {
protected:
  DataLoaderOptions options() const { return DataLoaderOptions().num_workers(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Loader, WithWorkers, testing::Values(0, 1, 2, 4));

TEST_P(WithWorkers, BatchesComeInOrder) {
  auto loader = make_data_loader(Pairs(5), options().batch_size(2));
  EXPECT_EQ(loader->size(), 3);
  std::vector<std::vector<int64_t>> expected{{0, 0, 1, 10}, {2, 20, 3, 30}, {4, 40}};
  EXPECT_EQ(epoch(*loader), expected);
  EXPECT_EQ(epoch(*loader), expected);
  for (auto [x, y] : *loader) {
    EXPECT_EQ(x.sizes(), (tj::Shape{2, 2}));
    EXPECT_EQ(y.sizes(), tj::Shape{2});
    break;
  }
}

TEST_P(WithWorkers, DropLastLeavesOutTheRest) {
  auto loader = make_data_loader(Pairs(5), options().batch_size(2).drop_last(true));
  EXPECT_EQ(loader->size(), 2);
  EXPECT_EQ(targets(*loader), (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST_P(WithWorkers, ShuffleDependsOnSeedAndEpochAlone) {
  auto order = [&](int workers, uint64_t seed, uint64_t number) {
    auto loader =
        make_data_loader(Pairs(50), DataLoaderOptions().num_workers(workers).batch_size(7).shuffle(true).seed(seed));
    loader->set_epoch(number);
    return targets(*loader);
  };
  auto first = order(GetParam(), 3, 0);
  EXPECT_EQ(first, order(0, 3, 0));
  EXPECT_NE(first, order(GetParam(), 3, 1));
  EXPECT_NE(first, order(GetParam(), 4, 0));
  std::vector<int64_t> everything(50), sorted = first;
  std::iota(everything.begin(), everything.end(), 0);
  EXPECT_NE(first, everything);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, everything);
}

TEST_P(WithWorkers, EpochsFollowEachOther) {
  auto loader = make_data_loader(Pairs(20), options().batch_size(4).shuffle(true).persistent_workers(true));
  auto first = targets(*loader), second = targets(*loader);
  EXPECT_NE(first, second);
  loader->set_epoch(0);
  EXPECT_EQ(targets(*loader), first);
  EXPECT_EQ(targets(*loader), second);
}

TEST_P(WithWorkers, DL01_AnExceptionArrivesUnchangedAfterTheBatchesBefore) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  auto loader = make_data_loader(Pairs(10,
                                       [](int64_t i) {
                                         if (i == 5) throw Mine("item five");
                                       }),
                                 options().batch_size(2));
  int batches = 0;
  try {
    for (auto [x, y] : *loader) EXPECT_EQ(values(y)[0], 2 * batches++);
    FAIL() << "nothing was thrown";
  } catch (const Mine &e) {
    EXPECT_STREQ(e.what(), "item five");
  }
  EXPECT_EQ(batches, 2);
  EXPECT_EQ(loader->failed_index(), 5);
}

TEST_P(WithWorkers, AnIteratorIsOverAfterItsException) {
  auto loader = make_data_loader(Pairs(10,
                                       [](int64_t i) {
                                         if (i == 5) throw tj::value_error("bad");
                                       }),
                                 options().batch_size(5));
  auto it = loader->begin();
  EXPECT_THROW(++it, tj::value_error);
  EXPECT_TRUE(it == loader->end());
  ++it;
  EXPECT_TRUE(it == loader->end());
}

TEST_P(WithWorkers, DL03_LeavingWhileTheQueueIsFullStopsCleanly) {
  for (bool persistent : {false, true}) {
    auto fetched = std::make_shared<std::atomic<int>>(0);
    auto loader = make_data_loader(Pairs(1000, [fetched](int64_t) { ++*fetched; }),
                                   options().batch_size(1).persistent_workers(persistent));
    {
      auto it = loader->begin();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_LE(*fetched, 1 + GetParam() * 3); // the window, and one more for the batch handed out
    }
    EXPECT_EQ(values((*loader->begin()).target), std::vector<int64_t>{0});
  }
}

TEST_P(WithWorkers, DL03_TheLoaderMayGoBeforeItsIterator) {
  auto loader = make_data_loader(Pairs(100), options().persistent_workers(true));
  auto it = loader->begin();
  loader.reset();
  EXPECT_EQ(values((*it).target), std::vector<int64_t>{0});
  ++it;
  EXPECT_TRUE(it == std::default_sentinel);
}

TEST_P(WithWorkers, TwoEpochsAtOnceDoNotDisturbEachOther) {
  auto loader = make_data_loader(Pairs(6), options().batch_size(2).persistent_workers(true));
  std::vector<int64_t> inner, outer;
  for (auto [x, y] : *loader) {
    outer.push_back(values(y)[0]);
    if (outer.size() == 1) inner = targets(*loader);
  }
  EXPECT_EQ(outer, (std::vector<int64_t>{0, 2, 4}));
  EXPECT_EQ(inner, (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

TEST_P(WithWorkers, DL05_EveryExampleHasRandomNumbersOfItsOwn) {
  auto draws = [](int workers, int64_t batch) {
    auto loader = make_data_loader(Draws(), DataLoaderOptions().num_workers(workers).batch_size(batch).seed(7));
    std::vector<int64_t> all;
    for (int e = 0; e < 2; ++e)
      for (auto &b : epoch(*loader)) all.insert(all.end(), b.begin(), b.end());
    return all;
  };
  auto all = draws(GetParam(), 2);
  EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 16u);
  EXPECT_EQ(all, draws(0, 1));
}

TEST_P(WithWorkers, DL07_TheGlobalGeneratorDoesNotMove) {
  tj::manual_seed(11);
  tj::rand({3});
  auto seed = tj::default_generator().seed(), offset = tj::default_generator().offset();
  for (bool shuffle : {false, true}) {
    auto loader = make_data_loader(Draws(), options().batch_size(3).shuffle(shuffle));
    epoch(*loader);
  }
  EXPECT_EQ(tj::default_generator().seed(), seed);
  EXPECT_EQ(tj::default_generator().offset(), offset);
}

TEST_P(WithWorkers, DL09_AnEmptySetHasNoBatches) {
  for (bool shuffle : {false, true}) {
    auto loader = make_data_loader(Pairs(0), options().shuffle(shuffle));
    EXPECT_EQ(loader->size(), 0);
    EXPECT_TRUE(epoch(*loader).empty());
  }
}

TEST_P(WithWorkers, DL09_ABatchLargerThanTheSet) {
  auto loader = make_data_loader(Pairs(3), options().batch_size(10));
  EXPECT_EQ(epoch(*loader), (std::vector<std::vector<int64_t>>{{0, 0, 1, 10, 2, 20}}));
  auto dropping = make_data_loader(Pairs(3), options().batch_size(10).drop_last(true));
  EXPECT_TRUE(epoch(*dropping).empty());
}

TEST_P(WithWorkers, BatchesThatAreKeptKeepTheirValues) {
  auto loader = make_data_loader(Pairs(40), options().batch_size(2));
  std::vector<tj::Tensor> kept;
  for (auto [x, y] : *loader)
    if (kept.size() < 7) kept.push_back(y);
  loader.reset();
  for (size_t b = 0; b < kept.size(); ++b)
    EXPECT_EQ(values(kept[b]), (std::vector<int64_t>{static_cast<int64_t>(2 * b), static_cast<int64_t>(2 * b + 1)}));
}

TEST_P(WithWorkers, FetchingInsideACompiledFunctionIsNotRecorded) {
  struct Doubled : tj::data::Dataset {
    int64_t size() const override { return 4; }
    Example get(int64_t i) override { return {tj::tensor({1.0f}) * 2 * i, {}}; }
  };
  auto loader = make_data_loader(Doubled(), options().batch_size(2));
  tj::Options without;
  without.mode = tj::Options::Mode::NoCodegen;
  auto f = tj::compile(
      [&] {
        auto total = tj::zeros({1});
        for (auto [x, y] : *loader) total = total + x.sum();
        return total;
      },
      without);
  for (int call = 0; call < 2; ++call) EXPECT_EQ(f().item(), 12);
  EXPECT_EQ(f.stats().graph_breaks, 0);
}

TEST(Loader, MemoryOfABatchIsUsedAgain) {
  auto loader = make_data_loader(Pairs(100), DataLoaderOptions().batch_size(1));
  std::set<void *> seen;
  for (auto [x, y] : *loader) seen.insert(x.data_ptr());
  EXPECT_LE(seen.size(), 4u);
}

TEST(Loader, ExamplesOfABatchMustAgree) {
  struct Ragged : tj::data::Dataset {
    int64_t size() const override { return 4; }
    Example get(int64_t i) override { return {tj::zeros({i == 2 ? 3 : 2}), {}}; }
  };
  auto loader = make_data_loader(Ragged(), DataLoaderOptions().batch_size(4));
  try {
    loader->begin();
    FAIL() << "nothing was thrown";
  } catch (const tj::shape_error &e) {
    EXPECT_STREQ(e.what(), "data loader: example 2 has data f32[3], the first of its batch has f32[2]");
  }
}

TEST(Loader, OptionsOutsideTheirDomainAreRefused) {
  auto error = [](DataLoaderOptions options) -> std::string {
    try {
      make_data_loader(Pairs(1), options);
    } catch (const tj::value_error &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(DataLoaderOptions().batch_size(0)), "DataLoader: batch_size must be at least 1, got 0");
  EXPECT_EQ(error(DataLoaderOptions().num_workers(-1)), "DataLoader: num_workers must be in [0, 1024], got -1");
  EXPECT_EQ(error(DataLoaderOptions().prefetch_factor(0)), "DataLoader: prefetch_factor must be in [1, 1024], got 0");
  EXPECT_EQ(error(DataLoaderOptions().pin_memory(true)), "no error");
}

TEST(Loader, ExampleSeedNeedsAFetch) { EXPECT_THROW(tj::data::example_seed(), tj::Error); }

} // namespace
