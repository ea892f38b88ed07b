#include "tensorjit/data/dataloader.h"
#include "tensorjit/data/fashion_mnist.h"
#include "tensorjit/data/idx.h"
#include "tensorjit/error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

namespace tj = tensorjit;
using tj::data::datasets::FashionMNIST;
using Bytes = std::vector<uint8_t>;

namespace {

/// A folder that goes away with the test.
class DataFiles : public testing::Test {
protected:
  std::filesystem::path folder;

  void SetUp() override {
    auto *test = testing::UnitTest::GetInstance()->current_test_info();
    folder =
        std::filesystem::temp_directory_path() / (std::string("tensorjit-") + test->name() + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }
  void write(const std::string &name, const Bytes &bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  void writeGz(const std::string &name, const Bytes &bytes) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }
};

Bytes idx(const std::vector<uint32_t> &sizes, Bytes content, uint8_t type = 8) {
  Bytes out{0, 0, type, static_cast<uint8_t>(sizes.size())};
  for (uint32_t s : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<uint8_t>(s >> shift));
  out.insert(out.end(), content.begin(), content.end());
  return out;
}

/// The text of the io_error, or "no error".
template <class F> std::string ioError(F f) {
  try {
    f();
  } catch (const tj::io_error &e) {
    return e.what();
  }
  return "no error";
}

TEST_F(DataFiles, ReadsPlainAndCompressed) {
  write("plain", idx({2, 3}, {1, 2, 3, 4, 5, 6}));
  writeGz("packed.gz", idx({2, 3}, {1, 2, 3, 4, 5, 6}));
  for (auto *name : {"plain", "packed.gz"}) {
    auto array = tj::data::read_idx(path(name));
    EXPECT_EQ(array.sizes, (tj::Shape{2, 3}));
    EXPECT_EQ(array.bytes, (Bytes{1, 2, 3, 4, 5, 6}));
  }
}

TEST_F(DataFiles, NamesPathAndReasonOfABadFile) {
  struct Case {
    Bytes bytes;
    std::string reason;
  };
  const Case cases[] = {
      {{}, "truncated: the header is incomplete"},
      {{0, 0, 8}, "truncated: the header is incomplete"},
      {{0, 0, 8, 1, 0, 0}, "truncated: the header is incomplete"},
      {{'P', 'K', 3, 4, 0, 0, 0, 0}, "not an IDX file"},
      {idx({1}, {1}, 13), "IDX element type 13 is not unsigned byte (8)"},
      {{0, 0, 8, 0}, "IDX with 0 dims; 1 to 8 are supported"},
      {{0, 0, 8, 9}, "IDX with 9 dims; 1 to 8 are supported"},
      {idx({4}, {1, 2, 3}), "truncated: [4] needs 4 bytes, found 3"},
      {idx({2}, {1, 2, 3}), "more data than [2] needs"},
      {idx({0xffffffff, 0xffffffff, 0xffffffff}, {1}), "sizes [4294967295x4294967295x4294967295] overflow"},
      // Memory must follow the file, not what its header says.
      {idx({0xffffffff, 1000}, {1}), "truncated: [4294967295x1000] needs 4294967295000 bytes, found 1"},
  };
  for (const auto &c : cases) {
    write("file", c.bytes);
    EXPECT_EQ(ioError([&] { tj::data::read_idx(path("file")); }), path("file") + ": " + c.reason);
  }
  EXPECT_EQ(ioError([&] { tj::data::read_idx(path("none")); }), path("none") + ": No such file or directory");
}

TEST_F(DataFiles, EveryPrefixOfACompressedFileIsRefused) {
  writeGz("whole.gz", idx({300}, Bytes(300, 7)));
  std::ifstream in(path("whole.gz"), std::ios::binary);
  Bytes whole((std::istreambuf_iterator<char>(in)), {});
  for (size_t n = 0; n < whole.size(); ++n) {
    write("cut.gz", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)));
    EXPECT_NE(ioError([&] { tj::data::read_idx(path("cut.gz")); }), "no error") << n << " of " << whole.size();
  }
}

class FashionFiles : public DataFiles {
protected:
  void writeSet(uint32_t images, Bytes labels, uint32_t side = 28) const {
    writeGz("train-images-idx3-ubyte.gz", idx({images, side, side}, Bytes(size_t{images} * side * side, 51)));
    write("train-labels-idx1-ubyte", idx({static_cast<uint32_t>(labels.size())}, labels));
  }
  std::string error() const {
    return ioError([&] { FashionMNIST(folder.string(), true); });
  }
};

TEST_F(FashionFiles, ReadsImagesAsFractionsAndLabelsAsIndices) {
  writeSet(3, {0, 9, 4});
  FashionMNIST set(folder.string(), true);
  EXPECT_EQ(set.size(), 3);
}

TEST_F(FashionFiles, RefusesFilesThatDoNotBelongTogether) {
  auto images = path("train-images-idx3-ubyte.gz"), labels = path("train-labels-idx1-ubyte");
  EXPECT_EQ(error(), path("train-images-idx3-ubyte") + "[.gz]: No such file");
  writeSet(3, {0, 9});
  EXPECT_EQ(error(), labels + ": 2 labels for the 3 images of " + images);
  writeSet(3, {0, 9, 10});
  EXPECT_EQ(error(), labels + ": label 10 at 2 is outside [0, 10)");
  writeSet(2, {0, 9}, 32);
  EXPECT_EQ(error(), images + ": expected images [Nx28x28], found [2x32x32]");
  write("train-labels-idx1-ubyte", idx({1, 2}, {0, 9}));
  writeGz("train-images-idx3-ubyte.gz", idx({2, 28, 28}, Bytes(2 * 28 * 28, 51)));
  EXPECT_EQ(error(), labels + ": expected labels [N], found [1x2]");
}

TEST(FashionMNIST, ReadsTheRealFiles) {
  const std::string root = "/usr/share/datasets/fashion-mnist";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << root << " is not installed";
  EXPECT_EQ(FashionMNIST(root, false).size(), 10000);
  auto loader = tj::data::make_data_loader(FashionMNIST(root, true), tj::data::DataLoaderOptions().batch_size(4));
  EXPECT_EQ(loader->size(), 15000);
  for (auto [x, y] : *loader) {
    EXPECT_EQ(x.sizes(), (tj::Shape{4, 1, 28, 28}));
    auto *classes = y.data_ptr<int64_t>();
    EXPECT_EQ(std::vector<int64_t>(classes, classes + 4), (std::vector<int64_t>{9, 0, 0, 3}));
    auto *pixels = x.data_ptr<float>();
    auto [low, high] = std::minmax_element(pixels, pixels + x.numel());
    EXPECT_EQ(*low, 0.0f);
    EXPECT_EQ(*high, 1.0f);
    break;
  }
}

TEST_F(FashionFiles, AcceptsAnEmptySet) {
  writeSet(0, {});
  EXPECT_EQ(FashionMNIST(folder.string(), true).size(), 0);
}

} // namespace
