// Runs a function of a .mlir file on given inputs, or a file of op cases, and says by its exit code whether the results
// are the expected ones.
#include "Cases.h"
#include "CommandLine.h"
#include "Compare.h"
#include "Model.h"
#include "RunModel.h"
#include "TextTensor.h"
#include "tensorjit/data/npy.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tensorjit;
using namespace tensorjit::run;

namespace {

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
  const Device device(options.device);
  for (auto &text : options.inputs) inputs.push_back(parseTensor(text).to(device));
  const Mode mode = options.mode == "eager" ? Mode::Eager : options.mode == "no-fuse" ? Mode::NoFuse : Mode::Compiled;
  auto results = runGraph(graph, inputs, mode, device);
  for (size_t i = 0; i < options.outputs.size() && i < results.size(); ++i)
    data::write_npy(options.outputs[i], results[i]);
  if (!options.expected.empty()) return compareResults(options, results);
  for (auto &result : results) std::printf("%s\n", formatTensor(result).c_str());
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  setenv("TENSORJIT_CACHE_DIR", "", /*overwrite=*/0); // what is run is compiled
  Options options;
  if (auto exit = parseCommandLine(argc, argv, options)) return *exit;
  try {
    if (options.cases.file.empty() && options.model.empty()) throw value_error("a model or --cases is needed");
    const int code = options.cases.file.empty() ? runModel(options) : runCases(options.cases);
    if (std::fflush(stdout) != 0) throw io_error(std::string("cannot write the output: ") + std::strerror(errno));
    return code;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "tensorjit-run: %s\n", e.what());
    return 2;
  }
}
