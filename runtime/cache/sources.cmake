list(APPEND TENSORJIT_RUNTIME_SOURCES
  cache/CacheFolder.cpp
  cache/CacheKey.cpp
  cache/CompilerBuild.cpp
  cache/ExecutableCache.cpp
  cache/HostCpu.cpp
)
