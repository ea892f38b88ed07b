#include "Rows.h"

#include "../RecordRows.h"
#include "Random.h"

#include <cstring>

namespace tensorjit::fuzz {

namespace {

std::vector<Row> collect() {
  std::vector<Row> list;
  for (const test::SampleRow &s : test::samples) {
    Row row{s.call, s.cls, s.differentiable};
    row.call = s.run;
    row.statements = std::strchr(s.call, ';');
    for (const char *own : {"iota(", "full(", "rand", "zeros(", "ones(", "arange(", "tensor(", "eye("})
      row.ownTensors |= std::strstr(s.call, own) != nullptr;
    list.push_back(row);
  }
  for (const test::RangeRow &r : test::ranges) {
    Row row{r.op, r.cls, r.differentiable, r.operands, r.hasCondition};
    row.function = r.run;
    list.push_back(row);
  }
  return list;
}

struct Words : test::WordSource {
  const std::function<Tensor(const Shape &)> &floats;
  const std::function<Tensor(const Shape &, int64_t)> &integers;
  Words(const std::function<Tensor(const Shape &)> &f, const std::function<Tensor(const Shape &, int64_t)> &i)
      : floats(f), integers(i), before(current) {
    current = this;
  }
  ~Words() override { current = before; }
  Tensor f32(const Shape &sizes) override { return floats(sizes); }
  Tensor i64(const Shape &sizes, int64_t bound) override { return integers(sizes, bound); }
  WordSource *before;
};

bool allWhole(const Tensor &t) {
  const Tensor x = t.to(kDouble).contiguous();
  for (int64_t i = 0; i < x.numel(); ++i)
    if (x.data_ptr<double>()[i] != std::floor(x.data_ptr<double>()[i])) return false;
  return true;
}

bool tryAddsUp(const Row &row) {
  Random random(1);
  const auto whole = [&](const Shape &sizes, int64_t lo, int64_t hi) {
    std::vector<int64_t> values(static_cast<size_t>(sizes.numel()));
    for (int64_t &v : values) v = lo + random.below(hi - lo);
    return reshape(tensor(values), sizes);
  };
  for (int draw = 0; draw < 6; ++draw)
    if (!allWhole(runSample(
            row, [&](const Shape &sizes) { return whole(sizes, -9, 10).to(kDouble); },
            [&](const Shape &sizes, int64_t bound) { return whole(sizes, 0, bound); })))
      return false;
  return true;
}

} // namespace

const std::vector<Row> &rows() {
  static const std::vector<Row> list = collect();
  return list;
}

Tensor runSample(const Row &row, const std::function<Tensor(const Shape &)> &f32,
                 const std::function<Tensor(const Shape &, int64_t)> &i64) {
  Words words(f32, i64);
  test::Draw::restart();
  return row.call();
}

bool addsUp(size_t row) {
  static const std::vector<bool> known = [] {
    std::vector<bool> list;
    for (const Row &r : rows()) list.push_back(r.cls == OpClass::T && r.call && tryAddsUp(r));
    return list;
  }();
  return known[row];
}

} // namespace tensorjit::fuzz
