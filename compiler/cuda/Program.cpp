#include "cuda/Program.h"

#include "cuda/NestText.h"
#include "cuda/Prelude.h"
#include "cuda/ScalarText.h"
#include "cuda/form/Contraction.h"
#include "lower/ScalarFnExpansion.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tensorjit::cuda {
namespace {

/// Writes the kernels of a program.
class ProgramText {
public:
  CudaProgram take() { return {std::string(prelude()) + contractionPrelude() + text_, std::move(launches_)}; }

  LogicalResult add(Operation *kernel) {
    if (auto nest = dyn_cast<kernel::NestOp>(kernel)) return addNest(nest);
    return addGroup(cast<kernel::GroupOp>(kernel));
  }

private:
  /// A nest and which of the kernel's inputs and results are its own.
  struct Part {
    NestText nest;
    SmallVector<unsigned> inputs, outputs;
  };

  LogicalResult addNest(kernel::NestOp nest) {
    std::string name = nameOf(nest.getSymName());
    Part part{NestText(nest, "nest_" + name), {}, {}};
    for (unsigned i = 0; i < nest.getNumInputs(); ++i) part.inputs.push_back(i);
    for (unsigned i = 0; i < nest.getNumOutputs(); ++i) part.outputs.push_back(i);
    return write(name, nest, part);
  }

  LogicalResult addGroup(kernel::GroupOp group) {
    std::string name = nameOf(group.getSymName());
    std::vector<Part> parts;
    unsigned output = 0;
    for (kernel::NestOp nest : group.getNests()) {
      Part part{NestText(nest, "nest_" + name + "_" + std::to_string(parts.size())), {}, {}};
      for (Value operand : nest.getInputs()) part.inputs.push_back(cast<BlockArgument>(operand).getArgNumber());
      for (unsigned i = 0; i < nest.getNumOutputs(); ++i) part.outputs.push_back(output++);
      parts.push_back(std::move(part));
    }
    return write(name, group, parts);
  }

  LogicalResult write(const std::string &name, Operation *kernel, MutableArrayRef<Part> parts) {
    llvm::raw_string_ostream out(text_);
    int64_t blocks = 0, sharedBytes = 0;
    bool checks = false;
    for (Part &part : parts) {
      if (failed(part.nest.write(out))) return failure();
      blocks += part.nest.blocks();
      sharedBytes = std::max(sharedBytes, part.nest.sharedBytes());
      checks |= part.nest.checksIndex();
    }
    launches_.push_back({name, {blocks, 1, 1}, {blockThreads, 1, 1}, static_cast<int32_t>(sharedBytes), checks});
    out << "// " << name << ": " << blocks << (blocks == 1 ? " block of " : " blocks of ") << blockThreads
        << " threads\n";
    // One block at least: else ptxas spills to have room for more of them.
    out << "extern \"C\" __global__ void __launch_bounds__(" << blockThreads << ", 1) " << name << "("
        << parameters(kernel, checks) << ") {\n";
    int64_t first = 0;
    for (Part &part : parts) {
      if (part.nest.blocks() == 0) continue;
      int64_t end = first + part.nest.blocks();
      out << "  ";
      if (end < blocks) out << "if (blockIdx.x < " << end << ") return ";
      writeCall(out, part, kernel->getNumOperands(), first);
      first = end;
    }
    out << "}\n\n";
    return success();
  }

  void writeCall(llvm::raw_ostream &out, Part &part, unsigned numInputs, int64_t first) {
    out << part.nest.function() << "(";
    for (unsigned i : part.inputs) out << "p" << i << ", ";
    for (unsigned i : part.outputs) out << "p" << numInputs + i << ", ";
    out << "blockIdx.x";
    if (first) out << " - " << first;
    out << (part.nest.checksIndex() ? ", error);\n" : ");\n");
  }

  std::string parameters(Operation *kernel, bool checks) {
    std::string out;
    unsigned number = 0;
    auto add = [&](Type tensor, const char *prefix) {
      Type element = kernel::scalarType(cast<RankedTensorType>(tensor).getElementType());
      out += (number ? ", " : "") + std::string(prefix) + memoryTypeText(element) + " *p" + std::to_string(number);
      ++number;
    };
    for (Type type : kernel->getOperandTypes()) add(type, "const ");
    for (Type type : kernel->getResultTypes()) add(type, "");
    return out + (checks ? ", unsigned long long *error" : "");
  }

  /// The number keeps names apart, from C++'s words and from CUDA's functions too.
  std::string nameOf(StringRef symbol) {
    std::string name = "k";
    for (char c : symbol) name += llvm::isAlnum(c) ? c : '_';
    return name.substr(symbol.empty() || llvm::isDigit(symbol[0]) ? 0 : 1) + "_" + std::to_string(launches_.size());
  }

  std::string text_;
  std::vector<KernelLaunch> launches_;
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

} // namespace

FailureOr<CudaProgram> printProgram(ArrayRef<Operation *> kernels) {
  ProgramText program;
  for (Operation *kernel : kernels) {
    OwningOpRef<Operation *> copy = kernel->clone();
    expandFunctions(*copy);
    if (failed(program.add(*copy))) return failure();
  }
  return program.take();
}

FailureOr<CudaProgram> printProgram(Operation *root) {
  SmallVector<Operation *> kernels;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<kernel::NestOp, kernel::GroupOp>(op)) return WalkResult::advance();
    kernels.push_back(op);
    return WalkResult::skip();
  });
  return printProgram(kernels);
}

} // namespace tensorjit::cuda
