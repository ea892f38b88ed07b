// Ops of the `kernel` dialect.
#ifndef TENSORJIT_KERNEL_OPS
#define TENSORJIT_KERNEL_OPS

include "kernel/KernelDialect.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

// Scalars are signless; a tensor of `ui8` is read and written as i8.
def Kernel_StaticTensor : StaticShapeTensorOf<[I1, UI8, I8, I16, I32, I64, F16, BF16, F32, F64]>;
def Kernel_Scalar : AnyTypeOf<[I1, I8, I16, I32, I64, F16, BF16, F32, F64]>;

def Kernel_ReduceKind : I32EnumAttr<"ReduceKind", "how a reduction combines two values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">, I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::tensorjit::kernel";
}
def Kernel_ArgReduceKind : I32EnumAttr<"ArgReduceKind", "which extreme an arg reduction looks for", [
  I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Min", 1, "min">]> {
  let cppNamespace = "::tensorjit::kernel";
}

def NestOp : Kernel_Op<"nest", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "One fused loop nest: one kernel";
  let description = [{
    For every point of the iteration space the body sees one scalar of each input, read at the input's map, and yields
    one scalar for each result, written at the result's map. The body is written for one point; `kernel.reduce` in it
    combines a value over all reduction dims, and what is computed from its result is uniform over them.

    - A map's results index the tensor. An input map may use `floordiv`, `mod` and constants. Where it can leave the
      tensor, the input has a `pad`: the scalar read there instead.
    - A result of an input map that is a symbol is a position that the body knows: `kernel.read` reads such an input.
    - A result's map is a list of distinct dims (or 0 where the tensor's size is 1) and uses every parallel dim. It
      uses either all reduction dims or none; with none, the yielded scalar must be uniform over the reduction dims.
    - `max` and `min` let NaN win and order +0 above -0. Sums may be associated freely, by sizes alone.

    ```mlir
    %m, %d = kernel.nest "centre" [parallel 128, reduction 64]
        ins(%x at affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>)
        outs(affine_map<(i, j) -> (i)> : tensor<128xf32>, affine_map<(i, j) -> (i, j)> : tensor<128x64xf32>) {
    ^bb0(%a: f32):
      %max = kernel.reduce max %a : f32
      %sub = arith.subf %a, %max : f32
      kernel.yield %max, %sub : f32, f32
    }
    ```
  }];
  let arguments = (ins
    StrAttr:$sym_name,
    StrArrayAttr:$iterators,
    DenseI64ArrayAttr:$sizes,
    AffineMapArrayAttr:$maps,
    ArrayAttr:$pads,
    OptionalAttr<StrAttr>:$schedule,
    OptionalAttr<DictionaryAttr>:$tile,
    Variadic<Kernel_StaticTensor>:$inputs);
  let results = (outs Variadic<Kernel_StaticTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumDims() { return getSizes().size(); }
    unsigned getNumInputs() { return getInputs().size(); }
    unsigned getNumOutputs() { return getOutputs().size(); }
    int64_t getSize(unsigned dim) { return getSizes()[dim]; }
    bool isReduction(unsigned dim);
    ::llvm::SmallVector<unsigned> getParallelDims();
    ::llvm::SmallVector<unsigned> getReductionDims();
    bool hasReductionDims() { return !getReductionDims().empty(); }
    /// Points of the iteration space.
    int64_t getNumPoints();
    ::mlir::AffineMap getInputMap(unsigned i);
    ::mlir::AffineMap getOutputMap(unsigned i) { return getInputMap(getNumInputs() + i); }
    /// The scalar read outside the tensor; null when the map never leaves it.
    ::mlir::TypedAttr getPad(unsigned i);
    /// What lies in memory: the tensor's type with signless elements.
    ::mlir::RankedTensorType getInputType(unsigned i);
    ::mlir::RankedTensorType getOutputType(unsigned i);
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::tensorjit::kernel::YieldOp getYield();
  }];
}

