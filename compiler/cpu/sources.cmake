# kernel.nest -> machine code -> one shared object. Paths are relative to compiler/.
list(APPEND TENSORJIT_COMPILER_SOURCES
  cpu/CodegenThread.cpp
  cpu/CpuCodegen.cpp
  cpu/KernelText.cpp
  cpu/Linker.cpp
  cpu/Lowering.cpp
  cpu/ObjectEmitter.cpp
  cpu/Optimize.cpp
  cpu/PrintVector.cpp
  cpu/Refusal.cpp
  cpu/Target.cpp
  cpu/Tiling.cpp
  cpu/emit/Accumulator.cpp
  cpu/emit/Builder.cpp
  cpu/emit/CheckIndex.cpp
  cpu/emit/ContractionMatch.cpp
  cpu/emit/EmitChain.cpp
  cpu/emit/EmitContraction.cpp
  cpu/emit/EmitPlanned.cpp
  cpu/emit/EmitScatter.cpp
  cpu/emit/Half.cpp
  cpu/emit/Emission.cpp
  cpu/emit/KernelEmitter.cpp
  cpu/emit/KernelFunction.cpp
  cpu/emit/MathCalls.cpp
  cpu/emit/PaddedCopy.cpp
  cpu/emit/Plan.cpp
  cpu/emit/PlannedNest.cpp
  cpu/emit/Point.cpp
  cpu/emit/PointMemory.cpp
  cpu/emit/PrefixLanes.cpp
  cpu/emit/ReductionLoops.cpp
  cpu/emit/ScalarOps.cpp
  cpu/emit/Transpose.cpp
  cpu/emit/Units.cpp)
# lld as a library.
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
list(APPEND TENSORJIT_COMPILER_LIBRARIES lldELF lldCommon)
