// Elements by position: values, gradients and errors of the forms that records do not sample.
#include "Expect.h"

using namespace tensorjit;
using namespace tensorjit::test;

namespace {

Tensor list(std::vector<int64_t> positions) { return tensor(positions); }

TEST(Index, TensorsBroadcastAndTakeThePlaceOfDims) {
  const Tensor x = arange(24, kFloat).reshape({2, 3, 4});
  EXPECT_VALUES(index(x, {list({1, 0}), list({2, -3})}), 20, 21, 22, 23, 0, 1, 2, 3);
  EXPECT_VALUES(x.index({list({-1})}, 2), 3, 7, 11, 15, 19, 23);
  const Tensor rows = index(x, {list({0, 1}).reshape({2, 1}), list({0, 2})}, 1);
  EXPECT_EQ(rows.sizes(), Shape({2, 2, 2}));
  EXPECT_VALUES(rows, 0, 2, 4, 6, 12, 14, 16, 18);
  EXPECT_VALUES(index(x.transpose(0, 2), {list({1})}), 1, 13, 5, 17, 9, 21);
  EXPECT_EQ(index(x, {list({})}).sizes(), Shape({0, 3, 4}));
}

TEST(Index, AMaskStandsForItsPositions) {
  const Tensor x = arange(6, kInt).reshape({3, 2}), rows = tensor({1.f, 0.f, 1.f}) > 0;
  EXPECT_VALUES(index(x, {rows}), 0, 1, 4, 5);
  EXPECT_VALUES(index(x, {gt(x, 2)}), 3, 4, 5);
  EXPECT_VALUES(index_put(x, {gt(x, 2)}, 9), 0, 1, 2, 9, 9, 9);
  EXPECT_THROW(index(x, {tensor({1.f}) > 0}), shape_error);
}

TEST(Index, PutWritesTheLastAndAddsInOrder) {
  const Tensor x = zeros({2, 3}), v = tensor({1.f, 2.f, 4.f});
  EXPECT_VALUES(index_put(x, {list({0, 0, -1}), list({1, 1, 0})}, v), 0, 2, 0, 4, 0, 0);
  EXPECT_VALUES(index_put(x, {list({0, 0, -1}), list({1, 1, 0})}, v, true), 0, 3, 0, 4, 0, 0);
  EXPECT_VALUES(index_put(x, {list({1})}, 7.5), 0, 0, 0, 7.5, 7.5, 7.5);
  Tensor y = zeros({3});
  y.index_put_({list({2})}, 3).index_put_({list({2})}, 4, true);
  EXPECT_VALUES(y, 0, 0, 7);
}

// SH-13
TEST(Index, SH13_RowsAreReadBeforeTheyAreWritten) {
  const Tensor x = tensor({{-0.8716f, 0.1114f}}), twice = list({0, 0}), rows = index(x, {twice});
  expectClose(index_put(x, {twice}, rows + rows), {-1.7432, 0.2228}, 1e-6);
  expectClose(index_put(x, {twice}, rows, true), {-2.6148, 0.3342}, 1e-6);
  expectClose(index_put(x, {twice}, rows + rows, true), {-4.358, 0.557}, 1e-6);
}

// SH-15
TEST(Index, SH15_NegativePositionsOfRowsAreErrors) {
  Tensor x = zeros({4, 3});
  const std::string text = errorOf<index_error>([&] { x.index_add_(0, list({0, -1}), ones({2, 3})); });
  EXPECT_NE(text.find("index_add: index -1 at [1] is out of range for size 4"), std::string::npos) << text;
  EXPECT_TRUE(equal(x, zeros({4, 3})));
}

TEST(Index, ErrorsNameThePositionAsGiven) {
  const Tensor x = zeros({4, 3});
  auto textOf = [&](const Tensor &at) { return errorOf<index_error>([&] { index(x, {at}); }); };
  EXPECT_NE(textOf(list({0, 4})).find("index: index 4 at [1] is out of range for size 4"), std::string::npos);
  EXPECT_NE(textOf(list({-5})).find("index: index -5 at [0] is out of range for size 4"), std::string::npos);
  EXPECT_THROW(index(x, {list({0, 1}), list({0, 1, 2})}), shape_error);
  EXPECT_THROW(index(x, {list({0}), list({0}), list({0})}), index_error);
  EXPECT_THROW(index(x, {ones({1})}), type_error);
  EXPECT_THROW(index(x, {}), value_error);
  EXPECT_THROW(index_put(x, {list({0, 1})}, zeros({3, 3})), shape_error);
  EXPECT_THROW(index_select(x, 0, list({0}).reshape({1, 1})), shape_error);
  EXPECT_THROW(index_add(x, 0, list({0}), zeros({2, 3})), shape_error);
  EXPECT_THROW(scatter_reduce(x, 0, zeros({1, 3}, kInt64), ones({1, 3}), "median"), value_error);
}

TEST(Index, OfNoRowsAndOfNoDims) {
  const Tensor none = zeros({0, 3});
  EXPECT_EQ(index_select(none, 0, list({})).sizes(), Shape({0, 3}));
  EXPECT_THROW(index_select(none, 0, list({0})), index_error);
  EXPECT_EQ(index_add(none, 0, list({}), none).sizes(), Shape({0, 3}));
  EXPECT_VALUES(index_select(tensor(5.f), 0, list({0})), 5);
  EXPECT_VALUES(index_select(tensor({5.f, 6.f}), 0, tensor(int64_t(1))), 6);
}

TEST(Index, GradientsAddWhatWasReadTwice) {
  Tensor x = arange(6, kDouble).reshape({3, 2}).requires_grad_();
  (index(x, {list({-1, 0, -1})}) * tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}, kDouble)).sum().backward();
  EXPECT_VALUES(x.grad(), 3, 4, 0, 0, 6, 8);
  Tensor table = ones({3, 2}).requires_grad_();
  embedding(table, list({0, 1, 1}), 1).sum().backward();
  EXPECT_VALUES(table.grad(), 1, 1, 0, 0, 0, 0);
}

