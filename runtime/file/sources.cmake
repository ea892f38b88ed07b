list(APPEND TENSORJIT_RUNTIME_SOURCES
  file/FileReader.cpp
  file/FileWriter.cpp
)
