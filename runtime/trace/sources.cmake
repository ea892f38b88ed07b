list(APPEND TENSORJIT_RUNTIME_SOURCES
  trace/Recorder.cpp
  trace/TraceTree.cpp
)
