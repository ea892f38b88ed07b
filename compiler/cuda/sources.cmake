# kernel.nest -> CUDA C++ -> PTX. Paths are relative to compiler/.
list(APPEND TENSORJIT_COMPILER_SOURCES
  cuda/BodyText.cpp
  cuda/CudaCodegen.cpp
  cuda/IndexText.cpp
  cuda/NestText.cpp
  cuda/Nvrtc.cpp
  cuda/Prelude.cpp
  cuda/Program.cpp
  cuda/Reduction.cpp
  cuda/Refusal.cpp
  cuda/ScalarText.cpp
  cuda/Scatter.cpp
  cuda/form/Contraction.cpp
  cuda/form/ContractionMatch.cpp
  cuda/form/Form.cpp
  cuda/form/Lanes.cpp
  cuda/form/Rows.cpp
  cuda/form/TensorCores.cpp
  cuda/form/TiledContraction.cpp
  cuda/form/Transpose.cpp
  cuda/form/Vectors.cpp)
