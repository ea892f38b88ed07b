// A chain computes bit for bit what its nests compute one after another, each over all of its tensors.
#include "KernelRunner.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace tensorjit::cpu::test {
namespace {

using Memory = DenseMap<Value, std::vector<char>>;

func::FuncOp functionOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

// The nests where the chain stands.
void unchain(func::FuncOp function) {
  auto chain = *function.getOps<kernel::ChainOp>().begin();
  OpBuilder b(chain);
  IRMapping mapping;
  mapping.map(chain.getBlock()->getArguments(), chain.getInputs());
  for (Operation &op : chain.getBlock()->without_terminator()) b.clone(op, mapping);
  for (auto [result, made] : llvm::zip_equal(chain.getResults(), chain.getYield().getOperands()))
    result.replaceAllUsesWith(mapping.lookup(made));
  chain.erase();
}

Value rootOf(Value value) {
  while (auto view = value.getDefiningOp<kernel::ViewOp>()) value = view.getSource();
  return value;
}

// What the function returns, with the arguments filled from a fixed seed.
std::vector<std::vector<char>> run(func::FuncOp function, int64_t pieces) {
  Memory memory;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  auto data = [](Value value) { return TensorData(cast<RankedTensorType>(value.getType())); };
  for (BlockArgument argument : function.getArguments()) {
    TensorData tensor = data(argument);
    for (Number &number : tensor.elements) number.real = static_cast<float>(uniform(random));
    memory[argument] = toBytes(tensor);
  }
  KernelLibrary library(function->getParentOfType<ModuleOp>());
  size_t kernel = 0;
  for (Operation &op : function.getOps()) {
    if (!kernel::isKernel(&op)) continue;
    for (Value result : op.getResults()) memory[result] = toBytes(data(result));
    std::vector<void *> buffers;
    for (Value operand : op.getOperands()) buffers.push_back(memory[rootOf(operand)].data());
    for (Value result : op.getResults()) buffers.push_back(memory[result].data());
    library.run(kernel++, buffers, pieces);
  }
  std::vector<std::vector<char>> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(memory[rootOf(value)]);
  return results;
}

void expectSame(const std::string &text) {
  auto context = makeTestContext();
  auto chained = parse(*context, text), apart = parse(*context, text);
  unchain(functionOf(*apart));
  auto wanted = run(functionOf(*apart), 1);
  for (int64_t pieces : {1, 3}) EXPECT_EQ(run(functionOf(*chained), pieces), wanted) << pieces << " pieces";
}

std::string withSlices(std::string text, int64_t slices) {
  return text.replace(text.find("SLICES"), 6, std::to_string(slices));
}

const char *convolutionAndPool = R"(
func.func @f(%x: tensor<12x8x8x3xf32>, %w: tensor<3x3x3x20xf32>) -> (tensor<12x4x4x20xf32>, tensor<12x4x4x20xi64>) {
  %r:2 = kernel.chain "c" slices SLICES (%x, %w : tensor<12x8x8x3xf32>, tensor<3x3x3x20xf32>)
      -> (tensor<12x4x4x20xf32>, tensor<12x4x4x20xi64>) {
  ^bb0(%a: tensor<12x8x8x3xf32>, %b: tensor<3x3x3x20xf32>):
    %y = kernel.nest "conv" [parallel 12, parallel 8, parallel 8, parallel 20, reduction 3, reduction 3, reduction 3]
        ins(%a pad 0.0 : f32 at affine_map<(n, h, w, o, p, q, i) -> (n, h + p - 1, w + q - 1, i)> : tensor<12x8x8x3xf32>,
            %b at affine_map<(n, h, w, o, p, q, i) -> (p, q, i, o)> : tensor<3x3x3x20xf32>)
        outs(affine_map<(n, h, w, o, p, q, i) -> (n, h, w, o)> : tensor<12x8x8x20xf32>) {
    ^bb0(%u: f32, %v: f32):
      %p = arith.mulf %u, %v : f32
      %s = kernel.reduce add %p : f32
      kernel.yield %s : f32
    }
    %z:2 = kernel.nest "pool" [parallel 12, parallel 4, parallel 4, parallel 20, reduction 2, reduction 2]
        ins(%y at affine_map<(n, h, w, c, p, q) -> (n, h * 2 + p, w * 2 + q, c)> : tensor<12x8x8x20xf32>)
        outs(affine_map<(n, h, w, c, p, q) -> (n, h, w, c)> : tensor<12x4x4x20xf32>,
             affine_map<(n, h, w, c, p, q) -> (n, h, w, c)> : tensor<12x4x4x20xi64>) {
    ^bb0(%u: f32):
      %n = kernel.index 0 : i64
      %q = kernel.index 5 : i64
      %at = arith.addi %n, %q : i64
      %v, %i = kernel.arg_reduce max %u, %at : f32
      kernel.yield %v, %i : f32, i64
    }
    kernel.yield %z#0, %z#1 : tensor<12x4x4x20xf32>, tensor<12x4x4x20xi64>
  }
  return %r#0, %r#1 : tensor<12x4x4x20xf32>, tensor<12x4x4x20xi64>
})";

