#include "execute/Serialize.h"
#include "execute/Program.h"
#include "execute/Validate.h"
#include "tensorjit/error.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tensorjit {

namespace {

using nlohmann::json;

constexpr const char *format = "tensorjit-executable";
constexpr int formatVersion = 2;

// ---- writing

class Writer {
public:
  std::vector<std::byte> write(const SavedProgram &p) {
    json header{{"format", format}, {"version", formatVersion}};
    header["executable"] = executable(p.executable);
    header["arguments"] = p.numArguments;
    header["results"] = p.results;
    for (const SavedInput &in : p.inputs)
      header["bindings"].push_back(in.argument >= 0 ? json{{"argument", in.argument}}
                                                    : json{{"state", blob(in.state)}});
    header["hash"] = XXH3_64bits(data_.data(), data_.size());
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    uint64_t length = text.size();
    std::vector<std::byte> file(sizeof length + text.size() + data_.size());
    std::memcpy(file.data(), &length, sizeof length);
    std::memcpy(file.data() + sizeof length, text.data(), text.size());
    if (!data_.empty()) std::memcpy(file.data() + sizeof length + text.size(), data_.data(), data_.size());
    return file;
  }

private:
  json blob(std::span<const std::byte> bytes) {
    size_t offset = data_.size();
    data_.insert(data_.end(), bytes.begin(), bytes.end());
    data_.resize((data_.size() + 63) / 64 * 64);
    return {offset, bytes.size()};
  }
  static json ints(std::span<const int64_t> v) { return std::vector<int64_t>(v.begin(), v.end()); }
  static json type(const TensorType &t) { return {{"dtype", name(t.dtype)}, {"sizes", ints(t.sizes)}}; }

  static json spec(const TensorSpec &s) {
    json j = type(s.type);
    if (!s.storageOrder.empty()) j["order"] = ints(s.storageOrder);
    if (s.onHost) j["host"] = true;
    if (s.aliasesInput >= 0) j["aliases"] = s.aliasesInput;
    return j;
  }

  static json step(const Step &s) {
    json j;
    for (const BufferRef &ref : s.buffers) j["buffers"].push_back({static_cast<int>(ref.kind), ref.index, ref.offset});
    for (const TensorType &t : s.types) j["types"].push_back(type(t));
    switch (s.kind) {
    case Step::Launch:
      j["kernel"] = s.kernel;
      j["extent"] = s.extent;
      j["grain"] = s.grain;
      j["scratch"] = s.scratchBytes;
      if (s.block != Step().block || s.grid != Step().grid || s.sharedBytes) {
        j["grid"] = s.grid;
        j["block"] = s.block;
        j["shared"] = s.sharedBytes;
      }
      break;
    case Step::Call:
      j["op"] = info(s.op).name;
      j["attrs"] = ints(s.attrs.words());
      j["check"] = s.check;
      j["refusal"] = s.refusal;
      break;
    case Step::Copy: j["copy"] = true; break;
    }
    j["checks"] = s.checks;
    j["lines"] = s.lines;
    j["bytes"] = s.bytes;
    j["flops"] = s.flops;
    return j;
  }

  json executable(const Executable &e) {
    json j{{"name", e.name}, {"arena", e.arenaBytes}};
    if (e.device != DeviceType::CPU) j["device"] = static_cast<int>(e.device);
    for (const char *list : {"inputs", "outputs", "steps", "checks", "lines"}) j[list] = json::array();
    for (const TensorSpec &s : e.inputs) j["inputs"].push_back(spec(s));
    for (const TensorSpec &s : e.outputs) j["outputs"].push_back(spec(s));
    for (const Step &s : e.steps) j["steps"].push_back(step(s));
    for (const IndexCheck &c : e.checks)
      j["checks"].push_back({{"op", c.op}, {"operand", c.operand}, {"bound", c.bound}, {"line", c.line}});
    for (const SourceLine &l : e.lines) j["lines"].push_back({l.file, l.line});
    j["constants"] = blob(e.constants);
    j["code"] = blob(e.code);
    return j;
  }

