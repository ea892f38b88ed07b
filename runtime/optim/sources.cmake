list(APPEND TENSORJIT_RUNTIME_SOURCES
  optim/Adam.cpp
  optim/LRScheduler.cpp
  optim/Optimizer.cpp
  optim/RMSprop.cpp
  optim/SGD.cpp
)
