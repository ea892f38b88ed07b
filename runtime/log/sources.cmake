list(APPEND TENSORJIT_RUNTIME_SOURCES
  log/Environment.cpp
  log/Log.cpp
)
