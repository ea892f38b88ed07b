// What a kernel does beside computing: groups, index checks, results in the memory of inputs, shared code, refusals.
#include "KernelRunner.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

using namespace mlir;

namespace tensorjit::cpu::test {
namespace {

Operation *firstKernel(ModuleOp module) {
  Operation *found = nullptr;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!found && kernel::isKernel(op)) found = op;
  });
  return found;
}

const char *group = R"(
func.func @f(%a: tensor<5000xf32>, %b: tensor<7x3xf32>, %c: tensor<1xf32>)
    -> (tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1xf32>) {
  %r:4 = kernel.group "g" (%a, %b, %c : tensor<5000xf32>, tensor<7x3xf32>, tensor<1xf32>)
      -> (tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1xf32>) {
  ^bb0(%x: tensor<5000xf32>, %y: tensor<7x3xf32>, %z: tensor<1xf32>):
    %0 = kernel.nest "double" [parallel 5000] ins(%x at affine_map<(i) -> (i)> : tensor<5000xf32>)
        outs(affine_map<(i) -> (i)> : tensor<5000xf32>) {
    ^bb0(%v: f32):
      %d = arith.addf %v, %v : f32
      kernel.yield %d : f32
    }
    %1:2 = kernel.nest "rows" [parallel 7, reduction 3] ins(%y at affine_map<(i, j) -> (i, j)> : tensor<7x3xf32>)
        outs(affine_map<(i, j) -> (i)> : tensor<7xf32>, affine_map<(i, j) -> (i, j)> : tensor<7x3xf32>) {
    ^bb0(%v: f32):
      %m = kernel.reduce max %v : f32
      %d = arith.subf %v, %m : f32
      kernel.yield %m, %d : f32, f32
    }
    %2 = kernel.nest "one" [parallel 1] ins(%z at affine_map<(i) -> (i)> : tensor<1xf32>)
        outs(affine_map<(i) -> (i)> : tensor<1xf32>) {
    ^bb0(%v: f32):
      %d = arith.negf %v : f32
      kernel.yield %d : f32
    }
    kernel.yield %0, %1#0, %1#1, %2 : tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<5000xf32>, tensor<7xf32>, tensor<7x3xf32>, tensor<1xf32>
})";

TEST(Group, RunsEveryNestInAnyPieces) {
  auto context = makeTestContext();
  auto module = parse(*context, group);
  KernelLibrary library(*module);
  ASSERT_EQ(library.size(), 1u);
  std::vector<float> a(5000), b(21), c{4};
  std::iota(a.begin(), a.end(), 1.0f);
  std::iota(b.begin(), b.end(), 1.0f);
  for (int64_t pieces : {1, 2, 3, 11}) {
    std::vector<float> doubled(5000), maxima(7), shifted(21), negated(1);
    library.run(0, {a.data(), b.data(), c.data(), doubled.data(), maxima.data(), shifted.data(), negated.data()},
                pieces);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(doubled[i], 2 * a[i]);
    for (int i = 0; i < 21; ++i) ASSERT_EQ(shifted[i], i % 3 - 2.0f);
    for (int i = 0; i < 7; ++i) ASSERT_EQ(maxima[i], i * 3 + 3.0f);
    ASSERT_EQ(negated[0], -4);
  }
}

std::string checkedNest(const char *schedule) {
  std::string text = R"(
func.func @f(%a: tensor<100xi64>) -> tensor<100xi64> {
  %r = kernel.nest "k" [parallel 100] ins(%a at affine_map<(i) -> (i)> : tensor<100xi64>)
      outs(affine_map<(i) -> (i)> : tensor<100xi64>) attributes {schedule = "SCHEDULE"} {
  ^bb0(%v: i64):
    %i = kernel.index 0 : i64
    %ok = kernel.check_index %v at %i in 10 check 3 : i64
    kernel.yield %ok : i64
  }
  return %r : tensor<100xi64>
})";
  return text.replace(text.find("SCHEDULE"), 8, schedule);
}

TEST(CheckIndex, KeepsTheFirstBadPosition) {
  for (const char *schedule : {"scalar", "pointwise"}) {
    auto context = makeTestContext();
    auto module = parse(*context, checkedNest(schedule));
    KernelLibrary library(*module);
    std::vector<int64_t> values(100, 7), results(100);
    ErrorSlot fine;
    library.run(0, {values.data(), results.data()}, 1, &fine);
    EXPECT_EQ(fine.set, 0);
    EXPECT_EQ(results, values);
    values[98] = -1;
    values[37] = 10;
    ErrorSlot error;
    library.run(0, {values.data(), results.data()}, 1, &error);
    EXPECT_EQ(error.set, 1);
    EXPECT_EQ(error.check, 3);
    EXPECT_EQ(error.position, 37);
    EXPECT_EQ(error.value, 10);
    EXPECT_EQ(results[37], 0);
    EXPECT_EQ(results[98], 0);
    EXPECT_EQ(results[99], 7);
  }
}