def GroupOp : Kernel_Op<"group", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Independent nests that run as one kernel";
  let description = [{
    The kernel's parallel range is the concatenation of the nests' outermost parallel ranges. Every nest reads only
    the group's operands. The yield lists all results of the nests, in order.

    ```mlir
    %r:2 = kernel.group "update" (%p, %q : tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    ^bb0(%a: tensor<8xf32>, %b: tensor<4xf32>):
      %0 = kernel.nest ... ins(%a ...)
      %1 = kernel.nest ... ins(%b ...)
      kernel.yield %0, %1 : tensor<8xf32>, tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$sym_name, Variadic<Kernel_StaticTensor>:$inputs);
  let results = (outs Variadic<Kernel_StaticTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `(` ($inputs^ `:` type($inputs))? `)` `->` `(` type($outputs) `)` $body attr-dict
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::llvm::SmallVector<::tensorjit::kernel::NestOp, 4> getNests();
    ::tensorjit::kernel::YieldOp getYield();
  }];
}

def ChainOp : Kernel_Op<"chain", [IsolatedFromAbove, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Nests that run one after another, a slice at a time, as one kernel";
  let description = [{
    Dim 0 of every nest is parallel, indexes the outermost dim of each of its results, and is cut into `slices` equal
    slices, which are the kernel's parallel range. Of a tensor that is made in the chain, a nest reads in a slice only
    what the nest that made it wrote in the same slice (`readsOwnSlice`), so that what the yield does not list needs
    memory for one slice, which stays in the cache.

    ```mlir
    %r = kernel.chain "conv2d_max_pool2d" slices 128 (%x, %w : ...) -> (tensor<128x14x14x32xf32>) {
    ^bb0(%a: tensor<128x28x28x1xf32>, %b: tensor<3x3x1x32xf32>):
      %0 = kernel.nest "conv2d" [parallel 128, parallel 28, parallel 28, parallel 32, reduction 3, reduction 3] ...
      %1 = kernel.nest "max_pool2d" [parallel 128, parallel 14, parallel 14, parallel 32, reduction 2, reduction 2]
          ins(%0 at affine_map<(n, h, w, c, p, q) -> (n, h * 2 + p, w * 2 + q, c)> : tensor<128x28x28x32xf32>) ...
      kernel.yield %1 : tensor<128x14x14x32xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$sym_name, I64Attr:$slices, Variadic<Kernel_StaticTensor>:$inputs);
  let results = (outs Variadic<Kernel_StaticTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `slices` $slices `(` ($inputs^ `:` type($inputs))? `)` `->` `(` type($outputs) `)` $body attr-dict
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBlock() { return &getBody().front(); }
    ::llvm::SmallVector<::tensorjit::kernel::NestOp, 4> getNests();
    ::tensorjit::kernel::YieldOp getYield();
  }];
}

def Kernel_ScatterKind : I32EnumAttr<"ScatterKind", "what becomes of the element that a source comes to", [
  I32EnumAttrCase<"Set", 0, "set">, I32EnumAttrCase<"Add", 1, "add">]> {
  let cppNamespace = "::tensorjit::kernel";
}

