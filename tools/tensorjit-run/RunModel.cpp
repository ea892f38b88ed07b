#include "RunModel.h"
#include "core/TensorAccess.h"
#include "device/Backend.h"
#include "execute/CallPlan.h"
#include "execute/CompilerInterface.h"
#include "execute/Program.h"
#include "log/Environment.h"
#include "tensorjit/creation.h"

extern "C" const tensorjit::CompilerInterface *tensorjitCompiler();

namespace tensorjit::run {
namespace {

std::string typeText(const TensorType &t) { return std::string(name(t.dtype)) + t.sizes.str(); }

void checkInputs(const Graph &graph, const std::vector<Tensor> &inputs) {
  if (inputs.size() != graph.numInputs)
    throw value_error("@" + graph.name + " takes " + std::to_string(graph.numInputs) + " inputs, got " +
                      std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorType got{inputs[i].dtype(), inputs[i].sizes()};
    if (got != graph.types[i])
      throw value_error("@" + graph.name + " input " + std::to_string(i) + " is " + typeText(graph.types[i]) +
                        ", got " + typeText(got));
  }
}

} // namespace

std::vector<Tensor> runGraph(Graph graph, const std::vector<Tensor> &inputs, Mode mode, Device device) {
  checkInputs(graph, inputs);
  CompileOptions options;
  options.mode = mode == Mode::NoFuse ? CompileOptions::Mode::NoFuse : CompileOptions::Mode::Full;
  options.dumpDir = environment().dump;
  graph.device = device.type();
  if (!device.is_cpu()) {
    options.cudaArch = device::backend(device).architecture();
    options.nvrtc = environment().nvrtc;
  }
  Program program(mode == Mode::Eager ? planCalls(graph) : tensorjitCompiler()->compile(graph, options, nullptr),
                  device);
  const Executable &executable = program.executable();

  std::vector<void *> in, out;
  for (const Tensor &t : inputs) in.push_back(t.data_ptr());
  std::vector<Tensor> results;
  for (const TensorSpec &spec : executable.outputs) {
    if (spec.aliasesInput >= 0) {
      results.push_back(inputs[static_cast<size_t>(spec.aliasesInput)]);
      out.push_back(results.back().data_ptr());
    } else {
      results.push_back(makeTensor(spec.type.dtype, spec.type.sizes, allocateFor(spec, device)));
      out.push_back(results.back().impl()->storage->buffer->storedData());
    }
  }
  ErrorSlot error;
  if (!program.run(in, out, error)) throw index_error(indexErrorText(executable, error));
  for (Tensor &result : results) result = result.cpu(); // throws what index checks have found
  return results;
}

} // namespace tensorjit::run
