include "Record.td"

def TJ_FullOp : TJ_Op<"full", "Creation", "E"> {
  let summary = "Every element is one host number; with no dims, how a host number enters a graph.";
  let arguments = (ins TJ_Ints<"sizes">:$sizes, TJ_Scalar<"the number, representable in the dtype">:$value,
                       TJ_DType<"dtype of the result">:$dtype);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let functions = [];
  let infer = "full";
  let vjp = NoVjp<"it has no operands">;
  let errors = "`shape_error` for negative sizes or too many elements, `value_error` for an integer that does not fit.";
  let sample = Calls<["full({2, 3}, 1.5)", "full({}, 7, kInt64)", "full({0}, true)"]>;
  let examples = [Example<"full({2}, 1.5)", "[1.5, 1.5]">];
}
def TJ_IotaOp : TJ_Op<"iota", "Creation", "E"> {
  let summary = "Each element is its index along one dim.";
  let arguments = (ins TJ_Ints<"sizes, rank at least 1">:$sizes, TJ_Int<"dim in [0, rank)">:$dim,
                       TJ_DType<"dtype of the result, i64 or i32">:$dtype);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let method = 0;
  let infer = "iota";
  let vjp = NoVjp<"it has no operands">;
  let errors = "`index_error` for a dim out of range, `type_error` for another dtype.";
  let sample = Calls<["iota({4}, 0, kInt64)", "iota({2, 3}, 1, kInt32)"]>;
  let examples = [Example<"iota({3}, 0, kInt64)", "[0, 1, 2]">];
}

// What a generator gives, as a function of its state. The state is two host numbers, so a compiled function draws anew in
// each call; the public functions take it from the default generator and move that on (runtime/core/Random.cpp).
class TJ_Random<string mnemonic, string bitClass> : TJ_Op<mnemonic, "Creation", bitClass> {
  let arguments = (ins TJ_Number<"seed of the generator, an i64 of the same bits">:$seed,
                       TJ_Number<"blocks of four words drawn before">:$offset, TJ_Ints<"sizes">:$sizes,
                       TJ_DType<"dtype of the result">:$dtype);
  let results = (outs TJ_Result<"of the given sizes">:$y);
  let functions = [];
  let source = "Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011 (Philox4x32-10)";
}
def TJ_RandomBitsOp : TJ_Random<"random_bits", "E"> {
  let summary = "Random integers over the whole range of the dtype, i32 or i64.";
  let description = "Element i in row-major order is word i of the generator, for i64 words 2i, the lower half, and 2i + 1.";
  let infer = "randomBits";
  let vjp = NoVjp<"the result does not depend on a float">;
  let errors = "`type_error` for another dtype, `shape_error` for negative sizes or too many elements.";
  let sample = Calls<["(manual_seed(1), random_bits({1000}))", "(manual_seed(uint64_t(1) << 63), random_bits({3, 5, 7}, kInt64))",
                      "(manual_seed(2), default_generator().set_offset(0xFFFFFFFF), random_bits({2, 9}))",
                      "random_bits({0, 4})"]>;
  let examples = [Example<"manual_seed(0); random_bits({3})", "[1713891541, -513161843, -1135104948]">];
}
def TJ_RandomNormalOp : TJ_Random<"random_normal", "M"> {
  let summary = "Normal numbers with mean 0 and variance 1, f32 or f64.";
  let description = [{
    Elements 2j and 2j + 1 are r cos(2 pi t) and r sin(2 pi t) with r = sqrt(-2 log u), where u in (0, 1] and t in [0, 1)
    are made of the words (of f64: pairs of words) 2j and 2j + 1. An odd number of elements draws a whole pair.
  }];
  let infer = "randomNormal";
  let vjp = NoVjp<"the result does not depend on a float">;
  let errors = "`type_error` for another dtype, `shape_error` for negative sizes or too many elements.";
  let sample = Calls<["(manual_seed(1), randn({1001}))", "(manual_seed(5), randn({3, 5, 7}, kDouble))",
                      "(manual_seed(6), randn({2, 33}, kBFloat16))"]>;
  let examples = [Example<"manual_seed(0); randn({2})", "[0.9911375, -0.9246628]">];
}
