// The shape of an op record: what the runtime, the dialect, the compiler, the reference page and the tests need to know
// of an op; dialects/tensor/generate reads it.
#ifndef TENSORJIT_RECORD
#define TENSORJIT_RECORD

include "Words.td"

// Lists of arguments and results.
def ins;
def outs;

//===- Dtypes ----------------------------------------------------------------------------------------------------===//

// `cppName` is a constant of runtime/op/DTypeSet.h.
class DTypeSet<string cpp, string text> {
  string cppName = cpp;
  string doc = text;
}
def AnyDType : DTypeSet<"any", "every dtype">;
def Numeric : DTypeSet<"numeric", "integers and floats">;
def Floating : DTypeSet<"floating", "floats">;
def Integers : DTypeSet<"integers", "integers">;
def Integral : DTypeSet<"integral", "integers and bool">;

// How a public call brings its operands to the dtypes that the op takes.
class Promotion;
def AsGiven : Promotion;     // no cast; the verifier checks
def Together : Promotion;    // all operands meet at one dtype
def FloatOrF32 : Promotion;  // Together, then integers and bool become f32
def Branches : Promotion;    // operand 0 is a bool condition, the others meet
def LikeFirst : Promotion;   // operands after the first become its dtype where it is floating
def SumToI64 : Promotion;    // integers and bool become i64; an argument `dtype` overrides
def FloatOnly : Promotion;   // an argument `dtype` casts first; type_error on integers and bool without it

//===- Arguments -------------------------------------------------------------------------------------------------===//

// A tensor; `argument` is how the public API takes it.
class TJ_Tensor<string text> {
  string argument = "Tensor";
  string doc = text;
}
// A tensor that may be left out.
class TJ_OptionalTensor<string text> : TJ_Tensor<text> { let argument = "OptionalTensor"; }
// A tensor or a host number.
class TJ_Operand<string text> : TJ_Tensor<text> { let argument = "Operand"; }
// A host number that may become a run-time argument of the graph: a 0-d tensor in the dialect.
class TJ_Number<string text, string value = ""> : TJ_Tensor<text> {
  let argument = "Number";
  string initial = value;
}
// A host bool that is a run-time argument of the graph.
class TJ_Flag<string text> : TJ_Tensor<text> { let argument = "Flag"; }
class TJ_Result<string text> : TJ_Tensor<text>;

// An attribute: `kind` is its AttrKind in the runtime, `argument` its type in the public API, `initial` the default
// of that argument, `normalize` a function of op/Normalize.h that makes it canonical before it is recorded.
class TJ_Attr<string attrKind, string type, string text, string value> {
  string kind = attrKind;
  string argument = type;
  string initial = value;
  string normalize = "";
  string doc = text;
}
class TJ_Int<string text, string value = ""> : TJ_Attr<"Int", "int64_t", text, value>;
class TJ_Bool<string text, string value = "false"> : TJ_Attr<"Bool", "bool", text, value>;
class TJ_Float<string text, string value = ""> : TJ_Attr<"Float", "double", text, value>;
class TJ_DType<string text> : TJ_Attr<"DType", "DType", text, "">;
class TJ_Ints<string text, string value = ""> : TJ_Attr<"Ints", "const Shape &", text, value>;
class TJ_Pair<string text, string value = ""> : TJ_Attr<"Ints", "IntPair", text, value>;
// A pair that is another argument where it is left out.
class TJ_PairOr<string text, string other> : TJ_Attr<"Ints", "std::optional<IntPair>", text, "std::nullopt"> {
  string otherwise = other;
}
// One number for all three dims of a volume, or three.
class TJ_Triple<string text, string value = ""> : TJ_Attr<"Ints", "const Dims &", text, value> {
  let normalize = "normalizeTriple";
}
class TJ_TripleOr<string text, string other> : TJ_Attr<"Ints", "std::optional<Dims>", text, "std::nullopt"> {
  string otherwise = other;
  let normalize = "normalizeTriple";
}
class TJ_Scalar<string text> : TJ_Attr<"Scalar", "Scalar", text, "">;
// Dims to work on; an empty list means all. Canonical: sorted, in [0, rank).
class TJ_Dims<string text, string value = ""> : TJ_Ints<text, value> {
  let argument = "const Dims &";
  let normalize = "normalizeDims";
}
class TJ_Dim<string text, string value = ""> : TJ_Int<text, value> { let normalize = "normalizeDim"; }
class TJ_Permutation<string text> : TJ_Ints<text> { let normalize = "normalizePermutation"; }
class TJ_Sizes<string text, string function> : TJ_Ints<text> { let normalize = function; }
// One dim, or none for all: a list of one, or of all dims.
class TJ_OneOrAllDims<string text> : TJ_Attr<"Ints", "std::optional<int64_t>", text, "std::nullopt"> {
  let normalize = "normalizeOneOrAllDims";
}
def TJ_Reduction : TJ_Attr<"Int", "Reduction", "none keeps one loss a row; mean, sum", "Reduction::Mean">;

//===- Derivatives -----------------------------------------------------------------------------------------------===//

