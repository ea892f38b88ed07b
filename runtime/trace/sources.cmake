list(APPEND TENSORJIT_RUNTIME_SOURCES
  trace/CompileJob.cpp
  trace/CompiledFunction.cpp
  trace/CompiledState.cpp
  trace/CompilerLoader.cpp
  trace/Explain.cpp
  trace/Flush.cpp
  trace/GraphBuilder.cpp
  trace/Leaves.cpp
  trace/Lines.cpp
  trace/Options.cpp
  trace/PartialWrites.cpp
  trace/Recorder.cpp
  trace/Recording.cpp
  trace/Save.cpp
  trace/TraceTree.cpp
  trace/TreeMemory.cpp
)
