// Every nest as CUDA, executed, against the plainest reading of it.
#include "CudaRunner.h"
#include "KernelRunner.h"
#include "NestCases.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tensorjit::cuda::test {
namespace {

using namespace cpu::test;

class CudaKernelTest : public testing::TestWithParam<NestCase> {};

TEST_P(CudaKernelTest, AgreesWithInterpreter) {
  const NestCase &test = GetParam();
  auto context = makeTestContext();
  std::vector<OwningOpRef<ModuleOp>> modules; // one for each of the sizes
  SmallVector<Operation *> nests;
  for (const Sizes &sizes : test.sizes) {
    modules.push_back(parse(*context, fill(test.nest, sizes)));
    modules.back()->walk([&](kernel::NestOp nest) { nests.push_back(nest); });
  }
  CudaLibrary library(nests);

  std::mt19937 random(7);
  for (auto [number, op] : llvm::enumerate(nests)) {
    std::string what = fill(test.nest, test.sizes[number]);
    auto inputs = tensorsOf(op->getOperandTypes());
    std::vector<Bytes> memory;
    for (TensorData &input : inputs) {
      randomise(input, random, test.specials);
      memory.push_back(toBytes(input));
    }
    auto wanted = interpret(cast<kernel::NestOp>(op), inputs, nullptr);
    std::vector<size_t> sizes;
    for (const TensorData &result : wanted) sizes.push_back(toBytes(result).size() - 1);
    for (Bytes &bytes : memory) bytes.pop_back(); // no place for what is written beyond the end
    std::vector<Bytes> results;
    ASSERT_NO_THROW(results = library.run(number, memory, sizes)) << what;
    for (auto [result, bytes] : llvm::zip_equal(wanted, results)) {
      TensorData got(result.type);
      fromBytes(got, bytes);
      // CUDA's own functions of f64 are right to two units in the last place.
      double tolerance = result.type.getElementType().isF64() ? std::max(test.tolerance, 5e-16) : test.tolerance;
      expectClose(result, got, tolerance, what);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nests, CudaKernelTest, testing::ValuesIn(nestCases()),
                         [](const testing::TestParamInfo<NestCase> &info) { return info.param.name; });

} // namespace
} // namespace tensorjit::cuda::test
