#include "Program.h"

#include <cmath>

namespace tensorjit::fuzz {

namespace {

double drawValue(Random &random, Values values) {
  switch (values) {
  case Values::Whole: return static_cast<double>(random.below(13) - 6);
  case Values::Halves: return static_cast<double>(random.below(33) - 16) / 4;
  case Values::Real: return random.real(-3, 3);
  case Values::Special: break;
  }
  const double special[] = {0.0, -0.0, 1.0, -1.0,    INFINITY, -INFINITY, NAN,  0x1p-126, -0x1p-140,
                            0.5, -2.5, 1e5, -70000., 0x1p-24,  255,       -129, 0x1.8p31, -0x1p63};
  return random.chance(0.5) ? random.pick(special) : random.real(-4, 4);
}

/// A base and the view of it that has the sizes.
std::pair<Tensor, Tensor> makeLeaf(const Step &step, const Shape &sizes, uint64_t seed, std::optional<uint64_t> nudges,
                                   Device device) {
  Random layout(step.seed);
  const size_t rank = sizes.rank();
  Shape whole = sizes;
  const int kind = rank == 0 || step.requiresGrad ? 0 : static_cast<int>(layout.below(8));
  const size_t dim = rank ? static_cast<size_t>(layout.below(static_cast<int64_t>(rank))) : 0;
  const auto at = static_cast<int64_t>(dim);
  if (kind == 4) std::swap(whole[dim], whole[rank - 1]); // transposed
  else if (kind == 5) whole[dim] = 2 * whole[dim] + 1;   // every second from the second on
  else if (kind == 7 && whole[dim] > 0) whole[dim] = 1;  // expanded
  Random random(seed);
  Random nudge(nudges.value_or(0));
  std::vector<double> values(static_cast<size_t>(whole.numel()));
  for (double &v : values) {
    v = drawValue(random, step.values);
    if (nudges) v *= 1 + classTStep(step.dtype) * nudge.real(-1, 1);
  }
  Tensor base = reshape(tensor(values, kDouble), whole).to(step.dtype).to(device);
  if (step.requiresGrad) return {base.requires_grad_(), base};
  Tensor view = base;
  if (kind == 4) view = base.transpose(at, static_cast<int64_t>(rank) - 1);
  else if (kind == 5) view = base.slice(at, 1, std::nullopt, 2).slice(at, 0, sizes[dim]);
  else if (kind == 6) view = base.slice(at, std::nullopt, std::nullopt, -1);
  else if (kind == 7) view = base.expand(sizes);
  return {base, view};
}

} // namespace

double classTStep(DType type) {
  switch (type) {
  case DType::F64: return 0x1p-45;
  case DType::F16: return 0x1p-10;
  case DType::BF16: return 0x1p-7;
  default: return 0x1p-16;
  }
}

Inputs::Inputs(const Program &program, const Options &options)
    : options_(options), seed_(program.seed * 31 + static_cast<uint64_t>(options.variant) * 977 + 5),
      sizes_(options.sizes.empty() ? program.sizes : options.sizes) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step &step = program.steps[i];
    Tensor base, view;
    std::unique_ptr<optim::Optimizer> optimizer;
    if (step.kind == Kind::Leaf) {
      Shape sizes;
      for (int s : step.sizes) sizes.push_back(size(s));
      const bool moved = options.nudges && step.requiresGrad;
      std::tie(base, view) = makeLeaf(step, sizes, step.seed * 7 + static_cast<uint64_t>(options.variant),
                                      moved ? std::optional(*options.nudges + i) : std::nullopt, options.device);
    } else if (step.kind == Kind::Frozen) {
      base = view = step.frozen.to(options.device).clone();
    } else if (step.kind == Kind::Optimize) {
      const Tensor &param = leaves_[static_cast<size_t>(step.operands[0])];
      if (param.defined() && param.requires_grad()) {
        switch (step.seed % 4) {
        case 0: optimizer = std::make_unique<optim::SGD>(std::vector{param}, optim::SGDOptions(0.125)); break;
        case 1:
          optimizer = std::make_unique<optim::SGD>(std::vector{param},
                                                   optim::SGDOptions(0.25).momentum(0.5).weight_decay(0.125));
          break;
        case 2: optimizer = std::make_unique<optim::Adam>(std::vector{param}, optim::AdamOptions(0.1)); break;
        default: optimizer = std::make_unique<optim::AdamW>(std::vector{param}, optim::AdamWOptions(0.1));
        }
      }
    }
    bases_.push_back(base);
    leaves_.push_back(view);
    optimizers_.push_back(std::move(optimizer));
  }
}

double Inputs::number(size_t step) const {
  const double list[] = {2, -1, 0.5, 3, 0, -0.25, 1, 7, 1.5};
  return list[(step * 5 + static_cast<size_t>(options_.variant) * 2) % std::size(list)];
}

Tensor Inputs::index(size_t step, size_t k, const Shape &sizes, int64_t bound) const {
  Tensor &t = indices_[{step, k}];
  if (t.defined() && t.sizes() == sizes) return t;
  Random random(seed_ + step * 101 + k);
  std::vector<int64_t> values(static_cast<size_t>(sizes.numel()));
  for (int64_t &v : values) v = random.below(bound);
  return t = reshape(tensor(values), sizes).to(options_.device);
}

} // namespace tensorjit::fuzz
