list(APPEND TENSORJIT_RUNTIME_SOURCES
  execute/ThreadPool.cpp
)
