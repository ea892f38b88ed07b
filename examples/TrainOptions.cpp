#include "TrainOptions.h"

#include <CLI/CLI.hpp>

std::optional<int> parseTrainOptions(int argc, char **argv, TrainOptions &options) {
  CLI::App app("Trains a small convolutional network on Fashion-MNIST");
  app.add_option("--data", options.data, "folder of the IDX files")->capture_default_str();
  app.add_option("--epochs", options.epochs, "passes over the training images")->capture_default_str();
  app.add_option("--batch", options.batch, "images of a training step")->capture_default_str();
  app.add_option("--device", options.device, "cpu, cuda or cuda:N")->capture_default_str();
  app.add_option("--workers", options.workers, "threads that load data")->capture_default_str();
  app.add_option("--seed", options.seed, "of the weights and the order of images")->capture_default_str();
  app.add_flag("--eager", options.eager, "run op by op, without the compiler");
  app.add_flag("--whole-step", options.wholeStep, "compile forward, backward and update as one graph");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e);
  }
  return std::nullopt;
}
