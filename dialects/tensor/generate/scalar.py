"""Scalar bodies of pointwise ops and scalar functions, for C++ (eager) and for MLIR (compiled): the same operations in
the same order, so that both give the same bits."""

from records import Call, Literal, Name, shared_calls


def operand_kinds(e):
    return e.signature.split(":")[0]


class Cxx:
    """`scalar::add(x, T(1))`"""

    def literal(self, text, kind):
        if kind == "I":
            return f"static_cast<int32_t>({text})"
        if text in ("inf", "-inf", "nan"):
            return {"inf": "scalar::infinity<T>()", "-inf": "-scalar::infinity<T>()", "nan": "scalar::nan<T>()"}[text]
        return f"T({text})"

    def call(self, word, args):
        return f"scalar::{word}({', '.join(args)})"

    local = "const auto"


class Mlir:
    """`build.add(x, build.number(1))`"""

    def literal(self, text, kind):
        if kind == "I":
            return f"build.integer(static_cast<int32_t>({text}))"
        return f'build.number("{text}")'

    def call(self, word, args):
        return f"build.{word}({', '.join(args)})"

    local = "const Value"


def text(e, printer, locals_, kind="T"):
    if e in locals_:
        return locals_[e]
    if isinstance(e, Name):
        return e.text
    if isinstance(e, Literal):
        return printer.literal(e.text, kind)
    return printer.call(e.word, [text(a, printer, locals_, k) for a, k in zip(e.args, operand_kinds(e), strict=True)])


def expression_body(op, printer):
    """Statements for shared parts, and one expression a result."""
    lines, locals_ = [], {}
    for e in shared_calls(op.expr):
        name = f"t{len(locals_)}"
        lines.append(f"{printer.local} {name} = {text(e, printer, locals_)};")
        locals_[e] = name
    return lines, [text(e, printer, locals_) for e in op.expr]


def is_bool(op, operand):
    return operand.type == "Flag" or op["promote"] == "Branches" and operand is op.operands[0]


def functors(records):
    """Functors over a C++ type, and a switch from op and dtype to the loop that eager/loops makes of one.

    T is the dtype of the operands whose parameter is T; a parameter that is bool takes a condition or flag."""
    ops = [op for op in records.ops if op.expr]
    if not ops:
        return ""
    out = ["namespace tensorjit::eager::TENSORJIT_LEVEL {\nnamespace {\n\n"]
    for op in ops:
        lines, results = expression_body(op, Cxx())
        params = ", ".join(("bool " if is_bool(op, a) else "T ") + a.name for a in op.operands)
        result = "bool" if op["resultIsBool"] else "T" if len(results) == 1 else f"std::array<T, {len(results)}>"
        value = results[0] if len(results) == 1 else "{" + ", ".join(results) + "}"
        body = "".join(f"    {l}\n" for l in lines + [f"return {value};"])
        out.append(f"/// {op['summary']}\ntemplate <class T> struct {op.name}Fn {{\n")
        out.append(f"  [[gnu::always_inline]] {result} operator()({params}) const {{\n{body}  }}\n}};\n\n")
    # The numbers of this family alone, so that an op of another family does not rebuild these loops.
    out.append("enum Number : uint16_t {\n#define TENSORJIT_OP(Enumerator, name, number) k##Enumerator = number,\n")
    out.append(f'#include "tensorjit/ops/{records.family}Ids.inc"\n#undef TENSORJIT_OP\n}};\n\n')
    cases = "".join(
        f"  case k{op.name}: return loopFor<{op.name}Fn, dtypes::{op['dtypes']['cppName']}.bits>(type);\n" for op in ops
    )
    out.append(f"}} // namespace\n\nPointwiseFn loopOf{records.family}(OpId op, DType type) {{\n")
    out.append(f"  switch (static_cast<uint16_t>(op)) {{\n{cases}")
    out.append("  default: return nullptr;\n  }\n}\n\n} // namespace tensorjit::eager::TENSORJIT_LEVEL\n")
    return "".join(out)


def builders(records):
    out = []
    for op in records.ops:
        if not op.expr:
            continue
        lines, results = expression_body(op, Mlir())
        params = [f"[[maybe_unused]] const Value {a.name} = in[{i}];" for i, a in enumerate(op.operands)]
        body = "".join(f"  {l}\n" for l in params + lines + [f"return {{{', '.join(results)}}};"])
        out.append(f"SmallVector<Value> build{op.name}(ScalarBuilder &build, ValueRange in) {{\n{body}}}\n\n")
    rows = "".join(f'    {{"{op.mnemonic}", build{op.name}}},\n' for op in records.ops if op.expr)
    if rows:
        out.append(f"constexpr ScalarBody bodiesOf{records.family}[] = {{\n{rows}}};\n")
    return "".join(out)


def function_body(body, printer, result_type):
    """The steps of a scalar function; a step may give a name a new value."""
    lines, version, locals_ = [], {}, {}
    for e, name in zip(body.args, body.names):
        value = text(e, printer, locals_)
        if not name:
            return lines + [f"return {value};"]
        version[name] = version.get(name, -1) + 1
        local = name if not version[name] else f"{name}{version[name]}"
        lines.append(f"{printer.local} {local} = {value};")
        locals_[Name(name)] = local
    raise SystemExit("a scalar function ends with a step without a name: its result")


def scalar_functions(records, printer):
    out = []
    for name, params, body, record in records.functions:
        doc = f"/// {record['summary']}\n"
        if isinstance(printer, Cxx):
            signature = f"[[gnu::always_inline]] inline float {name}({', '.join('float ' + p for p in params)})"
            lines = ["using T = float;"] + function_body(body, printer, "float")
        else:
            signature = f"Value {name}F32(ScalarBuilder &build, {', '.join('Value ' + p for p in params)})"
            lines = function_body(body, printer, "Value")
        out.append(f"{doc}{signature} {{\n" + "".join(f"  {l}\n" for l in lines) + "}\n\n")
    return "".join(out)


def function_names(records):
    return "".join(f"TENSORJIT_SCALAR_FN({name})\n" for name, *_ in records.functions)
