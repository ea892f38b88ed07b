// Runs a function of a .mlir file on given inputs, or a file of op cases, and says by its exit code whether the results
// are the expected ones.
#include "Cases.h"
#include "Compare.h"
#include "Model.h"
#include "RunModel.h"
#include "TextTensor.h"
#include "tensorjit/data/npy.h"

#include <CLI/CLI.hpp>
#include <cstdio>

using namespace tensorjit;
using namespace tensorjit::run;

namespace {

struct Options {
  std::string model, function = "main", mode = "eager";
  std::vector<std::string> inputs, expected, outputs;
  double rtol = 0, atol = 0;
  CaseOptions cases;
};

/// 0 when every result is the expected one.
int compareResults(const Options &options, const std::vector<Tensor> &results) {
  if (options.expected.size() > results.size())
    throw value_error(std::to_string(options.expected.size()) + " expected outputs for " +
                      std::to_string(results.size()) + " results");
  int wrong = 0;
  for (size_t i = 0; i < options.expected.size(); ++i) {
    Tensor expected = parseTensor(options.expected[i]), got = results[i].contiguous();
    Bound bound;
    bound.rtol = options.rtol;
    bound.atol = options.atol;
    auto d = got.dtype() != expected.dtype()
                 ? std::optional("is " + std::string(name(got.dtype())) + ", expected " + name(expected.dtype()))
                 : difference(raw(got), raw(expected), bound);
    if (!d) continue;
    std::fprintf(stderr, "result %zu %s\n", i, d->c_str());
    ++wrong;
  }
  return wrong ? 1 : 0;
}

int runModel(const Options &options) {
  Graph graph = readModel(options.model, options.function);
  std::vector<Tensor> inputs;
  for (auto &text : options.inputs) inputs.push_back(parseTensor(text));
  auto results = runGraph(graph, inputs, options.mode == "eager" ? Mode::Eager : Mode::Compiled);
  for (size_t i = 0; i < options.outputs.size() && i < results.size(); ++i)
    data::write_npy(options.outputs[i], results[i]);
  if (!options.expected.empty()) return compareResults(options, results);
  for (auto &result : results) std::printf("%s\n", formatTensor(result).c_str());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs a function of tj ops, or a file of op cases");
  app.add_option("model", options.model, ".mlir file");
  app.add_option("--function", options.function, "function to run")->capture_default_str();
  app.add_option("--input", options.inputs, "2x2xf32=1,2,3,4 or @x.npy, once for each argument")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--expected_output", options.expected, "as --input, once for each result")->allow_extra_args(false);
  app.add_option("--output", options.outputs, ".npy file to write, once for each result")->allow_extra_args(false);
  app.add_option("--rtol", options.rtol, "relative difference that is accepted; 0 and --atol 0: equal bits");
  app.add_option("--atol", options.atol, "absolute difference that is accepted");
  app.add_option("--mode", options.mode, "how to run")
      ->check(CLI::IsMember({"eager", "compiled"}))
      ->capture_default_str();
  app.add_option("--device", "where to run")->check(CLI::IsMember({"cpu"}));
  app.add_option("--cases", options.cases.file, "JSON file of op cases to run instead of a model");
  app.add_option("--filter", options.cases.filter, "regular expression for the ids of cases");
  app.add_option("--json", options.cases.jsonOut, "file for the outcome of every case");
  app.add_flag("--verbose", options.cases.verbose, "name each case before it runs");
  CLI11_PARSE(app, argc, argv);
  options.cases.compiled = options.mode == "compiled";
  try {
    if (!options.cases.file.empty()) return runCases(options.cases);
    if (options.model.empty()) throw value_error("a model or --cases is needed");
    return runModel(options);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "tensorjit-run: %s\n", e.what());
    return 2;
  }
}
