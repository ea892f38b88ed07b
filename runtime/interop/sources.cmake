list(APPEND TENSORJIT_RUNTIME_SOURCES
  interop/DlpackExport.cpp
  interop/DlpackImport.cpp
)
