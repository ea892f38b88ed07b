#include "cuda/NestText.h"

#include "cuda/ScalarText.h"

#include "mlir/IR/Location.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tensorjit::cuda {

NestText::NestText(kernel::NestOp nest) : nest_(nest) {
  nest.walk([&](kernel::CheckIndexOp) { checksIndex_ = true; });
  bool hasPoints = llvm::none_of(nest.getParallelDims(), [&](unsigned dim) { return nest.getSize(dim) == 0; });
  if (hasPoints) form_ = chooseForm(nest);
}

std::string NestText::parameters(const BodyText &body) const {
  std::string out = "(";
  for (unsigned i = 0; i < nest_.getNumInputs(); ++i)
    out += "const " + memoryTypeText(nest_.getInputType(i).getElementType()) + " *in" + std::to_string(i) + ", ";
  for (unsigned i = 0; i < nest_.getNumOutputs(); ++i)
    out += memoryTypeText(nest_.getOutputType(i).getElementType()) + " *out" + std::to_string(i) + ", ";
  return out + std::string(body.index().type()) + " block" + (checksIndex_ ? ", unsigned long long *error)" : ")");
}

std::string linesOf(Location location) {
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

std::string NestText::comment() const { return "// " + nest_.getSymName().str() + linesOf(nest_.getLoc()) + "\n"; }

FailureOr<std::string> NestText::function() {
  if (!form_) return std::string();
  BodyText body(form_->space(), form_->body());
  if (failed(form_->write(body))) return failure();
  return parameters(body) + " {\n" + body.text() + "}\n\n";
}

} // namespace tensorjit::cuda
