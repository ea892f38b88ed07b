list(APPEND TENSORJIT_RUNTIME_SOURCES
  data/BatchBuilder.cpp
  data/BatchMemory.cpp
  data/DataLoader.cpp
  data/Epoch.cpp
  data/FashionMNIST.cpp
  data/Idx.cpp
  data/Npy.cpp
  data/Safetensors.cpp
  data/SafetensorsHeader.cpp
  data/Sampler.cpp
  data/Workers.cpp
)
