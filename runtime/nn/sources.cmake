list(APPEND TENSORJIT_RUNTIME_SOURCES
  nn/Checkpoint.cpp
  nn/ClipGrad.cpp
  nn/Functional.cpp
  nn/Init.cpp
  nn/Layers.cpp
  nn/Module.cpp
)
