#include "tensorjit/data/npy.h"
#include "tensorjit/creation.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <unistd.h>

namespace tensorjit::data {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

struct TypeCode {
  DType dtype;
  const char *code;
};
constexpr TypeCode typeCodes[] = {{DType::Bool, "|b1"}, {DType::U8, "|u1"},  {DType::I8, "|i1"}, {DType::I32, "<i4"},
                                  {DType::I64, "<i8"},  {DType::F32, "<f4"}, {DType::F64, "<f8"}};

struct Header {
  DType dtype{};
  bool fortranOrder = false;
  Shape sizes; ///< as stored
};

[[noreturn]] void fail(const std::string &path, const std::string &reason) { throw io_error(path + ": " + reason); }

/// The header is a Python dictionary literal of three known keys, so three searches read it.
Header parseHeader(const std::string &path, const std::string &text) {
  Header header;
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("'descr':\\s*'([^']*)'"))) fail(path, "header without 'descr'");
  std::string code = found[1];
  auto *type = std::find_if(std::begin(typeCodes), std::end(typeCodes), [&](auto &t) { return code == t.code; });
  if (type == std::end(typeCodes)) fail(path, "element type '" + code + "' is not supported");
  header.dtype = type->dtype;

  if (!std::regex_search(text, found, std::regex("'fortran_order':\\s*(True|False)")))
    fail(path, "header without 'fortran_order'");
  header.fortranOrder = found[1] == "True";

  if (!std::regex_search(text, found, std::regex("'shape':\\s*\\(([0-9, ]*)\\)"))) fail(path, "header without 'shape'");
  std::string sizes = found[1];
  std::regex number("[0-9]+");
  for (std::sregex_iterator it(sizes.begin(), sizes.end(), number), end; it != end; ++it) {
    if (it->length() > 18) fail(path, "a size of " + it->str());
    if (header.sizes.rank() == Shape::maxRank) fail(path, "more than 8 dims");
    header.sizes.push_back(std::stoll(it->str()));
  }
  return header;
}

/// Where element `i` of the row-major result lies in a file of Fortran order.
size_t fortranPosition(const Shape &sizes, int64_t i) {
  int64_t at = 0, stride = 1, rest = i;
  int64_t digits[Shape::maxRank];
  for (size_t d = sizes.rank(); d-- > 0; rest /= sizes[d]) digits[d] = rest % sizes[d];
  for (size_t d = 0; d < sizes.rank(); stride *= sizes[d++]) at += digits[d] * stride;
  return static_cast<size_t>(at);
}

std::string headerOf(const Tensor &t) {
  auto *type = std::find_if(std::begin(typeCodes), std::end(typeCodes), [&](auto &c) { return c.dtype == t.dtype(); });
  if (type == std::end(typeCodes)) throw not_supported(std::string("write_npy: dtype ") + name(t.dtype()));
  std::string sizes;
  for (int64_t s : t.sizes()) sizes += std::to_string(s) + ", ";
  std::string text = std::string("{'descr': '") + type->code + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // Data starts at a multiple of 64 bytes.
  text.append(64 - (magic.size() + 4 + text.size() + 1) % 64, ' ');
  return text + '\n';
}

} // namespace

Tensor read_npy(const std::string &path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) fail(path, "cannot be opened");
  auto total = static_cast<uint64_t>(in.tellg());
  std::string start(10, '\0');
  if (!in.seekg(0).read(start.data(), 10) || start.compare(0, 6, magic) != 0) fail(path, "not a .npy file");
  auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(start[i])); };
  uint64_t length = byte(8) | byte(9) << 8, offset = 10;
  if (start[6] != 1) { // versions 2 and 3 have two more length bytes
    char more[2];
    if (!in.read(more, 2)) fail(path, "truncated header");
    length |= uint64_t{static_cast<uint8_t>(more[0])} << 16 | uint64_t{static_cast<uint8_t>(more[1])} << 24;
    offset = 12;
  }
  if (length > total - offset || length > 4096) fail(path, "truncated header");
  std::string text(length, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) fail(path, "truncated header");

  Header header = parseHeader(path, text);
  uint64_t bytes = 0;
  try {
    bytes = static_cast<uint64_t>(header.sizes.numel()) * itemSize(header.dtype);
  } catch (const shape_error &e) {
    fail(path, e.what());
  }
  if (bytes != total - offset - length)
    fail(path, header.sizes.str() + " of " + name(header.dtype) + " needs " + std::to_string(bytes) + " bytes, found " +
                   std::to_string(total - offset - length));

  Tensor t = empty(header.sizes, header.dtype);
  auto *data = static_cast<char *>(t.data_ptr());
  if (!in.read(data, static_cast<std::streamsize>(bytes))) fail(path, "cannot be read");
  if (header.dtype == DType::Bool)
    for (uint64_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
  if (header.fortranOrder && header.sizes.rank() > 1) {
    std::string stored(data, bytes);
    size_t item = itemSize(header.dtype);
    for (int64_t i = 0, n = header.sizes.numel(); i < n; ++i)
      std::memcpy(data + static_cast<size_t>(i) * item, stored.data() + fortranPosition(header.sizes, i) * item, item);
  }
  return t;
}

void write_npy(const std::string &path, const Tensor &t) {
  std::string text = headerOf(t);
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    const char length[] = {static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
    out << magic << '\x01' << '\x00';
    out.write(length, 2) << text;
    Tensor dense = t.contiguous();
    out.write(static_cast<const char *>(dense.data_ptr()),
              static_cast<std::streamsize>(static_cast<size_t>(t.numel()) * itemSize(t.dtype())));
    if (!out.flush()) {
      std::error_code ignored;
      std::filesystem::remove(temporary, ignored);
      fail(path, "cannot be written");
    }
  }
  std::error_code failed;
  std::filesystem::rename(temporary, path, failed);
  if (failed) fail(path, failed.message());
}

} // namespace tensorjit::data