TEST(Index, TheOverwrittenGetNoGradient) {
  Tensor x = ones({2}).requires_grad_(), v = ones({3}).requires_grad_();
  (index_copy(x, 0, list({1, 1, 1}), v) * tensor({2.f, 3.f})).sum().backward();
  EXPECT_VALUES(x.grad(), 2, 0);
  EXPECT_VALUES(v.grad(), 0, 0, 3);
}

TEST(ScatterReduce, TheFirstOfEqualsWinsAndSelfComesFirst) {
  const double nan = std::nan("");
  Tensor x = tensor({1.0, 5.0}, kDouble).requires_grad_();
  Tensor v = tensor({1.0, 3.0, 3.0, 5.0}, kDouble).requires_grad_();
  const Tensor at = list({0, 0, 0, 1});
  const Tensor y = scatter_reduce(x, 0, at, v, "amax");
  EXPECT_VALUES(y, 3, 5);
  y.sum().backward();
  EXPECT_VALUES(x.grad(), 0, 1);
  EXPECT_VALUES(v.grad(), 0, 1, 0, 0);
  expectClose(scatter_reduce(zeros({2}), 0, at, tensor({1.f, float(nan), 9.f, -1.f}), "amax"), {nan, 0}, 0);
  EXPECT_VALUES(scatter_reduce(zeros({2}), 0, at, tensor({1.f, 2.f, 9.f, 1.f}), "amin", false), 1, 1);
  EXPECT_FALSE(std::signbit(values(scatter_reduce(full({1}, -0.f), 0, list({0}), zeros({1}), "amax"))[0]));
  EXPECT_VALUES(scatter_reduce(full({2}, 100, kInt8), 0, list({0, 0}), full({2}, 2, kInt8), "prod"), -112, 100);
  EXPECT_VALUES(scatter_reduce(full({2}, 4.f), 0, list({0, 0}), tensor({1.f, 1.f}), "mean"), 2, 4);
  EXPECT_VALUES(scatter_reduce(full({2}, 4.f), 0, list({0, 0}), tensor({1.f, 3.f}), "mean", false), 2, 4);
  Tensor z = ones({1}).requires_grad_();
  EXPECT_THROW(scatter_reduce(z, 0, list({0}), ones({1}), "prod").sum().backward(), grad_error);
}

