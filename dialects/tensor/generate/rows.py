"""What the runtime knows of the ops of a family: OpInfo rows, result types and derivatives."""

from records import Call, Literal, Name, shared_calls

READ = {"Int": "integer", "Bool": "boolean", "Float": "number", "Scalar": "scalar", "DType": "dtype", "Ints": "ints"}


def infer(op):
    return (
        f"void infer{op.name}(std::span<const TensorType> operands, const Attrs &attrs, std::span<TensorType> results) {{\n"
        f'  infer::{op["infer"]}({{"{op.label}", dtypes::{op["dtypes"]["cppName"]}, {"true" if op["resultIsBool"] else "false"}, '
        f"operands, attrs, results}});\n}}\n"
    )


def vjp_expression(op, e, locals_, i):
    if e in locals_:
        return locals_[e]
    if isinstance(e, Name):
        return e.text
    if isinstance(e, Literal):
        return e.text
    if e.word == "sizes":
        index = [a.name for a in op.operands].index(e.args[0].text)
        return f"call.operandTypes[{index}].sizes"
    if e.word == "zero":
        return f"zerosOf(call.operandTypes[{i}])"
    return f"{e.word}({', '.join(vjp_expression(op, a, locals_, i) for a in e.args)})"


def used_names(exprs):
    out = set()

    def visit(e):
        if isinstance(e, Name):
            out.add(e.text)
        elif isinstance(e, Call) and e.word != "sizes":
            for a in e.args:
                visit(a)

    for e in exprs:
        visit(e)
    return out


def vjp(op):
    if not op.vjp.grads:
        return ""
    used = used_names(op.vjp.grads)
    lines = []
    if "g" in used:
        lines.append("const Tensor &g = call.grads[0];")
    for i, name in enumerate(op.vjp.saves):
        if name in used:
            lines.append(f"const Tensor &{name} = call.saved[{i}];")
    if any(a.name in used for a in op.attrs):
        lines.append("AttrReader attrs(call.attrs);")
        for a in op.attrs:
            read = f"attrs.{READ[a.kind]}()"
            if "IntPair" in a.type:
                lines.append(f"const IntPair {a.name} = pairOf({read});")
            elif a.type == "Reduction":
                lines.append(f"const auto {a.name} = static_cast<Reduction>({read});")
            else:
                lines.append(f"const auto {a.name} = {read};")
            if a.name not in used:
                lines[-1] = f"{read};"
    locals_ = {}
    for e in shared_calls(op.vjp.grads):
        if e.word == "sizes":
            continue
        lines.append(f"const Tensor t{len(locals_)} = {vjp_expression(op, e, locals_, 0)};")
        locals_[e] = f"t{len(locals_)}"
    for i, e in enumerate(op.vjp.grads):
        if e == Call("none", ()):
            continue
        present = f"call.needs.size() > {i} && " if op.operands[i].type == "OptionalTensor" else ""
        value = vjp_expression(op, e, locals_, i)
        lines.append(f"if ({present}call.needs[{i}]) call.result[{i}] = sumTo({value}, call.operandTypes[{i}]);")
    return f"void vjp{op.name}(VjpCall &call) {{\n" + "".join(f"  {l}\n" for l in lines) + "}\n"


def spans(op):
    out = ""
    if op.attrs:
        specs = ", ".join(f'{{"{a.name}", AttrKind::{a.kind}}}' for a in op.attrs)
        out += f"constexpr AttrSpec {op.local}Attrs[] = {{{specs}}};\n"
    if op.vjp.saves:
        operands, results = [a.name for a in op.operands], [r.name for r in op.results]
        saved = [str(operands.index(s)) if s in operands else str(-1 - results.index(s)) for s in op.vjp.saves]
        out += f"constexpr int8_t {op.local}Saves[] = {{{', '.join(saved)}}};\n"
    return out


def index_check(op):
    """IndexCheckRule: the checked operand, the operand and dim that bound it (-1: the first attribute is the dim, or
    without an operand the bound), the name."""
    check = op["indexCheck"]
    if not check:
        return "{}"
    operands = [a.name for a in op.operands]
    dim = "-1" if check["dim"].startswith("$") else check["dim"]
    of = operands.index(check["of"]) if check["of"] else -1
    return f'{{{operands.index(check["operand"])}, {of}, {dim}, "{check["operand"]}"}}'


def row(op):
    derivative = f"vjp{op.name}" if op.vjp.grads else op.vjp.function or "nullptr"
    fields = [
        f'"{op.mnemonic}"',
        f'OpFamily::{op["family"]}',
        f'OpClass::{op["cls"]}',
        str(len(op.results)),
        str(sum(a.type != "OptionalTensor" for a in op.operands)),
        str(len(op.operands)),
        "true" if op["indexCheck"] else "false",
        index_check(op),
        "true" if op["isView"] else "false",
        f"{op.local}Attrs" if op.attrs else "{}",
        f"infer{op.name}",
        "eager::pointwise" if op.expr else f"eager{op.name}",
        derivative,
        f'"{op.vjp.reason}"' if op.vjp.reason else "nullptr",
        f"{op.local}Saves" if op.vjp.saves else "{}",
    ]
    return "    {" + ", ".join(fields) + "},\n"


def table(records):
    if not records.ops:
        return f"std::span<const OpInfo> opsOf{records.family}() {{ return {{}}; }}\n"
    out = ["namespace {\n\n"]
    for op in records.ops:
        out += [spans(op), infer(op), vjp(op), "\n"]
    out.append(f"const OpInfo rowsOf{records.family}[] = {{\n" + "".join(row(op) for op in records.ops) + "};\n\n} // namespace\n\n")
    out.append(f"std::span<const OpInfo> opsOf{records.family}() {{ return rowsOf{records.family}; }}\n")
    return "".join(out)


def ids(records, base):
    return "".join(f'TENSORJIT_OP({op.name}, "{op.mnemonic}", {base + op.number})\n' for op in records.ops)


def id_constants(records, base):
    """The ids alone of this family, for code that names none of another."""
    lines = "".join(f"inline constexpr OpId {op.name}{{{base + op.number}}};\n" for op in records.ops)
    return f'#pragma once\n#include "op/OpInfo.h"\n\nnamespace tensorjit::opid {{\n\n{lines}\n}} // namespace tensorjit::opid\n'


def eager_declarations(records):
    """The kernels to write by hand: of every op that has no `expr`."""
    lines = "".join(f"void eager{op.name}(const EagerCall &call);\n" for op in records.ops if not op.expr)
    return f'#pragma once\n#include "eager/EagerCall.h"\n\nnamespace tensorjit {{\n\n{lines}\n}} // namespace tensorjit\n'


def handwritten_vjps(records):
    names = sorted({op.vjp.function for op in records.ops if op.vjp and op.vjp.function})
    return "".join(f"void {n}(VjpCall &call);\n" for n in names)
