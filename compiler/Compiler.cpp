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
  } catch (const device_error &) { // a machine without what the device needs
    throw;
  } catch (const io_error &) { // of the environment, not of the graph: the next call tries again
    throw;
  } catch (const std::bad_alloc &) {
    throw out_of_memory(graph.name + ": the compiler ran out of memory");
  } catch (const std::exception &error) {
    throw compile_error(graph.name + ": " + error.what());
  }
}

extern "C" const CompilerInterface *tensorjitCompiler() {
  static const CompilerInterface interface { CompilerInterface::current, compile };
  return &interface;
}
