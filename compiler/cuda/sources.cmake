# kernel.nest -> CUDA C++ -> PTX. Paths are relative to compiler/.
list(APPEND TENSORJIT_COMPILER_SOURCES
  cuda/IndexText.cpp
  cuda/NestText.cpp
  cuda/Nvrtc.cpp
  cuda/Prelude.cpp
  cuda/Program.cpp
  cuda/ReductionText.cpp
  cuda/ScalarText.cpp)
