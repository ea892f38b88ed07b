// A network learns on a device as on the CPU.
#include "../../examples/SmallCNN.h"
#include "Suite.h"

namespace device_suite {

namespace {

namespace F = tj::nn::functional;

enum class Way { Eager, Compiled, WholeStep };

/// Losses and the weights after some steps.
std::vector<tj::Tensor> train(tj::Device d, Way way) {
  tj::manual_seed(1);
  SmallCNN model;
  model.to(d);
  tj::optim::SGD sgd(model.parameters(), tj::optim::SGDOptions(0.05).momentum(0.9));
  auto compiled = tj::compile(model);
  auto step = [&](const tj::Tensor &x, const tj::Tensor &y) {
    const tj::Tensor logits = way == Way::Compiled ? compiled(x) : model.forward(x);
    tj::Tensor loss = F::cross_entropy(logits, y);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    return loss;
  };
  auto whole = tj::compile(step);
  std::vector<tj::Tensor> results;
  for (int i = 0; i < 3; ++i) {
    const tj::Tensor x = tj::rand({2, 1, 28, 28}).to(d), y = tj::randint(0, 10, {2}).to(d);
    results.push_back((way == Way::WholeStep ? whole(x, y) : step(x, y)).detach().cpu());
  }
  for (const tj::Tensor &p : model.parameters()) {
    require(p.device() == d, "a parameter left the device");
    results.push_back(p.detach().cpu());
  }
  return results;
}

void compareTraining(tj::Device d, Way way) {
  const auto own = train(d, way), expected = train(tj::Device(), Way::Eager);
  for (size_t i = 0; i < own.size(); ++i) requireClose(own[i], expected[i], "result " + std::to_string(i), 1e-4, 1e-5);
}

void adam(tj::Device d) {
  std::vector<tj::Tensor> results;
  for (tj::Device device : {tj::Device(), d}) {
    tj::manual_seed(2);
    tj::nn::Linear layer(tj::nn::LinearOptions(5, 3));
    const tj::Tensor x = tj::randn({4, 5}).to(device);
    layer->to(device);
    tj::optim::AdamW adam(layer->parameters(), tj::optim::AdamWOptions(0.01));
    for (int i = 0; i < 3; ++i) {
      adam.zero_grad();
      layer(x).square().mean().backward();
      adam.step();
    }
    results.push_back(layer->weight.detach().cpu());
  }
  requireClose(results[1], results[0], "weights", 1e-5, 1e-6);
}

} // namespace

const std::vector<Case> trainingCases = {
    {"adam", adam},
    {"training, eager", [](tj::Device d) { compareTraining(d, Way::Eager); }},
    {"training, compiled", [](tj::Device d) { compareTraining(d, Way::Compiled); }},
    {"training, whole step", [](tj::Device d) { compareTraining(d, Way::WholeStep); }},
};

} // namespace device_suite
