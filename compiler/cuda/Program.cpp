#include "cuda/Program.h"

#include "cuda/NestText.h"
#include "cuda/Prelude.h"
#include "cuda/ScalarText.h"
#include "cuda/Scatter.h"
#include "cuda/form/Contraction.h"
#include "import/Import.h"
#include "lower/ScalarFnExpansion.h"
#include "plan/Steps.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/SmallBitVector.h"

#include <map>
#include <set>

using namespace mlir;

namespace tensorjit::cuda {
namespace {

/// Writes the kernels of a program.
class ProgramText {
public:
  CudaProgram take(unsigned mostSources) { return {sources(mostSources), std::move(launches_)}; }

  LogicalResult add(Operation *kernel, llvm::SmallBitVector onHost) {
    onHost_ = std::move(onHost);
    if (auto nest = dyn_cast<kernel::NestOp>(kernel)) return addNest(nest);
    if (auto scatter = dyn_cast<kernel::ScatterOp>(kernel)) return addScatter(scatter);
    return addGroup(cast<kernel::GroupOp>(kernel));
  }

private:
  /// A device function and which of the kernel's inputs and results are its own.
  struct Part {
    std::string function, comment, text; ///< name; of a nest without points there is no text
    int64_t blocks = 0, sharedBytes = 0;
    bool checks = false;
    SmallVector<unsigned> inputs, outputs;
  };

  struct Kernel {
    std::string text;
    std::vector<std::string> functions; ///< that it calls
  };

  LogicalResult addNest(kernel::NestOp nest) {
    std::string name = nameOf(nest.getSymName());
    Part part;
    part.function = "nest_" + name;
    if (failed(fill(part, NestText(nest)))) return failure();
    for (unsigned i = 0; i < nest.getNumInputs(); ++i) part.inputs.push_back(i);
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) part.outputs.push_back(i);
    return write(name, nest, part);
  }

  LogicalResult addScatter(kernel::ScatterOp scatter) {
    std::string name = nameOf(scatter.getSymName());
    Part part;
    part.function = "nest_" + name;
    if (failed(fill(part, ScatterText(scatter)))) return failure();
    for (unsigned i = 0; i < scatter->getNumOperands(); ++i) part.inputs.push_back(i);
    part.outputs.push_back(0);
    return write(name, scatter, part);
  }

  template <class Text> static LogicalResult fill(Part &part, Text text) {
    FailureOr<std::string> function = text.function();
    if (failed(function)) return failure();
    part.text = std::move(*function);
    part.comment = text.comment();
    part.blocks = text.blocks();
    part.sharedBytes = text.sharedBytes();
    part.checks = text.checksIndex();
    return success();
  }

  LogicalResult addGroup(kernel::GroupOp group) {
    std::string name = nameOf(group.getSymName());
    std::vector<Part> parts;
    unsigned output = 0;
    for (kernel::NestOp nest : group.getNests()) {
      Part part;
      part.function = "nest_" + name + "_" + std::to_string(parts.size());
      if (failed(fill(part, NestText(nest)))) return failure();
      for (Value operand : nest.getInputs()) part.inputs.push_back(cast<BlockArgument>(operand).getArgNumber());
      for (unsigned i = 0; i < nest.getNumOutputs(); ++i) part.outputs.push_back(output++);
      parts.push_back(std::move(part));
    }
    return write(name, group, parts);
  }

  LogicalResult write(const std::string &name, Operation *kernel, MutableArrayRef<Part> parts) {
    int64_t blocks = 0, sharedBytes = 0;
    bool checks = false;
    for (Part &part : parts) {
      writeFunction(part);
      blocks += part.blocks;
      sharedBytes = std::max(sharedBytes, part.sharedBytes);
      checks |= part.checks;
    }
    std::string text =
        "(" + parameters(kernel, checks) + ") {\n" + calls(parts, kernel->getNumOperands(), blocks) + "}\n\n";
    auto [known, isNew] = kernelNames_.try_emplace(text, name);
    launches_.push_back(
        {known->second, {blocks, 1, 1}, {blockThreads, 1, 1}, static_cast<int32_t>(sharedBytes), checks});
    if (!isNew) return success();
    std::string threads = std::to_string(blockThreads);
    // One block at least: else ptxas spills to have room for more of them.
    kernels_.push_back({"// " + name + ": " + std::to_string(blocks) + (blocks == 1 ? " block of " : " blocks of ") +
                            threads + " threads\nextern \"C\" __global__ void __launch_bounds__(" + threads + ", 1) " +
                            name + text,
                        {}});
    for (const Part &part : parts) kernels_.back().functions.push_back(part.function);
    return success();
  }

  /// Nests that are equal share one.
  void writeFunction(Part &part) {
    auto [known, isNew] = functionNames_.try_emplace(part.text, part.function);
    part.function = known->second;
    if (isNew && !part.text.empty())
      functions_[part.function] = part.comment + "static __device__ void " + part.function + part.text;
  }

  /// The kernels in order, with what they call before each, in `sources` about equal parts.
  std::vector<std::string> sources(unsigned mostSources) const {
    size_t total = 0;
    for (const Kernel &kernel : kernels_) total += sizeOf(kernel);
    size_t count = std::clamp<size_t>(total / worthAProgram, 1, mostSources);
    std::vector<std::vector<const Kernel *>> shares(count);
    std::vector<size_t> sizes(count);
    std::vector<const Kernel *> largestFirst;
    for (const Kernel &kernel : kernels_) largestFirst.push_back(&kernel);
    llvm::stable_sort(largestFirst, [&](const Kernel *a, const Kernel *b) { return sizeOf(*a) > sizeOf(*b); });
    for (const Kernel *kernel : largestFirst) {
      size_t least = std::min_element(sizes.begin(), sizes.end()) - sizes.begin();
      shares[least].push_back(kernel);
      sizes[least] += sizeOf(*kernel);
    }
    std::vector<std::string> sources;
    for (auto &share : shares) {
      llvm::sort(share); // they lie in order
      sources.push_back(sourceOf(share));
    }
    return sources;
  }

