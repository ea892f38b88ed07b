// Creation, reading back, printing and messages.
#include "Expect.h"
#include "core/Allocator.h"

#include <fstream>
#include <sstream>
#include <sys/resource.h>

using namespace tensorjit;
using namespace tensorjit::test;

static std::string printed(const Tensor &t) {
  std::ostringstream os;
  os << t;
  return os.str();
}

TEST(Tensor, LiteralsHaveTorchDtypes) {
  EXPECT_EQ(tensor({1, 2}).dtype(), kLong);
  EXPECT_EQ(tensor({1.0, 2.0}).dtype(), kFloat);
  EXPECT_EQ(tensor({true}).dtype(), kBool);
  EXPECT_EQ(tensor(2.5).sizes(), Shape());
  EXPECT_VALUES(tensor({{1, 2}, {3, 4}}), 1, 2, 3, 4);
}

TEST(Tensor, Arange) {
  EXPECT_VALUES(arange(3), 0, 1, 2);
  EXPECT_VALUES(arange(5, 0, -2), 5, 3, 1);
  EXPECT_EQ(arange(0, 1, 0.3).numel(), 4);
  EXPECT_EQ(arange(0).numel(), 0);
  errorOf<value_error>([] { arange(0, 3, 0); });
}

TEST(Tensor, Prints) {
  EXPECT_EQ(printed(tensor({{1.f, 2.5f}})), "[[1, 2.5]] f32[1x2]");
  EXPECT_EQ(printed(tensor(7)), "7 i64[]");
  EXPECT_EQ(printed(zeros({0})), "[] f32[0]");
  EXPECT_EQ(printed(Tensor()), "undefined tensor");
  EXPECT_EQ(printed(arange(100)), "[0, 1, 2, 3, ..., 96, 97, 98, 99] i64[100]");
}

TEST(Tensor, ItemNeedsOneElement) {
  EXPECT_EQ(tensor({5}).item<int>(), 5);
  EXPECT_TRUE(static_cast<bool>(tensor(0.5)));
  errorOf<value_error>([] { zeros({2}).item(); });
}

TEST(Tensor, MessagesNameTheUsersLine) {
  const auto line = std::to_string(__LINE__ + 1);
  const std::string text = errorOf<shape_error>([] { matmul(ones({128, 784}), ones({512, 10})); });
  EXPECT_EQ(text, "matmul: cannot multiply [128x784] by [512x10]: inner sizes 784 and 512 differ (core_tensor.cpp:" +
                      line + ")");
}

TEST(Tensor, LineOfAModuleCallIsTheCallers) {
  nn::Linear layer(4, 2);
  const auto line = "(core_tensor.cpp:" + std::to_string(__LINE__ + 1) + ")";
  EXPECT_NE(errorOf<shape_error>([&] { layer(ones({3, 5})); }).find(line), std::string::npos);
}

TEST(Tensor, OperatorsKnowTheirLine) {
  const auto line = "(core_tensor.cpp:" + std::to_string(__LINE__ + 1) + ")";
  EXPECT_NE(errorOf<shape_error>([] { ones({3}) + ones({4}); }).find(line), std::string::npos);
}

TEST(Tensor, SizesMustBeCountable) {
  errorOf<shape_error>([] { zeros({int64_t(1) << 40, int64_t(1) << 40}); });
  errorOf<shape_error>([] { zeros({-1}); });
  EXPECT_EQ(zeros({int64_t(1) << 40, 0}).numel(), 0);
}

TEST(Tensor, OutOfMemorySaysHowMuch) {
  EXPECT_NE(errorOf<out_of_memory>([] { zeros({int64_t(1) << 45}); }).find("128 TiB"), std::string::npos);
  EXPECT_VALUES(zeros({1}), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // which keep no freed block, or end the process
TEST(Tensor, FreedMemoryServesTheNextTensorOfItsSize) {
  for (int64_t n : {10, 1 << 20}) {
    zeros({n});
    const uint64_t before = allocatorStats().fromSystem;
    for (int i = 0; i < 10; ++i) zeros({n});
    EXPECT_EQ(allocatorStats().fromSystem, before) << n;
  }
}

TEST(Tensor, SizesThatVaryDoNotPileUpInTheCache) {
  constexpr size_t slack = size_t(64) << 20;
  for (int64_t n = 1 << 20; n < 1 << 25; n += n / 4) zeros({n});
  const AllocatorStats stats = allocatorStats();
  EXPECT_LE(stats.live + stats.cached, stats.peak + slack);
  EXPECT_GE(stats.peak, size_t(100) << 20);
  emptyAllocatorCache();
  EXPECT_EQ(allocatorStats().cached, 0u);
}

TEST(Tensor, CachedMemoryIsGivenBackBeforeAnAllocationFails) {
  rlimit unlimited;
  getrlimit(RLIMIT_AS, &unlimited);
  { Tensor a = empty({100 << 20}, kUInt8), b = empty({101 << 20}, kUInt8); }
  ASSERT_GE(allocatorStats().cached, size_t(200) << 20);
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit limit = {pages * 4096 + (rlim_t(220) << 20), unlimited.rlim_max};
  setrlimit(RLIMIT_AS, &limit);
  Tensor held = empty({300 << 20}, kUInt8);
  std::string text = errorOf<out_of_memory>([] { empty({200 << 20}, kUInt8); });
  setrlimit(RLIMIT_AS, &unlimited);
  EXPECT_NE(text.find("cannot allocate 200 MiB; tensors hold 3"), std::string::npos) << text;
  EXPECT_NE(text.find("the largest 320 MiB"), std::string::npos) << text;
}
#endif

TEST(Tensor, MemoryComesBack) {
  const size_t before = allocatedBytes();
  for (int i = 0; i < 10; ++i) zeros({1 << 20});
  EXPECT_EQ(allocatedBytes(), before);
}

TEST(Tensor, Comparisons) {
  const Tensor a = tensor({1.f, 2.f}), b = tensor({1.f, 2.000001f});
  EXPECT_FALSE(equal(a, b));
  EXPECT_TRUE(allclose(a, b));
  EXPECT_FALSE(allclose(tensor({INFINITY}), tensor({1.f})));
  EXPECT_TRUE(allclose(tensor({INFINITY}), tensor({INFINITY})));
  EXPECT_FALSE(allclose(tensor({NAN}), tensor({NAN})));
}
