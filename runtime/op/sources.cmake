# What is known of each op, with the generated API and tables. Who compiles these depends on tensorjit_generate.
list(APPEND TENSORJIT_RUNTIME_SOURCES
  op/Attrs.cpp
  op/CompositeMethods.cpp
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
