// The compiler library's only symbol for the runtime.
#include "Pipeline.h"
#include "tensorjit/error.h"

using namespace tensorjit;

static Executable compile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  try {
    return compileGraph(graph, options, report);
  } catch (const compile_error &) {
    throw;
  } catch (const std::exception &error) {
    throw compile_error(graph.name + ": " + error.what());
  }
}

extern "C" const CompilerInterface *tensorjitCompiler() {
  static const CompilerInterface interface { CompilerInterface::current, compile };
  return &interface;
}
