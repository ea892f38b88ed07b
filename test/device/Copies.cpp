// Values on their way to a device and back.
#include "Suite.h"

#include <sstream>

namespace device_suite {

namespace {

tj::TensorOptions on(tj::Device d) { return tj::TensorOptions().device(d); }

void roundTrip(tj::Device d) {
  for (tj::DType type : {tj::kFloat32, tj::kFloat64, tj::kHalf, tj::kBFloat16, tj::kInt64, tj::kInt32, tj::kInt16,
                         tj::kUInt8, tj::kBool}) {
    const tj::Tensor x = tj::randint(0, 2, {3, 5}).to(type);
    const tj::Tensor y = x.to(d);
    require(y.device() == d, "to() stays behind");
    requireSame(y.cpu(), x, tj::name(type));
  }
  const tj::Tensor none = tj::zeros({0, 3}).to(d);
  require(none.device() == d && none.cpu().sizes() == tj::Shape({0, 3}), "an empty tensor");
}

void strided(tj::Device d) {
  const tj::Tensor x = tj::randn({4, 6, 2});
  requireSame(x.permute({2, 0, 1}).to(d).cpu(), x.permute({2, 0, 1}).contiguous(), "a permuted source");
  const tj::Tensor y = x.to(d);
  requireSame(y.permute({2, 0, 1}).cpu(), x.permute({2, 0, 1}).contiguous(), "a permuted view");
  requireSame(y.slice(1, 5, 0, -2).cpu(), x.slice(1, 5, 0, -2).contiguous(), "a backward slice");
  requireSame(y.select(0, 3).expand({2, 6, 2}).cpu(), x.select(0, 3).expand({2, 6, 2}).contiguous(), "an expand");
}

void reading(tj::Device d) {
  const tj::Tensor x = tj::tensor({1.5, -2.0}).to(d);
  require(x.select(0, 1).item() == -2.0, "item");
  require(bool(x.select(0, 0) > 0), "operator bool");
  std::ostringstream text;
  text << x;
  requireContains(text.str(), "[1.5, -2] f32[2]");
  if (!d.is_cpu()) requireContains(text.str(), d.str());
  require(tj::equal(x, tj::tensor({1.5, -2.0})) && !tj::equal(x, tj::tensor({1.5, 2.0})), "equal");
}

void creation(tj::Device d) {
  requireSame(tj::zeros({2, 3}, on(d)).cpu(), tj::zeros({2, 3}), "zeros");
  requireSame(tj::full({5}, 2.5, on(d).dtype(tj::kFloat64)).cpu(), tj::full({5}, 2.5, tj::kFloat64), "full of f64");
  requireSame(tj::full({3}, 7, on(d)).cpu(), tj::full({3}, 7), "full of i64");
  requireSame(tj::full({3}, true, on(d)).cpu(), tj::full({3}, true), "full of bool");
  requireSame(tj::full({}, 4.0, on(d)).cpu(), tj::full({}, 4.0), "a 0-d full");
  requireSame(tj::arange(5, on(d)).cpu(), tj::arange(5), "arange");
  requireSame(tj::tensor({{1, 2}, {3, 4}}, on(d)).cpu(), tj::tensor({{1, 2}, {3, 4}}), "tensor");
  tj::manual_seed(3);
  const tj::Tensor x = tj::randn({7}, on(d));
  tj::manual_seed(3);
  requireSame(x.cpu(), tj::randn({7}), "randn");
  require(tj::zeros_like(x).device() == d && tj::rand_like(x).device() == d, "the likes");
}

void inPlace(tj::Device d) {
  tj::Tensor x = tj::zeros({3, 4}), y = x.to(d).clone();
  const tj::Tensor saved = y.clone();
  for (tj::Tensor *t : {&x, &y}) {
    t->add_(1.0);
    t->select(0, 1).mul_(3.0);
    t->slice(1, 1, 4, 2).fill_(7.0);
    t->permute({1, 0}).select(0, 0).copy_(tj::tensor({5.0, 6.0, 8.0}));
    t->copy_(*t * 2.0);
  }
  requireSame(y.cpu(), x, "in-place updates");
  requireSame(saved.cpu(), tj::zeros({3, 4}), "a clone");
  // What the tape has saved stays as it was, eager and compiled.
  auto write = tj::compile([](tj::Tensor t) { t.select(0, 0).copy_(t.select(0, 1) * 5.0); });
  for (bool compiled : {false, true}) {
    tj::Tensor w = tj::full({8, 6}, 3.0, on(d)).requires_grad_();
    const tj::Tensor sum = (w * w).sum();
    {
      tj::NoGradGuard guard;
      if (compiled) write(w);
      else w.slice(1, 0, 2).fill_(7.0);
    }
    sum.backward();
    requireSame(w.grad().cpu(), tj::full({8, 6}, 6.0), "the gradient at the old value");
    require(w.detach().select(0, 0).select(0, 0).item() == (compiled ? 15.0 : 7.0), "the new value");
  }
  tj::Tensor z = tj::ones({2}, on(d));
  z.copy_(tj::tensor({3, 4})); // from the CPU, of another dtype
  requireSame(z.cpu(), tj::tensor({3.0, 4.0}), "copy_ from the CPU");
  tj::Tensor host = tj::zeros({2});
  host.copy_(z);
  requireSame(host, tj::tensor({3.0, 4.0}), "copy_ to the CPU");
}

void gradientsThroughCopies(tj::Device d) {
  tj::Tensor x = tj::tensor({1.0, 2.0}).requires_grad_();
  (x.to(d) * 3.0).sum().backward();
  require(x.grad().is_cpu(), "the gradient stays on the device");
  requireSame(x.grad(), tj::tensor({3.0, 3.0}), "the gradient of a copy");
}

void modules(tj::Device d) {
  tj::nn::Linear layer(tj::nn::LinearOptions(3, 2));
  const tj::Tensor weight = layer->weight.clone();
  layer->to(d);
  for (const tj::Tensor &p : layer->parameters()) require(p.device() == d && p.requires_grad(), "a parameter");
  requireSame(layer->weight.cpu().detach(), weight.detach(), "a weight");
}

} // namespace

const std::vector<Case> copyCases = {
    {"round trip", roundTrip}, {"strided copies", strided},   {"reading on the host", reading},
    {"creation", creation},    {"in-place updates", inPlace}, {"gradients through copies", gradientsThroughCopies},
    {"modules", modules},
};

} // namespace device_suite
