// The compiler library's only symbol for the runtime.
#include "FatalErrors.h"
#include "Pipeline.h"
#include "tensorjit/error.h"

using namespace tensorjit;

static Executable compile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  try {
    Executable executable;
    runGuarded({[&] { executable = compileGraph(graph, options, report); }});
    return executable;
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