TEST(CheckIndex, LetsASmallerPositionReplace) {
  auto context = makeTestContext();
  auto module = parse(*context, checkedNest("pointwise"));
  KernelLibrary library(*module);
  std::vector<int64_t> values(100, 99), results(100);
  ErrorSlot error;
  error = {1, 3, 50, -4};
  library.run(0, {values.data(), results.data()}, 1, &error);
  EXPECT_EQ(error.position, 0);
  error = {1, 2, 50, -4};
  library.run(0, {values.data(), results.data()}, 1, &error);
  EXPECT_EQ(error.check, 2);
  EXPECT_EQ(error.position, 50);
}

TEST(ArgReduce, FindsTheFirstOfEqualOnesWhateverTheyAre) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<4x6x20xf32>) -> (tensor<2x20xf32>, tensor<2x20xi64>) {
  %r:2 = kernel.nest "k" [parallel 2, parallel 20, reduction 2, reduction 6]
      ins(%a at affine_map<(i, c, p, q) -> (i * 2 + p, q, c)> : tensor<4x6x20xf32>)
      outs(affine_map<(i, c, p, q) -> (i, c)> : tensor<2x20xf32>, affine_map<(i, c, p, q) -> (i, c)> : tensor<2x20xi64>) {
  ^bb0(%x: f32):
    %i = kernel.index 0 : i64
    %p = kernel.index 2 : i64
    %q = kernel.index 3 : i64
    %two = arith.constant 2 : i64
    %six = arith.constant 6 : i64
    %0 = arith.muli %i, %two : i64
    %1 = arith.addi %0, %p : i64
    %2 = arith.muli %1, %six : i64
    %3 = arith.addi %2, %q : i64
    %v, %at = kernel.arg_reduce max %x, %3 : f32
    kernel.yield %v, %at : f32, i64
  }
  return %r#0, %r#1 : tensor<2x20xf32>, tensor<2x20xi64>
})");
  KernelLibrary library(*module);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (float value : {-infinity, infinity, 0.0f, std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> x(480, value), extremes(40);
    std::vector<int64_t> at(40, -1);
    library.run(0, {x.data(), extremes.data(), at.data()});
    for (int c = 0; c < 40; ++c) {
      EXPECT_EQ(at[c], c < 20 ? 0 : 12) << value;
      EXPECT_TRUE(extremes[c] == value || std::isnan(value)) << value;
    }
  }
}

TEST(InPlace, ASoftmaxMayOverwriteItsInput) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<3x40xf32>) -> (tensor<3x40xf32>, tensor<3x40xf32>) {
  %r:2 = kernel.nest "k" [parallel 3, reduction 40] ins(%a at affine_map<(i, j) -> (i, j)> : tensor<3x40xf32>)
      outs(affine_map<(i, j) -> (i, j)> : tensor<3x40xf32>, affine_map<(i, j) -> (i, j)> : tensor<3x40xf32>) {
  ^bb0(%x: f32):
    %m = kernel.reduce max %x : f32
    %d = arith.subf %x, %m : f32
    %s = kernel.reduce add %d : f32
    %y = arith.divf %x, %s : f32
    kernel.yield %d, %y : f32, f32
  }
  return %r#0, %r#1 : tensor<3x40xf32>, tensor<3x40xf32>
})");
  KernelLibrary library(*module);
  std::vector<float> x(120), first(120), second(120), other(120);
  for (int i = 0; i < 120; ++i) x[i] = i * 37 % 41;
  library.run(0, {x.data(), first.data(), second.data()});
  std::vector<float> memory = x;
  library.run(0, {memory.data(), memory.data(), other.data()});
  EXPECT_EQ(memory, first);
  EXPECT_EQ(other, second);
  memory = x;
  library.run(0, {memory.data(), other.data(), memory.data()});
  EXPECT_EQ(memory, second);
  EXPECT_EQ(other, first);
}

TEST(Codegen, EqualKernelsShareCode) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = kernel.nest "first" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32):
    %d = arith.negf %v : f32
    kernel.yield %d : f32
  }
  %1 = kernel.nest "second" [parallel 8] ins(%b at affine_map<(i) -> (i)> : tensor<8xf32>)
      outs(affine_map<(i) -> (i)> : tensor<8xf32>) {
  ^bb0(%v: f32):
    %d = arith.negf %v : f32
    kernel.yield %d : f32
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
})");
  KernelLibrary library(*module);
  ASSERT_NE(library.function(0), nullptr);
  EXPECT_EQ(library.function(0), library.function(1));
}

TEST(Codegen, RefusesAnOpWithoutCode) {
  auto context = makeTestContext();
  auto module = parse(*context, R"(
func.func @f(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = kernel.nest "k" [parallel 8] ins(%a at affine_map<(i) -> (i)> : tensor<8xi32>)
      outs(affine_map<(i) -> (i)> : tensor<8xi32>) {
  ^bb0(%v: i32):
    %d = math.ipowi %v, %v : i32
    kernel.yield %d : i32
  }
  return %0 : tensor<8xi32>
})");
  auto refusal = refusalOf(firstKernel(*module));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(*refusal, "no code for math.ipowi");
  EXPECT_ANY_THROW(KernelLibrary{*module});
}

} // namespace
} // namespace tensorjit::cpu::test
