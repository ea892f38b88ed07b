// Safetensors files, good and bad.
#include "Expect.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

struct Safetensors : testing::Test {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tensorjit-safetensors-" + std::to_string(getpid()))).string();
  void TearDown() override { std::filesystem::remove(path); }

  void writeRaw(const std::string &bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  void write(const std::string &header, const std::string &data) const {
    std::string length(8, '\0');
    for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(static_cast<uint64_t>(header.size()) >> 8 * i);
    writeRaw(length + header + data);
  }
  std::string contents() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string error() const {
    return errorOf<io_error>([&] { data::read_safetensors(path); }).substr(path.size());
  }
  void expectRefused(const std::string &header, const std::string &data, const std::string &reason) const {
    write(header, data);
    const std::string text = error();
    EXPECT_NE(text.find(reason), text.npos) << header << "\n" << text;
  }
};

} // namespace

TEST_F(Safetensors, WhatIsWrittenIsReadBack) {
  OrderedDict<Tensor> dict;
  for (DType type : {kBool, kUInt8, DType::I8, kInt32, kInt64, kFloat32, kFloat64})
    for (Shape sizes : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 4}})
      dict.insert(std::string(name(type)) + sizes.str() + " \"\\\n\xc3\xa9", ones(sizes, type));
  dict.insert("strided", transpose(tensor({{1, 2, 3}, {4, 5, 6}}), 0, 1));
  data::write_safetensors(path, dict, {{"format", "pt"}});
  const OrderedDict<Tensor> back = data::read_safetensors(path);
  EXPECT_EQ(back.size(), dict.size());
  for (const auto &[name, value] : dict) {
    ASSERT_TRUE(back.contains(name)) << name;
    EXPECT_TRUE(equal(*back.find(name), value)) << name;
  }
  EXPECT_EQ(data::SafetensorsFile(path).metadata().at("format"), "pt");
}

// The bytes of the format's own documentation, written by hand.
TEST_F(Safetensors, ReadsTheFormatOfOthers) {
  write(R"({"__metadata__":{"a":"b"},"x":{"dtype":"F32","shape":[2],"data_offsets":[3,11]},)"
        R"("b":{"dtype":"BOOL","shape":[3],"data_offsets":[0,3]}}   )",
        std::string("\0\1\7\0\0\x80\x3f\0\0\0\xc0", 11));
  const auto dict = data::read_safetensors(path);
  EXPECT_VALUES(*dict.find("x"), 1, -2);
  EXPECT_VALUES(*dict.find("b"), 0, 1, 1);
}

TEST_F(Safetensors, NoTensorsAtAll) {
  data::write_safetensors(path, {});
  EXPECT_TRUE(data::read_safetensors(path).is_empty());
}

TEST_F(Safetensors, EveryPrefixIsRefused) {
  OrderedDict<Tensor> dict;
  dict.insert("a", ones({2}));
  dict.insert("b", ones({3}, kInt64));
  data::write_safetensors(path, dict);
  const std::string whole = contents();
  for (size_t n = 0; n < whole.size(); ++n) {
    writeRaw(whole.substr(0, n));
    EXPECT_FALSE(error().empty()) << n;
  }
  writeRaw(whole + "x");
  EXPECT_FALSE(error().empty());
}

TEST_F(Safetensors, EveryChangedByteOfTheHeaderReadsOrRefuses) {
  OrderedDict<Tensor> dict;
  dict.insert("a", ones({2, 3}));
  data::write_safetensors(path, dict);
  const std::string whole = contents();
  for (size_t at = 0; at + 24 < whole.size(); ++at)
    for (char c : {'\0', '9', '"', '{', '-', '\xff'}) {
      std::string changed = whole;
      changed[at] = c;
      writeRaw(changed);
      try {
        data::read_safetensors(path);
      } catch (const io_error &) {
      }
    }
}

TEST_F(Safetensors, ABadHeaderIsRefusedWithItsReason) {
  const std::string eight(8, '\0');
  EXPECT_NE(error().find("No such file"), std::string::npos);
  writeRaw("\xff\xff\xff\xff\xff\xff\xff\x7f rest");
  EXPECT_NE(error().find("not a safetensors file: a header of 9223372036854775807 bytes"), std::string::npos);
  writeRaw(std::string("\x40\0\0\0\0\0\0\0", 8) + "{}");
  EXPECT_EQ(error(), ": truncated header");
  expectRefused("[]", "", "not an object");
  expectRefused("{", "", "bad header");
  expectRefused(R"({"x":{"dtype":"U32","shape":[2],"data_offsets":[0,8]}})", eight, "'x': dtype U32 is not supported");
  expectRefused(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", eight, "[3] of F32 does not have 8 bytes");
  expectRefused(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", eight, "bad number -2");
  expectRefused(R"({"x":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})", eight, "bad number 2.0");
  expectRefused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", eight, "outside the file");
  expectRefused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", eight, "outside the file");
  expectRefused(R"({"x":{"dtype":"U8","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", "", "bad header");
  expectRefused(R"({"x":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", "a", "more than 8 dims");
  expectRefused(
      R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
      "ab", "'x' stands twice");
  expectRefused(
      R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
      "abc", "'y' overlaps");
  expectRefused(
      R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
      "abc", "a gap before tensor 'y'");
  expectRefused(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "ab", "1 bytes behind the last");
  expectRefused(R"({"x":{"dtype":"U8","shape":[1]}})", "a", "data_offsets");
  expectRefused(std::string(1000000, '['), "", "bad header");
}

TEST_F(Safetensors, HalvesAreReadAndWritten) {
  write(
      R"({"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]},"y":{"dtype":"F16","shape":[1],"data_offsets":[2,4]}})",
      std::string("\x80\x3f\x00\xc0", 4));
  auto read = data::read_safetensors(path);
  EXPECT_VALUES(*read.find("x"), 1);
  EXPECT_VALUES(*read.find("y"), -2);
  data::write_safetensors(path, read);
  EXPECT_TRUE(equal(*data::read_safetensors(path).find("y"), tensor({-2.f}).to(kHalf)));
}

TEST_F(Safetensors, NamesAreChecked) {
  OrderedDict<Tensor> twice;
  twice.insert("x", ones({1}));
  twice.insert("x", ones({1}));
  errorOf<value_error>([&] { data::write_safetensors(path, twice); });
  OrderedDict<Tensor> bytes;
  bytes.insert("\xff", ones({1}));
  errorOf<value_error>([&] { data::write_safetensors(path, bytes); });
  EXPECT_FALSE(std::filesystem::exists(path));
}