TEST(Chain, ConvolutionAndPool) {
  for (int64_t slices : {2, 4, 12}) expectSame(withSlices(convolutionAndPool, slices));
}

// A gradient by chunks, read image by image through a view and by a weight gradient by chunks. The gradient itself is
// kept as well.
const char *gradients = R"(
func.func @f(%g: tensor<20x3x3x17xf32>, %x: tensor<20x6x6x5xf32>, %w: tensor<3x3x17x5xf32>)
    -> (tensor<4x17xf32>, tensor<20x6x6x5xf32>, tensor<4x3x3x5x17xf32>, tensor<4x5x6x6x17xf32>) {
  %r:4 = kernel.chain "c" slices SLICES (%g, %x, %w : tensor<20x3x3x17xf32>, tensor<20x6x6x5xf32>, tensor<3x3x17x5xf32>)
      -> (tensor<4x17xf32>, tensor<20x6x6x5xf32>, tensor<4x3x3x5x17xf32>, tensor<4x5x6x6x17xf32>) {
  ^bb0(%a: tensor<20x3x3x17xf32>, %b: tensor<20x6x6x5xf32>, %c: tensor<3x3x17x5xf32>):
    %y:3 = kernel.nest "spread" [parallel 4, parallel 17, reduction 5, reduction 6, reduction 6]
        ins(%a at affine_map<(q, c, n, h, w) -> (q * 5 + n, h floordiv 2, w floordiv 2, c)> : tensor<20x3x3x17xf32>)
        outs(affine_map<(q, c, n, h, w) -> (q, n, h, w, c)> : tensor<4x5x6x6x17xf32>,
             affine_map<(q, c, n, h, w) -> (q, n, h, w, c)> : tensor<4x5x6x6x17xf32>,
             affine_map<(q, c, n, h, w) -> (q, c)> : tensor<4x17xf32>) {
    ^bb0(%u: f32):
      %i = kernel.index 3 : i64
      %f = arith.sitofp %i : i64 to f32
      %v = arith.mulf %u, %f : f32
      %s = kernel.reduce add %v : f32
      kernel.yield %v, %v, %s : f32, f32, f32
    }
    %z = kernel.view %y#0 : tensor<4x5x6x6x17xf32> -> tensor<20x6x6x17xf32>
    %d = kernel.nest "input_grad" [parallel 20, parallel 6, parallel 6, parallel 5, reduction 3, reduction 3, reduction 17]
        ins(%z pad 0.0 : f32 at affine_map<(n, h, w, i, p, q, o) -> (n, h + p - 1, w + q - 1, o)> : tensor<20x6x6x17xf32>,
            %c at affine_map<(n, h, w, i, p, q, o) -> (p, q, o, i)> : tensor<3x3x17x5xf32>)
        outs(affine_map<(n, h, w, i, p, q, o) -> (n, h, w, i)> : tensor<20x6x6x5xf32>) {
    ^bb0(%u: f32, %v: f32):
      %p = arith.mulf %u, %v : f32
      %s = kernel.reduce add %p : f32
      kernel.yield %s : f32
    }
    %e = kernel.nest "weight_grad" [parallel 4, parallel 3, parallel 3, parallel 5, parallel 17, reduction 5, reduction 6, reduction 6]
        ins(%b pad 0.0 : f32 at affine_map<(c, p, q, i, o, n, h, w) -> (c * 5 + n, h + p - 1, w + q - 1, i)> : tensor<20x6x6x5xf32>,
            %z at affine_map<(c, p, q, i, o, n, h, w) -> (c * 5 + n, h, w, o)> : tensor<20x6x6x17xf32>)
        outs(affine_map<(c, p, q, i, o, n, h, w) -> (c, p, q, i, o)> : tensor<4x3x3x5x17xf32>) {
    ^bb0(%u: f32, %v: f32):
      %p = arith.mulf %u, %v : f32
      %s = kernel.reduce add %p : f32
      kernel.yield %s : f32
    }
    kernel.yield %y#2, %d, %e, %y#1 : tensor<4x17xf32>, tensor<20x6x6x5xf32>, tensor<4x3x3x5x17xf32>, tensor<4x5x6x6x17xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<4x17xf32>, tensor<20x6x6x5xf32>, tensor<4x3x3x5x17xf32>, tensor<4x5x6x6x17xf32>
})";

