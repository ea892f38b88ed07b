// Every kernel of a whole train step, executed, against the same kernel as CPU code.
#include "TrainStep.h"

#include "CudaRunner.h"
#include "KernelRunner.h"
#include "NestCases.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tensorjit::cuda::test {
namespace {

using namespace cpu::test;

std::string nameOf(Operation *op) { return op->getAttrOfType<StringAttr>("sym_name").str(); }

/// In [0, 10) where they are classes.
TensorData randomInput(Type type, std::mt19937 &random) {
  TensorData tensor(cast<RankedTensorType>(type));
  randomise(tensor, random, false);
  for (Number &number : tensor.elements) number.integer = std::abs(number.integer);
  return tensor;
}

TEST(CudaTrainStep, AgreesWithTheCpu) {
  CompilerContext context;
  auto module = lowerTrainStep(context.mlir, 5);
  context.check(*module);
  auto kernels = kernelsOf(*module);
  EXPECT_LE(kernels.size(), 25u) << "launches";
  KernelLibrary reference(*module);
  CudaLibrary library(kernels);
  EXPECT_EQ(library.program().sources.size(), 2u);
  ASSERT_EQ(library.program().kernels.size(), kernels.size());

  std::mt19937 random(3);
  for (auto [number, op] : llvm::enumerate(kernels)) {
    std::vector<Bytes> inputs, wanted;
    for (Type type : op->getOperandTypes()) inputs.push_back(toBytes(randomInput(type, random)));
    auto results = tensorsOf(op->getResultTypes());
    std::vector<void *> buffers;
    std::vector<size_t> sizes;
    for (Bytes &input : inputs) buffers.push_back(input.data());
    for (const TensorData &result : results) {
      wanted.push_back(toBytes(result));
      sizes.push_back(wanted.back().size() - 1);
    }
    for (Bytes &bytes : wanted) buffers.push_back(bytes.data());
    reference.run(number, buffers);
    for (Bytes &input : inputs) input.pop_back();
    std::vector<Bytes> got;
    ASSERT_NO_THROW(got = library.run(number, inputs, sizes)) << nameOf(op);
    for (auto [i, tensor] : llvm::enumerate(results)) {
      TensorData a(tensor.type), b(tensor.type);
      fromBytes(a, wanted[i]);
      fromBytes(b, got[i]);
      // Sums of up to 4000 terms, in another order.
      expectClose(a, b, 1e-5, nameOf(op) + ", result " + std::to_string(i));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(CudaTrainStep, PassesPtxasWithoutSpills) {
  if (!*TENSORJIT_TEST_PTXAS) GTEST_SKIP() << "no ptxas";
  CompilerContext context;
  auto module = lowerTrainStep(context.mlir, 128);
  auto program = printProgram(kernelsOf(*module));
  ASSERT_TRUE(succeeded(program));
  for (auto [from, to] : {std::pair("compute_80", "sm_80"), {"compute_90a", "sm_90a"}, {"compute_100", "sm_100"}}) {
    PtxasReport report = assemble(program->sources[0], from, to);
    EXPECT_EQ(report.status, 0) << report.output;
    EXPECT_GT(report.kernels, 15) << report.output;
    EXPECT_EQ(report.spilledBytes, 0) << report.output;
  }
}

} // namespace
} // namespace tensorjit::cuda::test
