// Every nest, compiled, against the plainest reading of it: over sizes around the vector width, primes, one and zero;
// whole and in pieces (the bits must be the same); through its skeleton and through the scalar path.
#include "KernelRunner.h"
#include "NestCases.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace tensorjit::cpu::test {
namespace {

std::vector<std::vector<char>> runKernel(const KernelLibrary &library, size_t kernel, Operation *op,
                                         const std::vector<TensorData> &inputs, int64_t pieces, ErrorSlot *error) {
  std::vector<std::vector<char>> memory;
  for (const TensorData &input : inputs) memory.push_back(toBytes(input));
  for (const TensorData &output : tensorsOf(op->getResultTypes())) {
    memory.push_back(toBytes(output));
    memset(memory.back().data(), 0x5a, memory.back().size());
  }
  std::vector<void *> buffers;
  for (auto &bytes : memory) buffers.push_back(bytes.data());
  library.run(kernel, buffers, pieces, error);
  memory.erase(memory.begin(), memory.begin() + inputs.size());
  for (auto &bytes : memory) EXPECT_EQ(bytes.back(), 0x5a) << "written beyond the end";
  return memory;
}

class KernelTest : public testing::TestWithParam<NestCase> {};

void checkSizes(const NestCase &test, const Sizes &sizes, const std::string &cpu) {
  auto context = makeTestContext();
  auto module = parse(*context, fill(test.nest, sizes));
  SmallVector<kernel::NestOp> nests;
  module->walk([&](kernel::NestOp nest) { nests.push_back(nest); });
  ASSERT_EQ(nests.size(), 1u);
  kernel::NestOp nest = nests[0];
  // The same nest once more, through the scalar path.
  OpBuilder b(nest);
  b.clone(*nest)->setAttr("schedule", b.getStringAttr("scalar"));
  CompileOptions options;
  options.cpu = cpu;
  if (const char *folder = getenv("TENSORJIT_TEST_DUMP")) options.dumpDir = folder;
  KernelLibrary library(*module, options);
  std::mt19937 random(sizes[0] * 31 + sizes[1]);
  auto inputs = tensorsOf(nest->getOperandTypes());
  for (TensorData &input : inputs) randomise(input, random, test.specials);
  auto wanted = interpret(nest, inputs, nullptr);
  for (size_t kernel : {0, 1}) {
    auto whole = runKernel(library, kernel, nest, inputs, 1, nullptr);
    auto pieces = runKernel(library, kernel, nest, inputs, 3, nullptr);
    EXPECT_EQ(whole, pieces) << "the split changes bits";
    for (size_t i = 0; i < wanted.size(); ++i) {
      TensorData got(wanted[i].type);
      fromBytes(got, whole[i]);
      std::string what = kernel == 0 ? "scalar path, result " : "skeleton, result ";
      what.append(std::to_string(i)).append(fill(test.nest, sizes));
      expectClose(wanted[i], got, test.tolerance, what);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(KernelTest, AgreesWithInterpreter) {
  for (const auto &sizes : GetParam().sizes) {
    checkSizes(GetParam(), sizes, "");
    if (HasFatalFailure()) return;
  }
}

TEST_P(KernelTest, AgreesOnOlderCpus) {
  checkSizes(GetParam(), GetParam().sizes.front(), "x86-64-v3");
  if (!HasFatalFailure()) checkSizes(GetParam(), GetParam().sizes.front(), "x86-64");
}

INSTANTIATE_TEST_SUITE_P(Nests, KernelTest, testing::ValuesIn(nestCases()),
                         [](const testing::TestParamInfo<NestCase> &info) { return info.param.name; });

} // namespace
} // namespace tensorjit::cpu::test
