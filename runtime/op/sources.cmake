# Included by runtime/CMakeLists.txt: what is known of each op, with the generated API and tables.
target_sources(tensorjit PRIVATE
  op/Attrs.cpp
  op/Composites.cpp
  op/Matmul.cpp
  op/Normalize.cpp
  op/OpInfo.cpp
  op/infer/Contraction.cpp
  op/infer/Convolution.cpp
  op/infer/Creation.cpp
  op/infer/Infer.cpp
  op/infer/Loss.cpp
  op/infer/Optimizer.cpp
  op/infer/Pointwise.cpp
  op/infer/Reduction.cpp
  op/infer/Shape.cpp
  op/infer/Window.cpp
  op/vjp/Contraction.cpp
  op/vjp/Gradients.cpp
  op/vjp/Loss.cpp
  op/vjp/Reduction.cpp
  op/vjp/Shape.cpp
  ${TENSORJIT_GENERATED_SOURCES}
)
add_dependencies(tensorjit tensorjit_generate)
