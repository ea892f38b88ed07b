#include "tensorjit/creation.h"
#include "tensorjit/data/npy.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace tj = tensorjit;

namespace {

class Npy : public testing::Test {
protected:
  std::string path = (std::filesystem::temp_directory_path() / ("tensorjit-npy-" + std::to_string(getpid()))).string();
  void TearDown() override { std::filesystem::remove(path); }

  void write(const std::string &header, const std::string &data, char version = 1) const {
    std::string length{static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
    if (version > 1) length += std::string(2, '\0');
    std::ofstream(path, std::ios::binary) << "\x93NUMPY" << version << '\0' << length << header << data;
  }
  std::string error() const {
    try {
      tj::data::read_npy(path);
    } catch (const tj::io_error &e) {
      return std::string(e.what()).substr(path.size());
    }
    return "no error";
  }
};

const std::string threeBytes = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n";

TEST_F(Npy, WhatIsWrittenIsReadBack) {
  auto types = {tj::kBool,  tj::kUInt8, tj::kInt8,    tj::kInt16,  tj::kInt32,
                tj::kInt64, tj::kHalf,  tj::kFloat32, tj::kFloat64};
  for (auto type : types)
    for (auto sizes : {tj::Shape{}, tj::Shape{3}, tj::Shape{2, 0}, tj::Shape{2, 3, 4}}) {
      auto t = tj::ones(sizes, type);
      tj::data::write_npy(path, t);
      EXPECT_TRUE(tj::equal(tj::data::read_npy(path), t)) << tj::name(type) << sizes.str();
    }
}

TEST_F(Npy, FortranOrderBecomesRowMajor) {
  for (char version : {1, 2}) {
    write("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", {1, 4, 2, 5, 3, 6}, version);
    EXPECT_TRUE(tj::equal(tj::data::read_npy(path), tj::tensor({{1, 2, 3}, {4, 5, 6}}, tj::kUInt8)));
  }
}

TEST_F(Npy, TheOtherByteOrderIsTurned) {
  write("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }\n", std::string("\x3f\x80\0\0\xc0\0\0\0", 8));
  EXPECT_TRUE(tj::equal(tj::data::read_npy(path), tj::tensor({1.f, -2.f})));
  write("{'descr': '>i8', 'fortran_order': True, 'shape': (2, 1), }\n",
        std::string("\0\0\0\0\0\0\1\2\xff\xff\xff\xff\xff\xff\xff\xfe", 16));
  EXPECT_TRUE(tj::equal(tj::data::read_npy(path), tj::tensor({{258}, {-2}})));
}

TEST_F(Npy, ADtypeThatNumPyLacksIsSaidSo) {
  EXPECT_THROW(tj::data::write_npy(path, tj::ones({1}, tj::kBFloat16)), tj::not_supported);
}

TEST_F(Npy, BytesOfABoolBecomeZeroOrOne) {
  write("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }\n", {0, 1, 7});
  auto t = tj::data::read_npy(path);
  EXPECT_EQ(std::memcmp(t.data_ptr(), "\0\1\1", 3), 0);
}

TEST_F(Npy, ABadFileIsRefusedWithItsReason) {
  EXPECT_EQ(error(), ": No such file or directory");
  std::ofstream(path) << "PK";
  EXPECT_EQ(error(), ": not a .npy file, or truncated");
  std::ofstream(path) << "PK is of another kind";
  EXPECT_EQ(error(), ": not a .npy file");
  write(threeBytes, "ab");
  EXPECT_EQ(error(), ": [3] of u8 needs 3 bytes, found 2");
  write(threeBytes, "abcd");
  EXPECT_EQ(error(), ": [3] of u8 needs 3 bytes, found 4");
  for (std::string type : {"<c8", "|f4", "=f4", "<f16", "|O", "<U3"}) {
    write("{'descr': '" + type + "', 'fortran_order': False, 'shape': (3,), }", "");
    EXPECT_EQ(error(), ": element type '" + type + "' is not supported");
  }
  write(threeBytes + std::string(10001, ' '), "abc");
  EXPECT_EQ(error(), ": a header of " + std::to_string(10001 + threeBytes.size()) + " bytes");
  write(threeBytes, "abc", 4);
  EXPECT_EQ(error(), ": .npy version 4 is not known");
  write("{'descr': '|u1', 'shape': (3,), }", "");
  EXPECT_EQ(error(), ": header without 'fortran_order'");
  write("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }", "");
  EXPECT_EQ(error(), ": a size of 99999999999999999999");
  write("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999, 9999999999), }", "");
  EXPECT_NE(error(), "no error");
}

TEST_F(Npy, EveryPrefixOfAFileIsRefused) {
  tj::data::write_npy(path, tj::ones({5}));
  std::ifstream in(path, std::ios::binary);
  std::string whole((std::istreambuf_iterator<char>(in)), {});
  for (size_t n = 0; n < whole.size(); ++n) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, n);
    EXPECT_NE(error(), "no error") << n;
  }
}

TEST_F(Npy, AFailedWriteLeavesNothing) {
  EXPECT_THROW(tj::data::write_npy("/nonexistent/x.npy", tj::ones({1})), tj::io_error);
}

} // namespace
