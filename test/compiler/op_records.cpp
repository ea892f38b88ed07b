// Every op's record, compiled and eager: the same bits where the record promises them (classes E and M), else close.
#include "RecordRows.h"
#include "SameBits.h"

#include <gtest/gtest.h>

using namespace tensorjit;
using namespace tensorjit::test;

static bool agree(OpClass cls, const Tensor &compiled, const Tensor &eager) {
  if (cls != OpClass::T) return sameBits(compiled, eager);
  // Sums of at most a few hundred terms: 256 u times their magnitude is below this.
  return compiled.dtype() == eager.dtype() && compiled.sizes() == eager.sizes() &&
         allclose(compiled.to(DType::F64), eager.to(DType::F64), 1e-4, 1e-5);
}

/// The row on each list of operands.
static std::vector<Tensor> runAll(const RangeRow &row, const std::vector<std::vector<Tensor>> &inputs) {
  std::vector<Tensor> results;
  for (const auto &x : inputs) results.push_back(row.run(x.data()));
  return results;
}

TEST(OpRecordsCompiled, PointwiseAgreesWithEager) {
  Draw::restart();
  for (const RangeRow &row : ranges)
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
      std::vector<std::vector<Tensor>> inputs;
      for (int64_t n : {1, 3, 8, 17, 64, 1000}) inputs.push_back(draw(row, {n}, type));
      auto f = compile([&] { return runAll(row, inputs); });
      const std::vector<Tensor> compiled = f(), eager = runAll(row, inputs);
      for (size_t i = 0; i < eager.size(); ++i)
        EXPECT_TRUE(agree(row.cls, compiled[i], eager[i])) << row.op << ' ' << name(type) << eager[i].sizes().str();
      EXPECT_EQ(f.stats().eager_segments, 0) << row.op << ": " << f.explain();
    }
}

TEST(OpRecordsCompiled, EdgesAgreeWithEager) {
  for (const EdgeRow &e : edges) {
    std::vector<Tensor> x;
    const char *text = e.input;
    for (char *end; *text; text = *end ? end + 1 : end) x.push_back(full({17}, std::strtod(text, &end), DType::F32));
    x.resize(3, x[0]);
    auto f = compile([&](const Tensor &a, const Tensor &b, const Tensor &c) {
      const Tensor list[] = {a, b, c};
      return e.run(list);
    });
    EXPECT_TRUE(sameBits(f(x[0], x[1], x[2]), e.run(x.data()))) << e.op << '(' << e.input << ')';
  }
}

TEST(OpRecordsCompiled, SamplesAgreeWithEager) {
  for (const SampleRow &row : samples) {
    Draw::restart();
    const Tensor eager = row.run();
    Draw::restart();
    auto f = compile([&] { return row.run(); });
    EXPECT_TRUE(agree(row.cls, f(), eager)) << row.call;
    EXPECT_EQ(f.stats().eager_segments, 0) << row.call << ": " << f.explain();
  }
}