  std::vector<std::byte> data_;
};

// ---- reading: json's own accessors throw on a missing key or another kind of value, numbers are range-checked here

[[noreturn]] void damaged(const std::string &what) { throw io_error(what); }

template <class T> T number(const json &j) {
  if (!j.is_number_integer()) damaged("a number is not an integer");
  if (j.is_number_unsigned()) {
    uint64_t v = j.get<uint64_t>();
    if (!std::in_range<T>(v)) damaged("a number is out of range");
    return static_cast<T>(v);
  }
  int64_t v = j.get<int64_t>();
  if (!std::in_range<T>(v)) damaged("a number is out of range");
  return static_cast<T>(v);
}

template <class T> std::vector<T> numbers(const json &j) {
  if (!j.is_array()) damaged("a list of numbers is missing");
  std::vector<T> v;
  for (const json &x : j) v.push_back(number<T>(x));
  return v;
}

Shape shape(const json &j) {
  auto dims = numbers<int64_t>(j);
  if (dims.size() > Shape::maxRank) damaged("a shape has too many dims");
  return Shape(dims);
}

TensorType type(const json &j) {
  const auto &text = j.at("dtype").get_ref<const std::string &>();
  for (int d = 0; d <= static_cast<int>(DType::F64); ++d)
    if (text == name(static_cast<DType>(d))) return {static_cast<DType>(d), shape(j.at("sizes"))};
  damaged("unknown dtype '" + text.substr(0, 20) + "'");
}

const json &list(const json &j, const char *key) {
  const json &v = j.at(key);
  if (!v.is_array()) damaged(std::string("'") + key + "' is not a list");
  return v;
}

class Reader {
public:
  explicit Reader(std::span<const std::byte> data) : data_(data) {}

  SavedProgram program(const json &header) {
    SavedProgram p;
    p.executable = executable(header.at("executable"));
    p.numArguments = number<uint32_t>(header.at("arguments"));
    p.results = numbers<uint32_t>(header.at("results"));
    if (header.contains("bindings"))
      for (const json &b : list(header, "bindings")) p.inputs.push_back(binding(b));
    return p;
  }

private:
  std::vector<std::byte> blob(const json &j) const {
    auto range = numbers<uint64_t>(j);
    if (range.size() != 2 || range[0] > data_.size() || range[1] > data_.size() - range[0])
      damaged("a block of data lies outside the file");
    auto bytes = data_.subspan(range[0], range[1]);
    return {bytes.begin(), bytes.end()};
  }

  SavedInput binding(const json &j) const {
    SavedInput in;
    if (j.contains("argument")) in.argument = number<int32_t>(j.at("argument"));
    else in.state = blob(j.at("state"));
    return in;
  }

  static std::array<uint32_t, 3> three(const json &j) {
    const auto v = numbers<uint32_t>(j);
    if (v.size() != 3) damaged("a launch has not three dims");
    return {v[0], v[1], v[2]};
  }

  static TensorSpec spec(const json &j) {
    TensorSpec s{type(j), {}, -1};
    if (j.contains("order")) s.storageOrder = shape(j.at("order"));
    if (j.contains("host")) s.onHost = j.at("host").get<bool>();
    if (j.contains("aliases")) s.aliasesInput = number<int32_t>(j.at("aliases"));
    return s;
  }

  static Step step(const json &j) {
    Step s;
    if (j.contains("buffers"))
      for (const json &b : list(j, "buffers")) {
        if (!b.is_array() || b.size() != 3) damaged("a reference to memory is damaged");
        s.buffers.push_back(
            {static_cast<BufferRef::Kind>(number<uint8_t>(b[0])), number<uint32_t>(b[1]), number<int64_t>(b[2])});
      }
    if (j.contains("types"))
      for (const json &t : list(j, "types")) s.types.push_back(type(t));
    if (j.contains("kernel")) {
      s.kind = Step::Launch;
      s.kernel = j.at("kernel").get<std::string>();
      s.extent = number<int64_t>(j.at("extent"));
      s.grain = number<int64_t>(j.at("grain"));
      s.scratchBytes = number<int64_t>(j.at("scratch"));
      if (j.contains("grid")) {
        s.grid = three(j.at("grid"));
        s.block = three(j.at("block"));
        s.sharedBytes = number<uint32_t>(j.at("shared"));
      }
    } else if (j.contains("op")) {
      s.kind = Step::Call;
      const auto &op = j.at("op").get_ref<const std::string &>();
      auto id = opByName(op);
      if (!id) damaged("it calls the unknown op '" + op.substr(0, 50) + "'");
      s.op = *id;
      for (int64_t word : numbers<int64_t>(j.at("attrs"))) s.attrs.addInt(word);
      s.check = number<uint32_t>(j.at("check"));
      s.refusal = j.at("refusal").get<std::string>();
    } else {
      s.kind = Step::Copy;
    }
    s.checks = j.at("checks").get<bool>();
    s.lines = numbers<uint32_t>(j.at("lines"));
    s.bytes = number<int64_t>(j.at("bytes"));
    s.flops = number<int64_t>(j.at("flops"));
    return s;
  }