TEST(Chain, GradientsByChunks) {
  for (int64_t slices : {2, 4}) expectSame(withSlices(gradients, slices));
}

// Scores of 6 heads, their softmax, one number for each head, and a product that reads the pad behind the rows.
const char *heads = R"(
func.func @f(%q: tensor<6x9x4xf32>, %k: tensor<6x4x9xf32>) -> (tensor<6x9x4xf32>, tensor<6xf32>) {
  %r:2 = kernel.chain "c" slices SLICES (%q, %k : tensor<6x9x4xf32>, tensor<6x4x9xf32>) -> (tensor<6x9x4xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x9x4xf32>, %b: tensor<6x4x9xf32>):
    %s = kernel.nest "scores" [parallel 6, parallel 9, parallel 9, reduction 4]
        ins(%a at affine_map<(n, i, j, k) -> (n, i, k)> : tensor<6x9x4xf32>,
            %b at affine_map<(n, i, j, k) -> (n, k, j)> : tensor<6x4x9xf32>)
        outs(affine_map<(n, i, j, k) -> (n, i, j)> : tensor<6x9x9xf32>) {
    ^bb0(%u: f32, %v: f32):
      %p = arith.mulf %u, %v : f32
      %t = kernel.reduce add %p : f32
      kernel.yield %t : f32
    }
    %w = kernel.nest "softmax" [parallel 6, parallel 9, reduction 9]
        ins(%s at affine_map<(n, i, j) -> (n, i, j)> : tensor<6x9x9xf32>)
        outs(affine_map<(n, i, j) -> (n, i, j)> : tensor<6x9x9xf32>) {
    ^bb0(%u: f32):
      %m = kernel.reduce max %u : f32
      %d = arith.subf %u, %m : f32
      %e = math.exp %d : f32
      %t = kernel.reduce add %e : f32
      %x = arith.divf %e, %t : f32
      kernel.yield %x : f32
    }
    %m = kernel.nest "largest" [parallel 6, reduction 9, reduction 9]
        ins(%w at affine_map<(n, i, j) -> (n, i, j)> : tensor<6x9x9xf32>)
        outs(affine_map<(n, i, j) -> (n)> : tensor<6xf32>) {
    ^bb0(%u: f32):
      %t = kernel.reduce max %u : f32
      kernel.yield %t : f32
    }
    %o = kernel.nest "shift" [parallel 6, parallel 9, parallel 4]
        ins(%w pad 2.0 : f32 at affine_map<(n, i, j) -> (n, i + j, 8 - j)> : tensor<6x9x9xf32>,
            %m at affine_map<(n, i, j) -> (n)> : tensor<6xf32>)
        outs(affine_map<(n, i, j) -> (n, i, j)> : tensor<6x9x4xf32>) {
    ^bb0(%u: f32, %v: f32):
      %x = arith.addf %u, %v : f32
      kernel.yield %x : f32
    }
    kernel.yield %o, %m : tensor<6x9x4xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6x9x4xf32>, tensor<6xf32>
})";

TEST(Chain, HeadsOfAttention) {
  for (int64_t slices : {2, 3, 6}) expectSame(withSlices(heads, slices));
}

// What the first nest makes is read again by the last: its memory is not another one's in between.
const char *readAgain = R"(
func.func @f(%x: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %r = kernel.chain "c" slices SLICES (%x : tensor<6x9xf32>) -> (tensor<6x9xf32>) {
  ^bb0(%a: tensor<6x9xf32>):
    %0 = kernel.nest "negate" [parallel 6, parallel 9] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<6x9xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<6x9xf32>) {
    ^bb0(%u: f32):
      %v = arith.negf %u : f32
      kernel.yield %v : f32
    }
    %1 = kernel.nest "turn" [parallel 6, parallel 9] ins(%0 at affine_map<(i, j) -> (i, 8 - j)> : tensor<6x9xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<6x9xf32>) {
    ^bb0(%u: f32):
      %v = arith.mulf %u, %u : f32
      kernel.yield %v : f32
    }
    %2 = kernel.nest "add" [parallel 6, parallel 9]
        ins(%0 at affine_map<(i, j) -> (i, j)> : tensor<6x9xf32>, %1 at affine_map<(i, j) -> (i, 8 - j)> : tensor<6x9xf32>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<6x9xf32>) {
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      kernel.yield %w : f32
    }
    kernel.yield %2 : tensor<6x9xf32>
  }
  return %r : tensor<6x9xf32>
})";

TEST(Chain, ReadsAgainWhatItMade) {
  for (int64_t slices : {2, 6}) expectSame(withSlices(readAgain, slices));
}

} // namespace
} // namespace tensorjit::cpu::test
