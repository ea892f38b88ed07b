list(APPEND TENSORJIT_RUNTIME_SOURCES
  execute/CallPlan.cpp
  execute/CodeImage.cpp
  execute/LoadedExecutable.cpp
  execute/Program.cpp
  execute/ProgramFile.cpp
  execute/Serialize.cpp
  execute/ThreadPool.cpp
  execute/Validate.cpp
)
