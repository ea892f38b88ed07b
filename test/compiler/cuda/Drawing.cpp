#include "Drawing.h"

#include "KernelRunner.h"
#include "lower/Lower.h"
#include "tensor/TJ.h"

using namespace mlir;

namespace tensorjit::cuda::test {

OwningOpRef<ModuleOp> drawing(MLIRContext &context, const std::string &op, const std::string &type, int64_t count) {
  context.getOrLoadDialect<tj::TJDialect>();
  const std::string result = "tensor<" + std::to_string(count) + "x" + type + ">";
  auto module = cpu::test::parse(
      context, "func.func @f(%s: tensor<i64>, %o: tensor<i64>) -> " + result + " {\n  %0 = tj." + op +
                   " %s, %o {sizes = array<i64: " + std::to_string(count) + ">, dtype = " + type +
                   "} : (tensor<i64>, tensor<i64>) -> " + result + "\n  return %0 : " + result + "\n}");
  lower(*module->getOps<func::FuncOp>().begin(), nullptr);
  return module;
}

} // namespace tensorjit::cuda::test
