// A row written into a large tensor is all that is touched of it.
#include <cstdint>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <tensorjit/tensorjit.h>
#include <unistd.h>
#include <vector>

namespace tensorjit {
namespace {

constexpr int64_t rows = 1 << 18, columns = 512; // 512 MB

/// A tensor whose memory nobody has touched: the system then knows which pages are read or written.
class UntouchedTensor {
public:
  UntouchedTensor() : tensor(empty({rows, columns})) {
    const auto start = (reinterpret_cast<uintptr_t>(tensor.data_ptr()) + page - 1) / page * page;
    first_ = start / page;
    count_ = bytes / page - 1;
    madvise(reinterpret_cast<void *>(start), count_ * page, MADV_DONTNEED);
    madvise(reinterpret_cast<void *>(start), count_ * page, MADV_NOHUGEPAGE);
  }
  /// Bytes of the pages that have been touched.
  size_t touched() const {
    std::vector<uint64_t> entries(count_);
    const int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    const ssize_t size = pread(map, entries.data(), count_ * sizeof(uint64_t), static_cast<off_t>(first_ * 8));
    close(map);
    if (size != static_cast<ssize_t>(count_ * sizeof(uint64_t))) return SIZE_MAX;
    size_t present = 0;
    for (uint64_t entry : entries) present += entry >> 63;
    return present * page;
  }
  static constexpr size_t page = 4096, bytes = rows * columns * sizeof(float);
  Tensor tensor;

private:
  uintptr_t first_;
  size_t count_;
};

template <class Write> void expectRowsAlone(Write write, const UntouchedTensor &cache) {
  const void *memory = cache.tensor.data_ptr();
  for (int64_t row : {int64_t(5), rows / 2, rows - 9}) write(cache.tensor, full({1, columns}, 2.f), row);
  EXPECT_LT(cache.touched(), size_t(1) << 20);
  EXPECT_GE(cache.touched(), size_t(3) * columns * sizeof(float));
  EXPECT_EQ(cache.tensor.data_ptr(), memory);
  for (int64_t row : {int64_t(5), rows / 2, rows - 9})
    EXPECT_EQ(select(cache.tensor, 0, row).sum().item(), 2.0 * columns);
}

void writeRow(Tensor cache, const Tensor &x, int64_t row) { narrow(cache, 0, row, 1).copy_(x); }
void writeComputedRow(Tensor cache, const Tensor &x, int64_t row) {
  select(cache, 0, row).copy_(select(x, 0, 0) * 3.f - 4.f);
}

TEST(PartialWrite, OfALargeTensorTouchesTheRowAlone) {
  for (auto write : {writeRow, writeComputedRow}) {
    UntouchedTensor eager, compiled;
    expectRowsAlone(write, eager);
    auto function = compile(write);
    expectRowsAlone(function, compiled);
    EXPECT_EQ(function.stats().eager_segments, 0) << function.explain();
  }
}

TEST(PartialWrite, TheCounterCounts) {
  UntouchedTensor cache;
  EXPECT_EQ(cache.touched(), 0u);
  cache.tensor.sum().item();
  EXPECT_GT(cache.touched(), UntouchedTensor::bytes - 2 * UntouchedTensor::page);
}

} // namespace
} // namespace tensorjit
