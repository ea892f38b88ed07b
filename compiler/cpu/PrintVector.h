#pragma once
#include <string>

namespace llvm {
class raw_ostream;
}
namespace mlir {
class Operation;
}

namespace tensorjit::cpu {

/// The kernels in a module as the functions that code generation makes of them (func, scf, vector, memref), before
/// they are lowered: what tests look at. Throws `compile_error`.
void printVectorForm(mlir::Operation *module, llvm::raw_ostream &out, const std::string &cpu);

} // namespace tensorjit::cpu
