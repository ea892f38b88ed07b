#include "tensorjit/data/npy.h"
#include "core/TensorAccess.h"
#include "file/FileReader.h"
#include "file/FileWriter.h"
#include "trace/Recorder.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tensorjit::data {
namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};

constexpr uint64_t mostHeaderBytes = 10'000; // as in NumPy

/// Without the byte order, which stands before it: "<" little, ">" big, "|" none.
struct TypeCode {
  DType dtype;
  const char *code;
};
constexpr TypeCode typeCodes[] = {{DType::Bool, "b1"}, {DType::U8, "u1"},  {DType::I8, "i1"},
                                  {DType::I16, "i2"},  {DType::I32, "i4"}, {DType::I64, "i8"},
                                  {DType::F16, "f2"},  {DType::F32, "f4"}, {DType::F64, "f8"}};

struct Header {
  DType dtype{};
  bool bigEndian = false, fortranOrder = false;
  Shape sizes; ///< as stored
};

/// What follows `'key':` up to the first of `ends`; the header is a Python dictionary literal of three known keys.
std::string_view valueOf(const FileReader &file, std::string_view text, const std::string &key, const char *ends) {
  const std::string quoted = "'" + key + "'", missing = "header without " + quoted;
  const size_t at = text.find(quoted + ":");
  if (at == text.npos) file.fail(missing);
  text.remove_prefix(at + quoted.size() + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\r"), text.size()));
  const size_t end = text.size() > 1 ? text.find_first_of(ends, 1) : text.npos;
  if (end == text.npos) file.fail(missing);
  return text.substr(0, end);
}

/// The sizes in "(3, 4": digits, commas and blanks.
Shape parseSizes(const FileReader &file, std::string_view text) {
  if (text.empty() || text[0] != '(' || text.find_first_not_of("0123456789, ", 1) != text.npos)
    file.fail("header without 'shape'");
  Shape sizes;
  for (size_t at = 1; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    const size_t end = std::min(text.find_first_of(", ", at), text.size());
    const std::string number(text.substr(at, end - at));
    if (number.size() > 18) file.fail("a size of " + number);
    if (sizes.rank() == Shape::maxRank) file.fail("more than 8 dims");
    sizes.push_back(std::stoll(number));
    at = end;
  }
  return sizes;
}

Header parseHeader(const FileReader &file, const std::string &text) {
  Header header;
  const std::string_view quotedCode = valueOf(file, text, "descr", "'");
  if (quotedCode[0] != '\'') file.fail("header without 'descr'");
  const std::string code(quotedCode.substr(1));
  auto *type = std::find_if(std::begin(typeCodes), std::end(typeCodes),
                            [&](auto &t) { return code.size() == 3 && code.compare(1, 2, t.code) == 0; });
  if (type == std::end(typeCodes) || !std::strchr("<>|", code[0]) || (code[0] == '|' && itemSize(type->dtype) > 1))
    file.fail("element type '" + code + "' is not supported");
  header.dtype = type->dtype;
  header.bigEndian = code[0] == '>';
  const std::string_view order = valueOf(file, text, "fortran_order", ", }");
  if (order != "True" && order != "False") file.fail("header without 'fortran_order'");
  header.fortranOrder = order == "True";
  header.sizes = parseSizes(file, valueOf(file, text, "shape", ")"));
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

void reverseBytes(char *data, uint64_t bytes, size_t item) {
  for (uint64_t i = 0; i < bytes; i += item) std::reverse(data + i, data + i + item);
}

std::string headerOf(const Tensor &t) {
  auto *type = std::find_if(std::begin(typeCodes), std::end(typeCodes), [&](auto &c) { return c.dtype == t.dtype(); });
  if (type == std::end(typeCodes)) throw not_supported(std::string("write_npy: dtype ") + name(t.dtype()));
  std::string sizes;
  for (int64_t s : t.sizes()) sizes += std::to_string(s) + ", ";
  std::string text = std::string("{'descr': '") + (itemSize(t.dtype()) > 1 ? '<' : '|') + type->code +
                     "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // Data starts at a multiple of 64 bytes.
  text.append(64 - (magic.size() + 4 + text.size() + 1) % 64, ' ');
  return text + '\n';
}

} // namespace

Tensor read_npy(const std::string &path) {
  FileReader file(path);
  if (file.size() < 12) file.fail("not a .npy file, or truncated");
  std::string start(12, '\0');
  file.read(0, std::as_writable_bytes(std::span(start)));
  if (start.compare(0, 6, magic) != 0) file.fail("not a .npy file");
  auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(start[i])); };
  if (start[6] < 1 || start[6] > 3) file.fail(".npy version " + std::to_string(byte(6)) + " is not known");
  // Versions 2 and 3 have two more length bytes.
  const bool isLong = start[6] != 1;
  const uint64_t length = byte(8) | byte(9) << 8 | (isLong ? byte(10) << 16 | byte(11) << 24 : 0);
  const uint64_t offset = isLong ? 12 : 10;
  if (length > mostHeaderBytes) file.fail("a header of " + std::to_string(length) + " bytes");
  if (length > file.size() - offset) file.fail("truncated header");
  std::string text(length, '\0');
  file.read(offset, std::as_writable_bytes(std::span(text)));

  const Header header = parseHeader(file, text);
  uint64_t bytes = 0;
  try {
    if (__builtin_mul_overflow(static_cast<uint64_t>(header.sizes.numel()), itemSize(header.dtype), &bytes))
      throw shape_error("the sizes " + header.sizes.str() + " overflow");
  } catch (const shape_error &e) {
    file.fail(e.what());
  }
  const uint64_t given = file.size() - offset - length;
  if (bytes != given)
    file.fail(header.sizes.str() + " of " + name(header.dtype) + " needs " + std::to_string(bytes) + " bytes, found " +
              std::to_string(given));

  Tensor t = allocateTensor(header.dtype, header.sizes);
  auto *data = static_cast<char *>(viewOf(t).data);
  file.read(offset + length, {reinterpret_cast<std::byte *>(data), bytes});
  const size_t item = itemSize(header.dtype);
  if (header.bigEndian) reverseBytes(data, bytes, item);
  if (header.dtype == DType::Bool)
    for (uint64_t i = 0; i < bytes; ++i) data[i] = data[i] != 0;
  if (header.fortranOrder && header.sizes.rank() > 1) {
    std::string stored(data, bytes);
    for (int64_t i = 0, n = header.sizes.numel(); i < n; ++i)
      std::memcpy(data + static_cast<size_t>(i) * item, stored.data() + fortranPosition(header.sizes, i) * item, item);
  }
  return t;
}

void write_npy(const std::string &path, const Tensor &t) {
  checkDefined(t, "write_npy");
  trace::materialise(t, "write_npy", SourceLocation::current());
  const trace::SuspendRecording eager;
  const std::string text = headerOf(t);
  const char length[] = {static_cast<char>(text.size() & 255), static_cast<char>(text.size() >> 8)};
  FileWriter out(path);
  out.write(std::string(magic) + '\x01' + '\0' + std::string(length, 2) + text);
  const Tensor dense = t.detach().cpu().contiguous();
  const size_t bytes = static_cast<size_t>(dense.numel()) * itemSize(dense.dtype());
  out.write({static_cast<const std::byte *>(viewOf(dense).data), bytes});
  out.commit();
}

} // namespace tensorjit::data
