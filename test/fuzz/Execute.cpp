#include "Program.h"
#include "Rows.h"

namespace tensorjit::fuzz {

namespace {

// A product of two vectors has as many elements as the two multiplied.
constexpr int64_t mostElements = 40000, mostOfSamples = 2500;

Shape checkedSizes(const Shape &sizes, int64_t most = mostElements) {
  if (sizes.numel() > most) throw TooLarge();
  return sizes;
}

/// `x` with other sizes: as it is, a reshape, its first elements, or its elements over and over.
Tensor fit(const Tensor &x, const Shape &sizes) {
  if (x.sizes() == sizes) return x;
  const int64_t n = checkedSizes(sizes).numel(), have = x.numel();
  if (n == have) return x.reshape(sizes);
  const Tensor flat = x.reshape({-1});
  if (have > n) return flat.slice(0, have - n, have).reshape(sizes);
  if (have == 0) return zeros(sizes, TensorOptions(x.dtype()).device(x.device()));
  return flat.repeat({(n + have - 1) / have}).slice(0, 0, n).reshape(sizes);
}

bool broadcastsTo(const Shape &from, const Shape &to) {
  if (from.rank() > to.rank()) return false;
  for (size_t i = 0; i < from.rank(); ++i)
    if (from[i] != 1 && from[i] != to[to.rank() - from.rank() + i]) return false;
  return true;
}

/// `x` as an operand beside one of `sizes`: often as it is, else the same sizes, some of size 1, or the last of them.
Tensor beside(const Tensor &x, const Shape &sizes, Random &random) {
  const auto form = random.below(4);
  if (form < 2 && broadcastsTo(x.sizes(), sizes)) return x;
  Shape own = sizes;
  if (form == 2)
    for (int64_t &d : own)
      if (random.chance(0.4)) d = 1;
  if (form == 3)
    while (!own.empty() && random.chance(0.5)) own.erase(0);
  return fit(x, own);
}

class Run {
public:
  Run(const Program &program, const Inputs &inputs, Observer *observer)
      : program_(program), inputs_(inputs), observer_(observer), values_(program.steps.size()),
        lastUse_(program.steps.size(), 0) {
    for (size_t i = 0; i < program.steps.size(); ++i)
      for (int v : program.steps[i].operands) lastUse_[static_cast<size_t>(v)] = i;
    for (int v : program.outputs) lastUse_[static_cast<size_t>(v)] = program.steps.size();
  }

  std::vector<Tensor> all() {
    manual_seed(inputs_.generatorSeed());
    for (at_ = 0; at_ < program_.steps.size(); ++at_) {
      Tensor y = one(program_.steps[at_]);
      if (observer_) y = observer_->result(at_, y);
      values_[at_] = y;
      if (program_.dropsDead)
        for (int v : program_.steps[at_].operands)
          if (lastUse_[static_cast<size_t>(v)] <= at_) values_[static_cast<size_t>(v)] = Tensor();
    }
    std::vector<Tensor> outputs;
    for (int v : program_.outputs) outputs.push_back(values_[static_cast<size_t>(v)]);
    return outputs;
  }

private:
  void note(const std::string &text) {
    if (observer_) observer_->note(at_, text);
  }
  const Tensor &value(size_t k) const { return values_[static_cast<size_t>(program_.steps[at_].operands[k])]; }
  Tensor read(size_t k) {
    const Tensor &t = value(k);
    return observer_ ? observer_->operand(at_, t) : t;
  }

  Tensor one(const Step &step) {
    Random random(step.seed);
    switch (step.kind) {
    case Kind::Leaf:
    case Kind::Frozen: return inputs_.leaf(at_);
    case Kind::Sample: return sample(step);
    case Kind::Pointwise: return pointwise(step, random);
    case Kind::View: return view(read(0), random);
    case Kind::InPlace: return inPlace(step, random);
    case Kind::Cast: return read(0).to(step.dtype);
    case Kind::Branch: return branch(random);
    case Kind::Number: return number(random);
    case Kind::Backward: return backward(random);
    case Kind::Optimize: inputs_.optimizer(at_).step(); return value(0);
    case Kind::Draw: return draw(random);
    case Kind::Loop: return loop(read(0), random);
    case Kind::Detach: return random.chance(0.5) ? read(0).detach() : read(0).clone();
    }
    return {};
  }

