# Devices other than the CPU. Paths are relative to runtime/.
list(APPEND TENSORJIT_RUNTIME_SOURCES
  device/Backend.cpp
  device/DeviceName.cpp
  device/DeviceProgram.cpp
  device/EagerOp.cpp
  device/Memory.cpp
  device/Pinned.cpp
  device/Stream.cpp
  device/Transfer.cpp
  device/cuda/Cuda.cpp
  device/cuda/CudaBackend.cpp
  device/cuda/Driver.cpp
  device/cuda/PtxTarget.cpp
  device/null/NullBackend.cpp
)
