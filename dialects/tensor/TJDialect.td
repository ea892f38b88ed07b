#ifndef TENSORJIT_TJ_DIALECT
#define TENSORJIT_TJ_DIALECT

include "mlir/IR/OpBase.td"

def TJ_Dialect : Dialect {
  let name = "tj";
  let cppNamespace = "::tensorjit::tj";
  let summary = "What the user wrote: SSA over whole tensors.";
  let description = [{
    Ops over ranked builtin tensors with value semantics. Element types: `i1` is bool, `ui8` is u8; `i8`, `i32`, `i64`
    are the signed integers (signless in MLIR, as arith wants them), `f32` and `f64` the floats. Results are defined
    on logical row-major order; layout is a later stage's choice.
  }];
  let extraClassDeclaration = [{
    /// `addOperations`, for the files that register a family each.
    template <class... Ops> void addTheOperations() { addOperations<Ops...>(); }
  }];
}

#endif
