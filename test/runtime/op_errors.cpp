// What a wrong call says: type, op, shapes or dtypes, what would be accepted, and the user's line.
#include "tensorjit/tensorjit.h"

#include <gtest/gtest.h>

#include <functional>

using namespace tensorjit;

namespace {

template <class E> void expectError(const std::function<void()> &call, const std::string &text, int line) {
  try {
    call();
    ADD_FAILURE() << "no error: " << text;
  } catch (const E &error) {
    EXPECT_EQ(error.what(), text + " (op_errors.cpp:" + std::to_string(line) + ")");
  } catch (const std::exception &error) {
    ADD_FAILURE() << "another type of error: " << error.what();
  }
}

#define EXPECT_ERROR(Type, call, text) expectError<Type>([&] { (void)(call); }, text, __LINE__)

TEST(OpErrors, Pointwise) {
  const Tensor a = zeros({2, 3}), b = zeros({4}), i = zeros({3}, kInt64), flag = zeros({3}, kBool);
  EXPECT_ERROR(shape_error, a + b, "add: cannot broadcast [2x3] with [4]: sizes 3 and 4 are neither equal nor 1");
  EXPECT_ERROR(shape_error, a.mul(b), "mul: cannot broadcast [2x3] with [4]: sizes 3 and 4 are neither equal nor 1");
  EXPECT_ERROR(shape_error, a < b, "lt: cannot broadcast [2x3] with [4]: sizes 3 and 4 are neither equal nor 1");
  EXPECT_ERROR(type_error, sub(flag, flag), "sub: expected an integer or float, got bool");
  EXPECT_ERROR(type_error, neg(flag), "neg: expected an integer or float, got bool");
  EXPECT_ERROR(type_error, where(i, i, i), "where: a bool condition expected, got i64");
}

TEST(OpErrors, InPlaceLeavesTheTarget) {
  Tensor i = full({3}, 7, kInt32);
  EXPECT_THROW(i += 1.5, type_error);
  EXPECT_THROW(i.add_(zeros({2, 3}, kInt32)), shape_error);
  EXPECT_TRUE(equal(i, full({3}, 7, kInt32)));
}

TEST(OpErrors, Views) {
  const Tensor x = zeros({2, 6});
  EXPECT_ERROR(shape_error, x.reshape({5}), "reshape: [2x6] has 12 elements, [5] has 5");
  EXPECT_ERROR(shape_error, x.view({-1, 5}), "reshape: [2x6] has 12 elements, which do not divide into [-1x5]");
  EXPECT_ERROR(shape_error, x.view({-1, -1}), "reshape: more than one -1 in [-1x-1]");
  EXPECT_ERROR(shape_error, zeros({0, 3}).reshape({0, -1}),
               "reshape: the -1 in [0x-1] cannot be inferred beside a size 0");
  EXPECT_ERROR(shape_error, x.permute({0, 0}), "permute: dim 0 is given twice");
  EXPECT_ERROR(index_error, x.transpose(0, 2), "transpose: dim 2 is out of range for [2x6]: expected -2 to 1");
  EXPECT_ERROR(index_error, x.select(1, 6), "select: index 6 is out of range for dim 1 of size 6");
  EXPECT_ERROR(value_error, x.slice(0, 0, 2, 0), "slice: step must not be 0");
  EXPECT_ERROR(shape_error, x.expand({3, 6}),
               "broadcast_to: cannot broadcast [2x6] to [3x6]: size 2 is neither 1 nor 3");
  EXPECT_ERROR(index_error, x.narrow(1, 4, 3), "narrow: 3 positions from 4 are out of range for dim 1 of size 6");
}

TEST(OpErrors, Reductions) {
  const Tensor x = zeros({2, 0}), i = zeros({3}, kInt64);
  EXPECT_ERROR(index_error, sum(x, 2), "sum: dim 2 is out of range for [2x0]: expected -2 to 1");
  EXPECT_ERROR(shape_error, sum(x, {0, -2}), "sum: dim 0 is given twice");
  EXPECT_ERROR(shape_error, amax(x, 1), "amax: no elements along dim 1 of [2x0]");
  EXPECT_ERROR(shape_error, x.argmin(), "argmin: no elements along dim 1 of [2x0]");
  EXPECT_ERROR(type_error, mean(i), "mean: expected a float, got i64");
  EXPECT_ERROR(type_error, softmax(i, 0), "softmax: expected a float, got i64; give dtype= to cast first");
}

TEST(OpErrors, Contractions) {
  const Tensor a = zeros({128, 784}), b = zeros({512, 10});
  EXPECT_ERROR(shape_error, matmul(a, b),
               "matmul: cannot multiply [128x784] by [512x10]: inner sizes 784 and 512 differ");
  EXPECT_ERROR(shape_error, matmul(zeros({2, 3, 4}), zeros({3, 4, 5})),
               "matmul: cannot multiply [2x3x4] by [3x4x5]: batch sizes [2] and [3] do not broadcast");
  EXPECT_ERROR(shape_error, linear(a, b),
               "linear: cannot apply weight [512x10] to [128x784]: the input has 784 features, "
               "the weight expects 10");
  EXPECT_ERROR(shape_error, conv2d(zeros({1, 3, 8, 8}), zeros({4, 2, 3, 3})),
               "conv2d: input [1x3x8x8] has 3 channels, weight [4x2x3x3] in 1 group expects 2");
  EXPECT_ERROR(shape_error, conv2d(zeros({1, 1, 2, 2}), zeros({1, 1, 3, 3})),
               "conv2d: a window of 3 does not fit into size 2 padded by 0");
  EXPECT_ERROR(value_error, max_pool2d(zeros({1, 1, 8, 8}), 2, 2, 2),
               "max_pool2d: padding 2 must be between 0 and half the window of 2");
}

TEST(OpErrors, Losses) {
  const Tensor x = zeros({4, 3});
  EXPECT_ERROR(shape_error, cross_entropy(x, zeros({5}, kInt64)),
               "cross_entropy: input [4x3] has 4 rows, target [5] has 5");
  EXPECT_ERROR(type_error, cross_entropy(x, zeros({4})), "cross_entropy: targets of i64 or i32 expected, got f32");
  EXPECT_ERROR(value_error, cross_entropy(x, zeros({4}, kInt64), Reduction::Mean, -100, 1.5),
               "cross_entropy: label_smoothing must lie in [0, 1], got 1.5");
  EXPECT_THROW(cross_entropy(x, full({4}, 3, kInt64)), index_error);
}

} // namespace