  Executable executable(const json &j) const {
    Executable e;
    e.name = j.at("name").get<std::string>();
    e.arenaBytes = number<int64_t>(j.at("arena"));
    if (j.contains("device")) e.device = static_cast<DeviceType>(number<uint8_t>(j.at("device")));
    for (const json &s : list(j, "inputs")) e.inputs.push_back(spec(s));
    for (const json &s : list(j, "outputs")) e.outputs.push_back(spec(s));
    for (const json &s : list(j, "steps")) e.steps.push_back(step(s));
    for (const json &c : list(j, "checks"))
      e.checks.push_back({c.at("op").get<std::string>(), c.at("operand").get<std::string>(),
                          number<int64_t>(c.at("bound")), number<uint32_t>(c.at("line"))});
    for (const json &l : list(j, "lines")) {
      if (!l.is_array() || l.size() != 2) damaged("a source line is damaged");
      e.lines.push_back({l[0].get<std::string>(), number<uint32_t>(l[1])});
    }
    e.constants = blob(j.at("constants"));
    e.code = blob(j.at("code"));
    return e;
  }

  std::span<const std::byte> data_;
};

void checkBindings(const SavedProgram &p) {
  const auto &specs = p.executable.inputs;
  if (p.inputs.size() != specs.size()) damaged("its inputs and their sources differ in number");
  for (size_t i = 0; i < specs.size(); ++i) {
    const SavedInput &in = p.inputs[i];
    if (in.argument >= 0 ? in.argument >= static_cast<int64_t>(p.numArguments)
                         : in.state.size() != byteSize(specs[i].type))
      damaged("the source of an input does not fit it");
  }
  for (uint32_t r : p.results)
    if (r >= p.executable.outputs.size()) damaged("it returns an output that does not exist");
}

SavedProgram read(std::span<const std::byte> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) damaged("it is " + std::to_string(bytes.size()) + " bytes long");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes = bytes.subspan(sizeof length);
  if (length > bytes.size()) damaged("its header is cut off or it is another kind of file");
  const char *text = reinterpret_cast<const char *>(bytes.data());
  std::span<const std::byte> data = bytes.subspan(length);
  // Nesting is bounded so that a hostile header cannot exhaust the stack.
  constexpr int maxDepth = 16;
  bool tooDeep = false;
  json header = json::parse(
      text, text + length,
      [&](int depth, json::parse_event_t, json &) {
        tooDeep |= depth > maxDepth;
        return !tooDeep;
      },
      false);
  if (tooDeep || !header.is_object()) damaged("its header is not JSON");
  if (header.value("format", json()) != format) damaged("it is another kind of file");
  if (header.value("version", json()) != formatVersion) damaged("it was written by another version");
  if (number<uint64_t>(header.at("hash")) != XXH3_64bits(data.data(), data.size()))
    damaged("its data is cut off or changed");
  SavedProgram program = Reader(data).program(header);
  checkBindings(program);
  validate(program.executable);
  return program;
}

} // namespace

std::vector<std::byte> serialize(const SavedProgram &program) { return Writer().write(program); }

SavedProgram deserialize(std::span<const std::byte> bytes, const std::string &name) {
  try {
    return read(bytes);
  } catch (const json::exception &) {
    throw io_error(name + ": not a usable executable: a field of its header is missing or of another kind");
  } catch (const Error &e) {
    throw io_error(name + ": not a usable executable: " + e.what());
  }
}

} // namespace tensorjit