  Tensor sample(const Step &step) {
    const auto resized = [&](Shape sizes) {
      for (int64_t &d : sizes)
        if (auto found = step.resized.find(d); found != step.resized.end()) d = inputs_.size(found->second);
      return checkedSizes(sizes, mostOfSamples);
    };
    size_t operand = 0, index = 0;
    const Row &row = rows()[step.row];
    const auto floats = [&](const Shape &sizes) {
      const Tensor x = fit(read(operand++ % step.operands.size()), resized(sizes));
      note(name(x.dtype()) + x.sizes().str());
      return row.statements ? x.detach().clone() : x;
    };
    const auto integers = [&](const Shape &sizes, int64_t bound) {
      if (auto found = step.resized.find(bound); found != step.resized.end()) bound = inputs_.size(found->second);
      note("i64" + resized(sizes).str() + " below " + std::to_string(bound));
      return inputs_.index(at_, index++, resized(sizes), bound);
    };
    return runSample(row, floats, integers);
  }

  Tensor pointwise(const Step &step, Random &random) {
    const Row &row = rows()[step.row];
    std::vector<Tensor> x;
    for (int k = 0; k < row.operands; ++k)
      x.push_back(k == 0 ? read(0) : beside(read(static_cast<size_t>(k)), x[0].sizes(), random));
    for (const Tensor &t : x) note(name(t.dtype()) + t.sizes().str());
    if (row.hasCondition && x[0].dtype() != kBool) x[0] = gt(x[0], 0);
    return row.function(x.data());
  }

  Tensor view(const Tensor &x, Random &random) {
    const auto rank = static_cast<int64_t>(x.dim());
    if (rank == 0) return x.unsqueeze(0);
    const int64_t dim = random.below(rank), n = x.size(dim), other = random.below(rank), form = random.below(11);
    constexpr const char *names[] = {"slice",     "slice, step < 0", "select",  "transpose",        "permute",
                                     "unsqueeze", "flatten",         "reshape", "unsqueeze.expand", "flip",
                                     "diagonal"};
    note(std::string(names[form]) + ", dim " + std::to_string(dim) + ", other " + std::to_string(other));
    switch (form) {
    case 0: {
      const int64_t start = random.below(n + 1);
      return x.slice(dim, start, start + random.below(n - start + 1), 1 + random.below(3));
    }
    case 1: return x.slice(dim, std::nullopt, std::nullopt, -1 - random.below(2));
    case 2: return n > 0 ? x.select(dim, random.below(n)) : x.squeeze();
    case 3: return x.transpose(dim, other);
    case 4: {
      Shape order;
      for (int64_t i = 0; i < rank; ++i) order.push_back((i + dim) % rank);
      return x.permute(order);
    }
    case 5: return x.unsqueeze(random.below(rank + 1));
    case 6: return x.flatten();
    case 7: {
      Shape sizes = x.sizes();
      for (int64_t d : {2, 3, 5})
        if (n > 0 && n % d == 0) {
          sizes[static_cast<size_t>(dim)] = n / d;
          sizes.insert(static_cast<size_t>(dim), d);
          break;
        }
      return x.reshape(sizes);
    }
    case 8: {
      Shape sizes = x.sizes();
      sizes.insert(0, random.below(4));
      return x.expand(checkedSizes(sizes));
    }
    case 9: return x.flip({dim});
    default:
      return rank > 1 ? x.diagonal(random.below(3) - 1, dim, other == dim ? (dim + 1) % rank : other) : x.view({-1});
    }
  }

  Tensor inPlace(const Step &step, Random &random) {
    Tensor x = value(0);
    const double c = inputs_.number(at_);
    const auto other = [&] { return beside(read(step.operands.size() - 1), x.sizes(), random).to(x.dtype()); };
    const auto form = random.below(16);
    constexpr const char *names[] = {"add_",  "mul_",    "sub_",        "copy_",        "fill_",    "zero_",
                                     "relu_", "neg_",    "clamp_",      "masked_fill_", "maximum_", "div_",
                                     "tanh_", "add_(2)", "copy_(flip)", "square_"};
    note(names[form]);
    switch (form) {
    case 0: x.add_(other()); break;
    case 1: x.mul_(other()); break;
    case 2: x.sub_(other()); break;
    case 3: x.copy_(beside(read(step.operands.size() - 1), x.sizes(), random)); break;
    case 4: x.fill_(c); break;
    case 5: x.zero_(); break;
    case 6: x.relu_(); break;
    case 7: x.neg_(); break;
    case 8: x.clamp_(-1, 2); break;
    case 9: x.masked_fill_(gt(x, 0), 2); break;
    case 10: x.maximum_(other()); break;
    case 11: x.div_(other()); break;
    case 12: x.tanh_(); break;
    case 13: x.add_(2); break;
    case 14: x.copy_(x.flip({0})); break; // reads what it writes
    default: x.square_(); break;
    }
    return x;
  }

