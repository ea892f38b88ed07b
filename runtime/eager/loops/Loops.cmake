# The inner loops, once a CPU level. errno and exception flags are not looked at, and minding them stops vectors. `-O3` whatever the build type of the rest: these files are what eager mode is.
# Vectors cross no file's boundary, so it does not matter that levels pass them differently (psabi).
set(TENSORJIT_LOOP_SOURCES
  eager/loops/AddRow.cpp
  eager/loops/Cast.cpp
  eager/loops/Keys.cpp
  eager/loops/MaxPool.cpp
  eager/loops/Random.cpp
  eager/loops/Reduce.cpp
  eager/loops/Scan.cpp
  eager/loops/Softmax.cpp
  eager/loops/WindowSum.cpp
)
# A file a family of pointwise ops.
foreach(family ${TENSORJIT_SCALAR_FAMILIES})
  file(CONFIGURE OUTPUT ${TENSORJIT_GENERATED_DIR}/eager/loops/${family}.cpp @ONLY
       CONTENT "#include \"eager/loops/PointwiseLoops.h\"\n\n#include \"eager/@family@.inc\"\n")
  list(APPEND TENSORJIT_LOOP_SOURCES ${TENSORJIT_GENERATED_DIR}/eager/loops/${family}.cpp)
endforeach()
set(level_flags_base "")
set(level_flags_v3 -march=x86-64-v3)
set(level_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
foreach(level base v3 v4)
  add_library(tensorjit_loops_${level} OBJECT ${TENSORJIT_LOOP_SOURCES})
  target_compile_definitions(tensorjit_loops_${level} PRIVATE TENSORJIT_LEVEL=${level})
  target_compile_options(tensorjit_loops_${level} PRIVATE -O3 -fno-math-errno -fno-trapping-math -Wno-psabi ${level_flags_${level}})
  target_include_directories(tensorjit_loops_${level} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include ${TENSORJIT_GENERATED_DIR})
  add_dependencies(tensorjit_loops_${level} tensorjit_generate)
  target_sources(tensorjit PRIVATE $<TARGET_OBJECTS:tensorjit_loops_${level}>)
endforeach()
