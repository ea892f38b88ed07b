list(APPEND TENSORJIT_RUNTIME_SOURCES
  nn/Checkpoint.cpp
  nn/ClipGrad.cpp
  nn/Convolution.cpp
  nn/Functional.cpp
  nn/Init.cpp
  nn/Interpolate.cpp
  nn/Layers.cpp
  nn/Module.cpp
  nn/Pooling.cpp
)
