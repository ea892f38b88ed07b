// The words of expressions: operators of the DAGs in op records and scalar functions. TableGen wants a def for each.
#ifndef TENSORJIT_WORDS
#define TENSORJIT_WORDS

// `signature` of a scalar operation: operand kinds, colon, result kind. T is the number type at hand, B bool, I a
// 32-bit integer. Scalar operations are written once in C++ (runtime/eager/ScalarAtoms.h) and once for MLIR
// (compiler/lower/ScalarBuilder.h). Words that are public functions on tensors too stand in derivatives as well.
class Word<string kinds = ""> { string signature = kinds; }

foreach w = ["neg", "abs", "sign", "sqrt", "floor", "ceil", "trunc", "round"] in def ""#w : Word<"T:T">;
foreach w = ["add", "sub", "mul", "div", "maximum", "minimum", "copysign", "fmod", "floor_divide",
             "bitAnd", "bitOr", "bitXor", "shiftLeft", "shiftRight", "pow", "atan2"] in def ""#w : Word<"TT:T">;
def bitNot : Word<"T:T">;
foreach w = ["eq", "ne", "lt", "le", "gt", "ge"] in def ""#w : Word<"TT:B">;
foreach w = ["logical_and", "logical_or", "logical_xor"] in def ""#w : Word<"BB:B">;
def logical_not : Word<"B:B">;
def fma : Word<"TTT:T">;
def select : Word<"BTT:T">;

// Functions of ScalarFns.td on f32; the platform's library on f64.
foreach w = ["exp", "exp2", "expm1", "log", "log1p", "tanh", "erf", "erfc", "erfinv", "lgamma", "digamma",
             "cosTurns"] in def ""#w : Word<"T:T">;

// Functions of the platform's library on f32 and f64.
foreach w = ["log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh",
             "atanh"] in def ""#w : Word<"T:T">;

// The bits of an f32, and 32-bit integers. `scale` multiplies by a power of two, rounding once.
foreach w = ["bitsOf", "toInt"] in def ""#w : Word<"T:I">;
foreach w = ["floatOf", "toFloat"] in def ""#w : Word<"I:T">;
foreach w = ["addInt", "subInt", "andInt", "orInt", "xorInt", "shlInt", "sarInt"] in def ""#w : Word<"II:I">;
def scale : Word<"TI:T">;

// Only in derivatives: public functions, and functions of autograd/Vjp.h.
foreach w = ["where", "isnan", "remainder", "clamp", "softplus", "leaky_relu", "gather", "scatter_add", "mean", "squeeze",
             "reduced_loss", "square", "sigmoid", "sum", "reshape", "permute", "transpose", "expand_reduced",
             "inverse_permutation", "matmul", "conv2d", "conv2d_input_grad", "conv2d_weight_grad", "conv3d", "conv3d_input_grad",
             "conv3d_weight_grad", "max_pool2d_grad", "max_pool3d_grad", "window_sum", "window_sum_backward",
             "softmax_grad", "log_softmax_grad", "cross_entropy_grad"] in def ""#w : Word;

// Structure: lists, the sizes of an operand, a gradient of zeros, no gradient.
foreach w = ["grads", "saves", "steps", "sizes", "zero", "none"] in def ""#w : Word;

#endif
