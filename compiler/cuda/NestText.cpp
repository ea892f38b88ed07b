#include "cuda/NestText.h"

#include "cuda/ScalarText.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tensorjit::cuda {

NestText::NestText(kernel::NestOp nest, std::string function) : nest_(nest), function_(std::move(function)) {
  nest.walk([&](kernel::CheckIndexOp) { checksIndex_ = true; });
  bool hasPoints = llvm::none_of(nest.getParallelDims(), [&](unsigned dim) { return nest.getSize(dim) == 0; });
  if (hasPoints) form_ = chooseForm(nest);
}

std::string NestText::signature(const BodyText &body) const {
  std::string out = "static __device__ void " + function_ + "(";
  for (unsigned i = 0; i < nest_.getNumInputs(); ++i)
    out += "const " + memoryTypeText(nest_.getInputType(i).getElementType()) + " *in" + std::to_string(i) + ", ";
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    out += memoryTypeText(nest_.getOutputType(i).getElementType()) + " *out" + std::to_string(i) + ", ";
  return out + std::string(body.index().type()) + " block" + (checksIndex_ ? ", unsigned long long *error)" : ")");
}

// The user's lines that the nest was made of.
static std::string linesOf(Location location) {
  SmallVector<std::string> lines;
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      std::string line = llvm::sys::path::filename(file.getFilename().getValue()).str();
      line.append(":").append(std::to_string(file.getLine()));
      if (!llvm::is_contained(lines, line)) lines.push_back(line);
    }
    return WalkResult::advance();
  });
  return lines.empty() ? "" : ": " + llvm::join(lines, ", ");
}

LogicalResult NestText::write(llvm::raw_ostream &out) {
  if (!form_) return success();
  BodyText body(form_->space(), form_->body());
  if (failed(form_->write(body))) return failure();
  out << "// " << nest_.getSymName() << linesOf(nest_.getLoc()) << "\n";
  out << signature(body) << " {\n" << body.text() << "}\n\n";
  return success();
}

} // namespace tensorjit::cuda
