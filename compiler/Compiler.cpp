// The compiler library's only symbol for the runtime.
#include "FatalErrors.h"
#include "Pipeline.h"
#include "tensorjit/error.h"

#include <new>
#include <sys/mman.h>
#include <system_error>

using namespace tensorjit;

/// MLIR does not look at what malloc returns, so a compile is not begun where its memory is not to be had: a compile
/// takes about 100 KB for each op, and its threads need stacks.
static void requireMemory(const Graph &graph) {
  const size_t bytes = (size_t(32) << 20) + graph.nodes.size() * (size_t(256) << 10);
  void *probe = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  munmap(probe, bytes);
}

/// Only `compile_error` is of the graph: the runtime remembers it for the path. What else is thrown is of the
/// environment, and the next call tries again.
static Executable compile(const Graph &graph, const CompileOptions &options, CompileReport *report) {
  try {
    requireMemory(graph);
    Executable executable;
    runGuarded({[&] { executable = compileGraph(graph, options, report); }});
    return executable;
  } catch (const compile_error &) {
    throw;
  } catch (const io_error &) { // of the environment, not of the graph: the next call tries again
    throw;
  } catch (const device_error &) { // a machine without what the device needs
    throw;
  } catch (const out_of_memory &error) {
    throw out_of_memory(graph.name + ": " + error.what());
  } catch (const std::system_error &) { // no thread, no file
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