def ScatterOp : Kernel_Op<"scatter", [MemoryEffects<[MemWrite]>]> {
  let summary = "Rows, or elements, written to positions that are data";
  let description = [{
    The result is a copy of `base`, or zeros without it. Seen as `[outer x size x inner]` with `dim` in the middle, its
    element (o, index[o, k, c], c) becomes, for k in order, source[o, k, c] or the sum with it. The index is a list of
    positions `[count]` or has the sizes of the source; the source has those of the result but for `dim`. Different
    elements of the result may be written in any order.

    Where a position lies outside the dim nothing is written, and the run's error slot receives (check, place of the
    position in the index, position) as for `kernel.check_index`.

    ```mlir
    %y = kernel.scatter "gradient" add %g at %list dim 0 check 0 : (tensor<8x64xf32>, tensor<8xi64>) -> tensor<100x64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$sym_name, Kernel_ScatterKind:$kind, Kernel_StaticTensor:$source,
                       Kernel_StaticTensor:$index, Optional<Kernel_StaticTensor>:$base, I64Attr:$dim, I64Attr:$check);
  let results = (outs Kernel_StaticTensor:$result);
  let assemblyFormat = [{
    $sym_name $kind $source `at` $index (`onto` $base^)? `dim` $dim `check` $check attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The parts of the result's space.
    int64_t getOuter();
    int64_t getSize() { return getResult().getType().getDimSize(getDim()); }
    int64_t getInner();
    int64_t getCount() { return getSource().getType().getDimSize(getDim()); }
    bool isList() { return getIndex().getType().getRank() == 1; }
  }];
}

def ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "Another shape for the same dense row-major memory";
  let arguments = (ins Kernel_StaticTensor:$source);
  let results = (outs Kernel_StaticTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ReduceOp : Kernel_Op<"reduce", [Pure, SameOperandsAndResultType, ParentOneOf<["NestOp"]>]> {
  let summary = "Combines a value over all reduction dims of the nest";
  let description = [{
    The result is uniform over the reduction dims. Reductions may depend on one another; each such level is a further
    visit of the reduction dims.
    ```mlir
    %s = kernel.reduce add %x : f32
    ```
  }];
  let arguments = (ins Kernel_ReduceKind:$kind, Kernel_Scalar:$value);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def ArgReduceOp : Kernel_Op<"arg_reduce", [Pure, ParentOneOf<["NestOp"]>, AllTypesMatch<["value", "extreme"]>,
                                           AllTypesMatch<["index", "at"]>]> {
  let summary = "The extreme value over all reduction dims, and its index";
  let description = [{
    `at` is the smallest index among the points whose value is the extreme; -0 equals +0; NaN is more extreme than
    any number, and any NaN equals any other. `extreme` is the value at `at`.
    ```mlir
    %v, %at = kernel.arg_reduce max %x, %i : f32
    ```
  }];
  let arguments = (ins Kernel_ArgReduceKind:$kind, Kernel_Scalar:$value, I64:$index);
  let results = (outs Kernel_Scalar:$extreme, I64:$at);
  let assemblyFormat = "$kind $value `,` $index attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def ScanOp : Kernel_Op<"scan", [Pure, SameOperandsAndResultType, ParentOneOf<["NestOp"]>]> {
  let summary = "Combines a value over the points of the reduction dim up to this one";
  let description = [{
    The points are those before this one and, unless `exclusive`, this one; with `reverse` those behind it. The nest has
    one reduction dim, whose points follow one another, reduces nothing, and all its scans run the same way. Infinities
    come where they come one point after another: partial results that start at another point than the first may not
    overflow.
    ```mlir
    %s = kernel.scan add exclusive %x : f32
    ```
  }];
  let arguments = (ins Kernel_ReduceKind:$kind, Kernel_Scalar:$value, UnitAttr:$reverse, UnitAttr:$exclusive);
  let results = (outs Kernel_Scalar:$result);
  let assemblyFormat = "$kind (`reverse` $reverse^)? (`exclusive` $exclusive^)? $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def IndexOp : Kernel_Op<"index", [Pure, ParentOneOf<["NestOp"]>]> {
  let summary = "The position in one dim of the iteration space";
  let arguments = (ins I64Attr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ReadOp : Kernel_Op<"read", [Pure, ParentOneOf<["NestOp"]>, AllTypesMatch<["input", "value"]>]> {
  let summary = "The element of an input at positions that are data";
  let description = [{
    `input` is the argument of an input whose map has symbols, which nothing else may read; the positions stand for the
    symbols. Each is what a `kernel.check_index` let pass whose bound is no larger than the dims that the symbol indexes:
    nothing outside the tensor is read.

    ```mlir
    %y = kernel.nest "rows" [parallel 8, parallel 64]
        ins(%table at affine_map<(i, j)[s0] -> (s0, j)> : tensor<100x64xf32>,
            %list at affine_map<(i, j) -> (i)> : tensor<8xi64>)
        outs(affine_map<(i, j) -> (i, j)> : tensor<8x64xf32>) {
    ^bb0(%x: f32, %p: i64):
      %i = kernel.index 0 : i64
      %row = kernel.check_index %p at %i in 100 check 0 : i64
      %v = kernel.read %x[%row] : f32
      kernel.yield %v : f32
    }
    ```
  }];
  let arguments = (ins Kernel_Scalar:$input, Variadic<I64>:$positions);
  let results = (outs Kernel_Scalar:$value);
  let assemblyFormat = "$input `[` $positions `]` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def CheckIndexOp : Kernel_Op<"check_index", [ParentOneOf<["NestOp"]>, MemoryEffects<[MemWrite]>]> {
  let summary = "Reports a value outside [0, bound)";
  let description = [{
    Where `value` lies outside [0, bound), the run's error slot receives (check, position, value) unless a smaller
    (check, position) is there already. The result is `value`, or 0 where it was out of range, so that it is safe as
    an index. `position` is the row-major position of the value in the operand that the check names.
    ```mlir
    %t = kernel.check_index %i at %pos in 10 check 0 : i64
    ```
  }];
  let arguments = (ins I64:$value, I64:$position, I64Attr:$bound, I64Attr:$check);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `at` $position `in` $bound `check` $check attr-dict `:` type($value)";
}

def YieldOp : Kernel_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["NestOp", "GroupOp", "ChainOp"]>]> {
  let summary = "The results of a nest's point, of a group or of a chain";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