// CP-11
TEST(Pad, CP11_ModesPadThenCrop) {
  const Tensor x = arange(4, kFloat);
  EXPECT_VALUES(pad(x, {-3, 3}, "reflect"), 3, 2, 1, 0);
  EXPECT_VALUES(pad(x, {2, 1}, "reflect"), 2, 1, 0, 1, 2, 3, 2);
  EXPECT_VALUES(pad(x, {2, 1}, "replicate"), 0, 0, 0, 1, 2, 3, 3);
  EXPECT_VALUES(pad(x, {2, 1}, "circular"), 2, 3, 0, 1, 2, 3, 0);
  EXPECT_VALUES(pad(x, {1, 0}, "constant", 7), 7, 0, 1, 2, 3);
  EXPECT_THROW(pad(x, {4, 0}, "reflect"), value_error);
  EXPECT_THROW(pad(x, {0, 5}, "circular"), value_error);
  EXPECT_THROW(pad(zeros({0}), {1, 0}, "replicate"), value_error);
  EXPECT_THROW(pad(x, {1, 0}, "mirror"), value_error);
}

// SH-11, its first half: a window is a copy, so nothing that is written to it can reach the tensor.
TEST(Unfold, SH11_WindowsMayOverlap) {
  const Tensor x = arange(7, kFloat) * 2 - 6;
  EXPECT_VALUES(abs(unfold(x, 0, 4, 2)), 6, 4, 2, 0, 2, 0, 2, 4);
  EXPECT_THROW(unfold(x, 0, 8, 1), shape_error);
  EXPECT_THROW(unfold(x, 0, 4, 0), value_error);
}

TEST(Rearranged, PartsOfGivenSizesAndDims) {
  const Tensor x = arange(10, kFloat).reshape({2, 5});
  const auto parts = split(x, {2, 0, 3}, 1);
  EXPECT_EQ(parts.size(), 3u);
  EXPECT_VALUES(parts[2], 2, 3, 4, 7, 8, 9);
  EXPECT_THROW(split(x, {2, 2}, 1), shape_error);
  EXPECT_THROW(split(x, {6, -1}, 1), shape_error);
  EXPECT_EQ(squeeze(ones({1, 3, 1, 1}), {0, -1, 1}).sizes(), Shape({3, 1}));
  const auto grids = meshgrid({tensor({1.f, 2.f}), tensor({3.f, 4.f, 5.f})}, "xy");
  EXPECT_EQ(grids[0].sizes(), Shape({3, 2}));
  EXPECT_VALUES(grids[0], 1, 2, 1, 2, 1, 2);
  EXPECT_VALUES(grids[1], 3, 3, 4, 4, 5, 5);
  EXPECT_THROW(meshgrid({x}), shape_error);
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).trace().item<int64_t>(), 5);
}

TEST(Nonzero, RowMajorOfEveryRank) {
  EXPECT_VALUES(nonzero(tensor({{0.f, std::nanf("")}, {-0.f, 2.f}})), 0, 1, 1, 1);
  EXPECT_EQ(nonzero(tensor(3.f)).sizes(), Shape({1, 0}));
  EXPECT_EQ(nonzero(zeros({0, 2})).sizes(), Shape({0, 2}));
  EXPECT_VALUES(masked_select(tensor(3.f), tensor({1.f, 0.f, 1.f}) > 0), 3, 3);
  EXPECT_THROW(masked_select(ones({3}), ones({3})), type_error);
  EXPECT_THROW(masked_select(ones({3}), ones({2}) > 0), shape_error);
}

TEST(Embedding, TheRowOfThePaddingStaysZero) {
  nn::Embedding table(nn::EmbeddingOptions(4, 3).padding_idx(-1));
  EXPECT_EQ(table->options.padding_idx(), 3);
  EXPECT_EQ(table->weight.select(0, 3).abs().sum().item(), 0);
  const Tensor y = table->forward(list({0, 3, 0}).reshape({3, 1}));
  EXPECT_EQ(y.sizes(), Shape({3, 1, 3}));
  y.sum().backward();
  EXPECT_VALUES(table->weight.grad(), 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  EXPECT_THROW(nn::Embedding(nn::EmbeddingOptions(4, 3).padding_idx(4)), value_error);
  EXPECT_THROW(table->forward(list({4})), index_error);
}

} // namespace
