#include "Passes.h"

#include "cuda/Program.h"
#include "fuse/Fuse.h"
#include "fuse/FusionSteps.h"
#include "kernel/Kernel.h"
#include "layout/Layout.h"
#include "layout/LayoutSteps.h"
#include "lower/Lower.h"
#include "plan/PrintPlan.h"
#include "schedule/Schedule.h"
#include "schedule/ScheduleSteps.h"
#include "simplify/Simplify.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace tensorjit {

namespace {

struct PassInfo {
  const char *name, *description;
  void (*run)(func::FuncOp);
};

constexpr PassInfo passes[] = {
    {"tj-compute-types", "ops on f16, bf16 and i16 work in f32 and i32", computeInWideTypes},
    {"tj-simplify", "fold, compute equal ops once, drop dead ones", simplify},
    {"tj-lower", "tj ops -> kernel nests", [](func::FuncOp f) { lower(f, nullptr); }},
    {"kernel-remove-unit-reductions", "reductions over one point -> the value", fuse_nests::removeUnitReductions},
    {"kernel-absorb-views", "read through views", fuse_nests::absorbViews},
    {"kernel-merge-producers", "merge producers and consumers over the same points",
     [](func::FuncOp f) { fuse_nests::mergeProducers(f), fuse_nests::removeDead(f); }},
    {"kernel-inline-producers", "compute pointwise producers in their consumers",
     [](func::FuncOp f) { fuse_nests::inlineProducers(f), fuse_nests::removeDead(f); }},
    {"kernel-merge-siblings", "merge readers of one tensor", [](func::FuncOp f) { fuse_nests::mergeSiblings(f); }},
    {"kernel-fuse", "all vertical fusion", [](func::FuncOp f) { fuse(f, nullptr); }},
    {"kernel-group", "independent nests with one body -> kernel.group", fuse_nests::groupNests},
    {"kernel-layout", "memory order of intermediates, packed operands",
     [](func::FuncOp f) { chooseLayouts(f, layout::VectorUnit()); }},
    {"kernel-layout-staged", "the same for kernels that stage operands themselves, as those of CUDA",
     [](func::FuncOp f) { chooseLayouts(f, std::nullopt); }},
    {"kernel-store-halves", "values of f16 and bf16 are stored as such", layout::storeHalves},
    {"kernel-store-indices", "positions are stored in as many bits as they need", layout::storeIndices},
    {"kernel-schedule", "split long reductions, name the form of each nest", [](func::FuncOp f) { schedule(f); }},
    {"kernel-schedule-blocks", "the same, for a large CUDA device",
     [](func::FuncOp f) { schedule(f, cuda::multiprocessors); }},
    {"kernel-chain", "nests that run slice by slice -> kernel.chain", schedule_steps::chainNests},
    {"print-plan", "print the steps of the executable", plan::printPlan},
};

class FunctionPass : public PassWrapper<FunctionPass, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FunctionPass)
  explicit FunctionPass(const PassInfo &info) : info_(info) {}
  StringRef getArgument() const override { return info_.name; }
  StringRef getDescription() const override { return info_.description; }
  StringRef getName() const override { return info_.name; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<kernel::KernelDialect>(); }
  void runOnOperation() override {
    if (!getOperation().isDeclaration()) info_.run(getOperation());
  }

private:
  const PassInfo &info_;
};

} // namespace

void registerPasses() {
  for (const PassInfo &info : passes)
    registerPass([&info]() -> std::unique_ptr<Pass> { return std::make_unique<FunctionPass>(info); });
}

} // namespace tensorjit
