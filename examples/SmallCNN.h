#pragma once
#include <tensorjit/tensorjit.h>

/// Two convolutions and two linear layers on 28x28 grey images: 421,642 parameters, ten classes.
struct SmallCNN : tensorjit::nn::Module {
  tensorjit::nn::Conv2d conv1{nullptr}, conv2{nullptr};
  tensorjit::nn::Linear fc1{nullptr}, fc2{nullptr};

  SmallCNN() {
    conv1 = register_module("conv1", tensorjit::nn::Conv2d(tensorjit::nn::Conv2dOptions(1, 32, 3).padding(1)));
    conv2 = register_module("conv2", tensorjit::nn::Conv2d(tensorjit::nn::Conv2dOptions(32, 64, 3).padding(1)));
    fc1 = register_module("fc1", tensorjit::nn::Linear(64 * 7 * 7, 128));
    fc2 = register_module("fc2", tensorjit::nn::Linear(128, 10));
  }

  tensorjit::Tensor forward(const tensorjit::Tensor &x) {
    auto h = tensorjit::max_pool2d(tensorjit::relu(conv1->forward(x)), 2);
    h = tensorjit::max_pool2d(tensorjit::relu(conv2->forward(h)), 2);
    return fc2->forward(tensorjit::relu(fc1->forward(h.flatten(1))));
  }
};