  size_t sizeOf(const Kernel &kernel) const {
    size_t size = kernel.text.size();
    for (const std::string &function : kernel.functions) size += textOf(function).size();
    return size;
  }

  /// None for a nest without points.
  std::string textOf(const std::string &function) const {
    auto found = functions_.find(function);
    return found == functions_.end() ? "" : found->second;
  }

  std::string sourceOf(ArrayRef<const Kernel *> kernels) const {
    std::string text;
    std::set<std::string> written;
    for (const Kernel *kernel : kernels) {
      for (const std::string &function : kernel->functions)
        if (written.insert(function).second) text += textOf(function);
      text += kernel->text;
    }
    auto calls = [&](const char *function) { return text.find(function) != std::string::npos; };
    return std::string(prelude()) + (calls("multiplyStage(") ? contractionPrelude() : "") +
           (calls("multiplyMatrices<") ? tensorCorePrelude() : "") + text;
  }

  std::string calls(ArrayRef<Part> parts, unsigned numInputs, int64_t blocks) {
    std::string out;
    int64_t first = 0;
    for (const Part &part : parts) {
      if (part.blocks == 0) continue;
      int64_t end = first + part.blocks;
      out += "  ";
      if (end < blocks) out += "if (blockIdx.x < " + std::to_string(end) + ") return ";
      out += part.function + "(";
      for (unsigned i : part.inputs) out += (onHost_[i] ? "&p" : "p") + std::to_string(i) + ", ";
      for (unsigned i : part.outputs) out += "p" + std::to_string(numInputs + i) + ", ";
      out += first ? "blockIdx.x - " + std::to_string(first) : "blockIdx.x";
      out += part.checks ? ", error);\n" : ");\n";
      first = end;
    }
    return out;
  }

  std::string parameters(Operation *kernel, bool checks) {
    std::string out;
    unsigned number = 0;
    auto add = [&](Type tensor, const char *prefix, const char *suffix) {
      Type element = kernel::scalarType(cast<RankedTensorType>(tensor).getElementType());
      out += (number ? ", " : "") + std::string(prefix) + memoryTypeText(element) + suffix + std::to_string(number);
      ++number;
    };
    // The address of a grid constant is that of the parameter, not of a thread's copy.
    for (auto [i, type] : llvm::enumerate(kernel->getOperandTypes()))
      onHost_[i] ? add(type, "const __grid_constant__ ", " p") : add(type, "const ", " *p");
    for (Type type : kernel->getResultTypes()) add(type, "", " *p");
    return out + (checks ? ", unsigned long long *error" : "");
  }

  /// The number keeps names apart, from C++'s words and from CUDA's functions too.
  std::string nameOf(StringRef symbol) {
    std::string name = "k";
    for (char c : symbol) name += llvm::isAlnum(c) ? c : '_';
    return name.substr(symbol.empty() || llvm::isDigit(symbol[0]) ? 0 : 1) + "_" + std::to_string(launches_.size());
  }

  /// Bytes of a source that take NVRTC three times as long as to begin with it.
  static constexpr size_t worthAProgram = 5000;

  llvm::SmallBitVector onHost_; ///< which inputs of the kernel at hand are numbers of the host
  std::vector<KernelLaunch> launches_;
  std::vector<Kernel> kernels_;
  std::map<std::string, std::string> functions_;                   ///< texts by name
  std::map<std::string, std::string> functionNames_, kernelNames_; ///< by text
};

/// Replaces f32 functions by the steps of their records, which give the same bits as on the CPU.
void expandFunctions(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<math::MathDialect>(op->getDialect())) return;
    OpBuilder builder(op);
    if (Value value = expandScalarFn(builder, op, op->getOperands(), /*hasScale=*/false)) {
      op->replaceAllUsesWith(ValueRange(value));
      op->erase();
    }
  });
}

/// The operands that are arguments of the function which lie on the host.
llvm::SmallBitVector hostOperands(Operation *kernel) {
  llvm::SmallBitVector onHost(kernel->getNumOperands());
  auto function = kernel->getParentOfType<func::FuncOp>();
  for (auto [i, operand] : llvm::enumerate(kernel->getOperands()))
    if (auto argument = dyn_cast<BlockArgument>(plan::rootOf(operand)))
      onHost[i] = static_cast<bool>(function.getArgAttr(argument.getArgNumber(), onHostAttr));
  return onHost;
}

} // namespace

FailureOr<CudaProgram> printProgram(ArrayRef<Operation *> kernels, unsigned mostSources) {
  ProgramText program;
  for (Operation *kernel : kernels) {
    OwningOpRef<Operation *> copy = kernel->clone();
    expandFunctions(*copy);
    if (failed(program.add(*copy, hostOperands(kernel)))) return failure();
  }
  return program.take(mostSources);
}

FailureOr<CudaProgram> printProgram(Operation *root) {
  SmallVector<Operation *> kernels;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<kernel::NestOp, kernel::GroupOp, kernel::ScatterOp>(op)) return WalkResult::advance();
    kernels.push_back(op);
    return WalkResult::skip();
  });
  return printProgram(kernels);
}

} // namespace tensorjit::cuda
