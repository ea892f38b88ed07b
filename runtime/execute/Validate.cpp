#include "execute/Validate.h"
#include "execute/Program.h"
#include "tensorjit/error.h"

#include <algorithm>

namespace tensorjit {

namespace {

constexpr int64_t maxBytes = int64_t(1) << 46;

class Validator {
public:
  explicit Validator(const Executable &executable) : exe_(executable) {}

  void run() {
    if (exe_.device > DeviceType::Null) fail("unknown kind of device");
    for (const TensorSpec &spec : exe_.inputs) {
      checkSpec(spec);
      if (spec.onHost && (exe_.device == DeviceType::CPU || !spec.type.sizes.empty()))
        fail("an input that is no number lies on the host");
    }
    for (const TensorSpec &spec : exe_.outputs) {
      checkSpec(spec);
      if (spec.aliasesInput < -1 || spec.aliasesInput >= static_cast<int64_t>(exe_.inputs.size()))
        fail("an output aliases input " + std::to_string(spec.aliasesInput) + ", which does not exist");
      if (spec.aliasesInput >= 0 && exe_.inputs[static_cast<size_t>(spec.aliasesInput)].type != spec.type)
        fail("an output aliases an input of another type");
      if (spec.aliasesInput >= 0 && exe_.inputs[static_cast<size_t>(spec.aliasesInput)].onHost)
        fail("an output aliases an input that lies on the host");
      if (spec.aliasesInput >= 0 &&
          exe_.inputs[static_cast<size_t>(spec.aliasesInput)].storageOrder != spec.storageOrder)
        fail("an output aliases an input that lies in another order");
    }
    if (exe_.arenaBytes < 0 || exe_.arenaBytes > maxBytes) fail("its arena has an impossible size");
    for (const Step &step : exe_.steps) {
      switch (step.kind) {
      case Step::Launch: checkLaunch(step); break;
      case Step::Call: checkCall(step); break;
      case Step::Copy: checkCopy(step); break;
      default: fail("unknown kind of step");
      }
    }
    for (const IndexCheck &check : exe_.checks)
      if (check.line > exe_.lines.size()) fail("an index check names a source line that is not there");
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw io_error("executable '" + exe_.name.substr(0, 100) + "' is damaged: " + what);
  }

  int64_t bytesOf(const TensorType &type) const {
    if (static_cast<size_t>(type.dtype) > static_cast<size_t>(DType::F64)) fail("unknown dtype");
    for (int64_t d : type.sizes)
      if (d < 0) fail("a size is negative");
    try {
      int64_t bytes = static_cast<int64_t>(byteSize(type));
      if (bytes <= maxBytes) return bytes;
    } catch (const shape_error &) {
    }
    fail("a tensor is larger than memory can be");
  }

  void checkSpec(const TensorSpec &spec) const {
    bytesOf(spec.type);
    if (spec.storageOrder.empty()) return;
    bool permutation = spec.storageOrder.rank() == spec.type.sizes.rank();
    uint32_t seen = 0;
    for (int64_t d : spec.storageOrder) {
      permutation &= d >= 0 && d < static_cast<int64_t>(spec.storageOrder.rank()) && !(seen >> d & 1);
      if (permutation) seen |= 1u << d;
    }
    if (!permutation) fail("a storage order is not a permutation of the dims");
  }

  /// `bytes`: what is touched from the reference on.
  void checkRef(const BufferRef &ref, int64_t bytes) const {
    int64_t size = 0;
    switch (ref.kind) {
    case BufferRef::Input:
      if (ref.index >= exe_.inputs.size()) fail("a step reads an input that does not exist");
      size = bytesOf(exe_.inputs[ref.index].type);
      break;
    case BufferRef::Output:
      if (ref.index >= exe_.outputs.size()) fail("a step writes an output that does not exist");
      size = bytesOf(exe_.outputs[ref.index].type);
      break;
    case BufferRef::Arena: size = exe_.arenaBytes; break;
    case BufferRef::Constant: size = static_cast<int64_t>(exe_.constants.size()); break;
    default: fail("unknown kind of memory");
    }
    if (ref.offset < 0 || ref.offset > size || bytes > size - ref.offset) fail("a step reaches outside its memory");
  }

  void checkLaunch(const Step &step) const {
    if (step.extent < 0 || step.grain < 1 || step.scratchBytes < 0 || step.scratchBytes > maxBytes)
      fail("kernel '" + step.kernel.substr(0, 100) + "' has an impossible range");
    constexpr uint64_t mostThreads = 1024;
    uint64_t threads = 1;
    for (uint32_t n : step.block) {
      threads *= n <= mostThreads ? n : mostThreads + 1;
      if (threads == 0 || threads > mostThreads)
        fail("kernel '" + step.kernel.substr(0, 100) + "' has an impossible number of threads");
    }
    for (const BufferRef &ref : step.buffers) checkRef(ref, 0);
  }

  void checkCopy(const Step &step) const {
    if (step.buffers.size() != 2 || step.types.size() != 2 || step.types[0] != step.types[1]) fail("a damaged copy");
    for (size_t b = 0; b < 2; ++b) checkRef(step.buffers[b], bytesOf(step.types[b]));
  }

  void checkCall(const Step &step) const {
    const OpInfo &op = info(step.op);
    if (!op.eager) fail(std::string(op.name) + " has no eager kernel");
    if (step.types.size() != step.buffers.size() || step.types.size() < op.numResults)
      fail(std::string("wrong number of operands of ") + op.name);
    for (size_t b = 0; b < step.buffers.size(); ++b) checkRef(step.buffers[b], bytesOf(step.types[b]));
    if (!wellFormed(step.attrs, op.attrs)) fail(std::string("damaged attributes of ") + op.name);
    if (step.checks && step.check >= exe_.checks.size()) fail("a step names an index check that is not there");
    std::span<const TensorType> types = step.types;
    size_t operands = types.size() - op.numResults;
    std::vector<TensorType> results(op.numResults);
    try {
      op.infer(types.first(operands), step.attrs, results);
    } catch (const Error &e) {
      fail(e.what());
    }
    if (!std::equal(results.begin(), results.end(), types.begin() + static_cast<ptrdiff_t>(operands)))
      fail(std::string("wrong result types of ") + op.name);
  }

  const Executable &exe_;
};

} // namespace

bool wellFormed(const Attrs &attrs, std::span<const AttrSpec> specs) {
  std::span<const int64_t> words = attrs.words();
  size_t at = 0;
  for (const AttrSpec &spec : specs) {
    size_t need = spec.kind == AttrKind::Scalar ? 2 : 1;
    if (words.size() - at < need) return false;
    int64_t word = words[at];
    switch (spec.kind) {
    case AttrKind::Int:
    case AttrKind::Float: break;
    case AttrKind::Bool:
      if (word != 0 && word != 1) return false;
      break;
    case AttrKind::DType:
      if (word < 0 || word > static_cast<int64_t>(DType::F64)) return false;
      break;
    case AttrKind::Scalar:
      if (word < 0 || word > static_cast<int64_t>(Scalar::Kind::Float)) return false;
      break;
    case AttrKind::Ints:
      if (word < 0 || word > static_cast<int64_t>(Shape::maxRank)) return false;
      need += static_cast<size_t>(word);
      if (words.size() - at < need) return false;
      break;
    }
    at += need;
  }
  return at == words.size();
}

void validate(const Executable &executable) { Validator(executable).run(); }

} // namespace tensorjit