class Derivative;
// One gradient an operand, over public functions: `$g` is the gradient of the first result, other names are saved
// values or attributes; `zero` is a gradient of zeros, `none` says that the operand gets none, `(sizes $x)` are the
// sizes of an operand. Each is then summed down to the operand's sizes and cast to its dtype.
class Vjp<dag grads, dag savedValues = (saves)> : Derivative {
  dag gradients = grads;
  dag saved = savedValues;
}
// A hand-written `void function(VjpCall &)` of runtime/op/vjp.
class VjpFunction<string cpp, dag savedValues> : Derivative {
  string function = cpp;
  dag saved = savedValues;
}
class NoVjp<string why> : Derivative { string reason = why; }

//===- Checks ----------------------------------------------------------------------------------------------------===//

// The values of an operand are positions along a dim of another; where one is out of range the op raises index_error.
// `dim` is a number, or "$dim" for the op's first attribute. Where `of` is empty the first attribute is the bound itself.
class ChecksIndex<string operandName, string operandOfDim = "", string whichDim = "$dim"> {
  string operand = operandName;
  string of = operandOfDim;
  string dim = whichDim;
}

//===- Tests and documentation -----------------------------------------------------------------------------------===//

// A call and what printing its result shows. Statements may stand before the last expression.
class Example<string expression, string printed> {
  string call = expression;
  string output = printed;
}
// An input of a pointwise op (operands separated by commas) and its exact result.
class Edge<string from, string to> {
  string input = from;
  string output = to;
}
// What the tests call the op with. Ranges: inputs are drawn from [lo, hi) at lengths 1, 3, 8, 17, 64, 1000.
class Sample;
class Ranges<string from, string to> : Sample {
  string lo = from;
  string hi = to;
}
// Calls in C++, where `f32({2, 3})` is a random tensor, `i64({4}, 10)` random indices below 10.
class Calls<list<string> expressions> : Sample { list<string> calls = expressions; }

//===- The record ------------------------------------------------------------------------------------------------===//

class TJ_Op<string mnemonic, string opFamily, string bitClass> {
  string opName = mnemonic;
  dag arguments = (ins);
  dag results = (outs);
  string summary = "";
  string family = opFamily;             // OpFamily of the runtime
  string cls = bitClass;                // E exact, M math, T tolerance
  int wave = 1;
  list<string> functions = [mnemonic];  // public functions that are generated; none: written by hand on `dispatch::call`
  list<string> firstResultFunctions = []; // functions that return the first result only
  list<string> updates = [];            // operands that the results replace in place: makes the function `mnemonic_`
  bit method = 1;                       // also `x.f(...)`
  bit inPlace = 0;                      // also `x.f_(...)`
  string cppOperator = "";              // also `a + b`, and `a += b` with inPlace
  DTypeSet dtypes = AnyDType;           // of the operands after promotion
  Promotion promote = AsGiven;
  string infer = ?;                     // function of runtime/op/infer
  list<dag> expr = [];                  // pointwise ops: one expression over scalars a result
  bit resultIsBool = 0;
  ChecksIndex indexCheck = ?;           // may raise index_error from values of a tensor
  string adapt = "";                    // function of op/Adapt.h that may answer a call by calls in canonical form
  bit isView = 0;
  Derivative vjp = ?;
  list<Edge> special = [];
  Sample sample = ?;
  list<Example> examples = [];
  string source = "definition";
  string errors = "";                   // one sentence: what is thrown when
  string description = "";
  bit composite = 0;
}

// A public function that is made of others: no op of the dialect. `compose` says how, over public functions and the
// arguments by name; without it the function is written by hand in runtime/op/composite.
class TJ_Composite<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Composite", bitClass> {
  let composite = 1;
  dag compose = ?;
  let results = (outs TJ_Result<"">:$y);
}

class TJ_Pointwise<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Pointwise", bitClass> {
  let infer = "pointwise";
  let results = (outs TJ_Result<"the broadcast sizes of the operands">:$y);
}
class TJ_Unary<string mnemonic, string bitClass> : TJ_Pointwise<mnemonic, bitClass> {
  let arguments = (ins TJ_Tensor<"any sizes">:$x);
  let inPlace = 1;
}
// An op on floats only; integers and bool are cast to f32 first.
class TJ_FloatUnary<string mnemonic, string bitClass> : TJ_Unary<mnemonic, bitClass> {
  let dtypes = Floating;
  let promote = FloatOrF32;
}
class TJ_Predicate<string mnemonic> : TJ_Unary<mnemonic, "E"> {
  let resultIsBool = 1;
  let inPlace = 0;
  let vjp = NoVjp<"the result is bool">;
}
class TJ_Binary<string mnemonic, string bitClass> : TJ_Pointwise<mnemonic, bitClass> {
  let arguments = (ins TJ_Operand<"left operand">:$a, TJ_Operand<"right operand; sizes broadcast">:$b);
  let promote = Together;
  let inPlace = 1;
  let errors = "`shape_error` where the sizes do not broadcast.";
}
class TJ_Compare<string mnemonic, string spelling> : TJ_Binary<mnemonic, "E"> {
  let resultIsBool = 1;
  let inPlace = 0;
  let cppOperator = spelling;
  let vjp = NoVjp<"the result is bool">;
  let sample = Ranges<"-2", "2">;
}

#endif