  Tensor loop(const Tensor &x, Random &random) {
    if (x.dim() == 0 || x.size(0) == 0) return x.clone();
    const int64_t rows = std::min<int64_t>(x.size(0), 12);
    if (random.chance(0.5)) {
      Tensor y = x.select(0, 0);
      for (int64_t i = 1; i < rows; ++i) y = (y * 0.5).maximum(x.select(0, i));
      return y;
    }
    Tensor y = zeros_like(x);
    for (int64_t i = 0; i < rows; ++i) y.select(0, i).copy_(x.select(0, rows - 1 - i) * 2);
    return y;
  }

  Tensor branch(Random &random) {
    const Tensor x = read(0);
    const Tensor one = x.reshape({-1}).slice(0, 0, 1);
    const double v = one.numel() ? one.reshape({}).item() : 0;
    if (random.chance(0.3)) return v > 0 ? x + x : x.clone();
    if (v > 0) return x.flip({0});
    return x * 2;
  }

  Tensor number(Random &random) {
    const Tensor x = read(0);
    const double c = inputs_.number(at_);
    const auto whole = static_cast<int64_t>(c);
    const auto form = random.below(10);
    constexpr const char *names[] = {"x * c",         "x + c",     "c - x",      "x / c",       "maximum(x, c)",
                                     "x < c ? x : c", "pow(x, c)", "x * int(c)", "x + full(c)", "clamp(x, -1, c)"};
    note(std::string(names[form]) + ", c = " + std::to_string(c));
    switch (form) {
    case 0: return x * c;
    case 1: return x + c;
    case 2: return c - x;
    case 3: return x / c;
    case 4: return x.maximum(c);
    case 5: return where(lt(x, c), x, c);
    case 6: return x.pow(c);
    case 7: return x * whole;
    case 8: return x + full(x.sizes(), whole, TensorOptions(x.dtype()).device(x.device()));
    default: return x.clamp(-1.0, c);
    }
  }

  Tensor backward(Random &random) {
    Tensor y = value(0), leaf = value(1);
    const Tensor weight = inputs_.index(at_, 0, y.sizes(), 5).to(y.dtype());
    if (random.chance(0.3)) y.backward(observer_ ? observer_->operand(at_, weight) : weight, true);
    else (y * (observer_ ? observer_->operand(at_, weight) : weight)).sum().backward({}, random.chance(0.5));
    const Tensor g = leaf.grad();
    return g.defined() ? g.detach() : zeros_like(leaf.detach());
  }

  Tensor draw(Random &random) {
    const Tensor x = read(0);
    const DType type = isFloat(x.dtype()) ? x.dtype() : DType::F32;
    const auto options = TensorOptions(type).device(x.device());
    const auto form = random.below(5);
    constexpr const char *names[] = {"rand", "randn", "dropout", "randint", "bernoulli_"};
    note(names[form]);
    switch (form) {
    case 0: return rand(x.sizes(), options);
    case 1: return randn(x.sizes(), options);
    case 2: return nn::functional::dropout(x);
    case 3: return randint(-3, 9, x.sizes(), TensorOptions(kInt64).device(x.device()));
    default: return zeros_like(x, options).bernoulli_(0.25);
    }
  }

  const Program &program_;
  const Inputs &inputs_;
  Observer *observer_;
  std::vector<Tensor> values_;
  std::vector<size_t> lastUse_;
  size_t at_ = 0;
};

} // namespace

std::vector<Tensor> execute(const Program &program, const Inputs &inputs, Observer *observer) {
  return Run(program, inputs, observer).all();
}

} // namespace tensorjit::fuzz
