# Op records -> C++: for each family llvm-tblgen dumps the records and generate/main.py writes headers, bodies, scalar
# functors and builders under ${TENSORJIT_GENERATED_DIR}. Exports TENSORJIT_GENERATED_SOURCES (the op/<Family>.cpp files)
# and the target tensorjit_generate, which everything that includes a generated header depends on.
find_program(TENSORJIT_LLVM_TBLGEN NAMES llvm-tblgen-22 llvm-tblgen HINTS /usr/lib/llvm-22/bin REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# A family's place here times 256 is the first OpId of its ops.
set(TENSORJIT_OP_FAMILIES Pointwise Shape Reduction Contraction Window Loss Creation Optimizer Math Activation Bits Index Normalization Scan Sort)
# Those whose records have scalar expressions.
set(TENSORJIT_SCALAR_FAMILIES Pointwise Optimizer Math Activation Bits)
set(TENSORJIT_TENSOR_DIALECT_DIR ${CMAKE_CURRENT_LIST_DIR})
set(TENSORJIT_GENERATED_SOURCES "")

set(generate_dir ${TENSORJIT_TENSOR_DIALECT_DIR}/generate)
set(generate_scripts main.py records.py api.py rows.py scalar.py docs.py tests.py)
list(TRANSFORM generate_scripts PREPEND ${generate_dir}/)
set(generate_out ${TENSORJIT_GENERATED_DIR})
set(generate_outputs "")

function(tensorjit_dump_records td json)
  add_custom_command(
    OUTPUT ${json}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${generate_out}/records
    COMMAND ${TENSORJIT_LLVM_TBLGEN} --dump-json --write-if-changed -I ${TENSORJIT_TENSOR_DIALECT_DIR}
            ${td} -o ${json}
    DEPENDS ${td} ${TENSORJIT_TENSOR_DIALECT_DIR}/Record.td ${TENSORJIT_TENSOR_DIALECT_DIR}/Words.td
    VERBATIM)
endfunction()

set(number 0)
set(record_files "")
set(doc_arguments "")
foreach(family ${TENSORJIT_OP_FAMILIES})
  set(json ${generate_out}/records/${family}.json)
  tensorjit_dump_records(${TENSORJIT_TENSOR_DIALECT_DIR}/ops/${family}.td ${json})
  set(files tensorjit/ops/${family}.h tensorjit/ops/${family}Methods.inc tensorjit/ops/${family}Ids.inc op/${family}.cpp
            op/${family}Ids.h op/${family}Vjps.inc eager/${family}Kernels.h eager/${family}.inc lower/${family}.inc test/${family}.inc)
  list(TRANSFORM files PREPEND ${generate_out}/)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${Python3_EXECUTABLE} ${generate_dir}/main.py family ${family} ${number} ${json} ${generate_out}
    DEPENDS ${json} ${generate_scripts}
    COMMENT "Generating ${family} ops"
    VERBATIM)
  list(APPEND generate_outputs ${files})
  list(APPEND TENSORJIT_GENERATED_SOURCES ${generate_out}/op/${family}.cpp)
  list(APPEND record_files ${json})
  list(APPEND doc_arguments ${family}=${json})
  math(EXPR number "${number} + 1")
endforeach()

set(json ${generate_out}/records/ScalarFns.json)
tensorjit_dump_records(${TENSORJIT_TENSOR_DIALECT_DIR}/ScalarFns.td ${json})
set(files eager/ScalarFns.inc lower/ScalarFns.inc lower/ScalarFnNames.inc)
list(TRANSFORM files PREPEND ${generate_out}/)
add_custom_command(
  OUTPUT ${files}
  COMMAND ${Python3_EXECUTABLE} ${generate_dir}/main.py functions ${json} ${generate_out}
  DEPENDS ${json} ${generate_scripts}
  COMMENT "Generating scalar functions"
  VERBATIM)
list(APPEND generate_outputs ${files})

add_custom_command(
  OUTPUT ${generate_out}/docs/ops.md
  COMMAND ${Python3_EXECUTABLE} ${generate_dir}/main.py docs ${generate_out} ${doc_arguments}
  DEPENDS ${record_files} ${generate_scripts}
  COMMENT "Generating the reference page of ops"
  VERBATIM)
list(APPEND generate_outputs ${generate_out}/docs/ops.md)

# Headers that only list families: all of them, or those that are named.
function(tensorjit_list_families file prefix suffix)
  set(text "")
  set(families ${ARGN})
  if(NOT families)
    set(families ${TENSORJIT_OP_FAMILIES})
  endif()
  foreach(family ${families})
    string(APPEND text "${prefix}${family}${suffix}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${generate_out}/${file} CONTENT "${text}" @ONLY)
endfunction()
tensorjit_list_families(tensorjit/ops/OpId.inc "#include \"tensorjit/ops/" "Ids.inc\"")
tensorjit_list_families(tensorjit/ops/TensorMethods.inc "#include \"tensorjit/ops/" "Methods.inc\"")
tensorjit_list_families(tensorjit/ops/AllFamilies.inc "#include \"tensorjit/ops/" ".h\"")
tensorjit_list_families(op/Families.inc "TENSORJIT_FAMILY(" ")")
tensorjit_list_families(op/ScalarFamilies.inc "TENSORJIT_FAMILY(" ")" ${TENSORJIT_SCALAR_FAMILIES})
tensorjit_list_families(lower/AllScalarFamilies.inc "#include \"lower/" ".inc\"" ${TENSORJIT_SCALAR_FAMILIES})
tensorjit_list_families(test/AllFamilies.inc "#include \"test/" ".inc\"")
tensorjit_list_families(op/Vjps.inc "#include \"op/" "Vjps.inc\"")

add_custom_target(tensorjit_generate DEPENDS ${generate_outputs})
