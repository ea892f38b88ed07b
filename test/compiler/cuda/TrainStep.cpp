#include "TrainStep.h"

#include "cuda/Program.h"
#include "fuse/Fuse.h"
#include "fuse/FusionSteps.h"
#include "kernel/Kernel.h"
#include "layout/Layout.h"
#include "lower/Lower.h"
#include "schedule/Schedule.h"
#include "simplify/Simplify.h"

#include "mlir/Parser/Parser.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

using namespace mlir;

namespace tensorjit::cuda::test {

OwningOpRef<ModuleOp> lowerTrainStep(MLIRContext &context, int64_t batch) {
  std::ifstream file(TENSORJIT_TEST_INPUTS "/train-step.mlir");
  std::string text(std::istreambuf_iterator<char>(file), {});
  text = std::regex_replace(text, std::regex("BATCH"), std::to_string(batch));
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module) throw std::runtime_error("train-step.mlir does not parse");
  auto function = *module->getOps<func::FuncOp>().begin();
  simplify(function);
  lower(function, nullptr);
  fuse(function, nullptr);
  chooseLayouts(function, std::nullopt);
  schedule(function, cuda::multiprocessors);
  fuse_nests::groupNests(function);
  return module;
}

SmallVector<Operation *> kernelsOf(ModuleOp module) {
  SmallVector<Operation *> kernels;
  module.walk([&](func::FuncOp function) {
    for (Operation &op : function.getOps())
      if (isa<kernel::NestOp, kernel::GroupOp>(op)) kernels.push_back(&op);
  });
  return kernels;
}

} // namespace tensorjit::cuda::test
