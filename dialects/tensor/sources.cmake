# Included by dialects/CMakeLists.txt.
set(TENSOR_DIALECT_SOURCES tensor/Fold.cpp tensor/FoldViews.cpp tensor/Folding.cpp tensor/OpBridge.cpp tensor/RecordOp.cpp
                           tensor/TJ.cpp)
