"""The public C++ API of a family: declarations with documentation, methods of Tensor, and bodies."""

from records import Literal, Name

PARAMETER = {
    "Tensor": "const Tensor &",
    "OptionalTensor": "const Tensor &",
    "Operand": "const Operand &",
    "Number": "Scalar ",
    "Flag": "bool ",
}


def parameter(a, defaults):
    ctype = PARAMETER.get(a.type, a.type)
    text = ctype + ("" if ctype.endswith(("&", " ")) else " ") + a.name
    initial = "{}" if a.type == "OptionalTensor" else a.initial
    return text + (f" = {initial}" if defaults and initial else "")


def parameters(op, defaults, skip_first=False):
    args = op.arguments[1:] if skip_first else op.arguments
    # A parameter may have a default only where all that follow have one.
    last_without = max((i for i, a in enumerate(args) if not (a.initial or a.type == "OptionalTensor")), default=-1)
    out = [parameter(a, defaults and i > last_without) for i, a in enumerate(args)]
    if op["promote"] in ("SumToI64", "FloatOnly"):
        out.append("std::optional<DType> dtype" + (" = std::nullopt" if defaults else ""))
    out.append("SourceLocation loc" + (" = SourceLocation::current()" if defaults else ""))
    return ", ".join(out)


def return_type(op, name):
    n = 1 if name in op["firstResultFunctions"] else len(op.results)
    return "Tensor" if n == 1 else f"std::tuple<{', '.join(['Tensor'] * n)}>"


def names(op):
    return op.functions + op["firstResultFunctions"]


def has_method(op):
    return op["method"] and op.arguments and op.arguments[0].type in ("Tensor", "Operand")


def wrapped(text):
    """A declaration or line of code broken at commas to 120 columns, aligned behind its first parenthesis."""
    if len(text) <= 120 or "(" not in text:
        return text
    indent = " " * (text.index("(") + 1)
    lines = [""]
    for part in text.split(", "):
        if lines[-1] and len(lines[-1]) + len(part) + 2 > 119:
            lines[-1] += ","
            lines.append(indent + part)
        else:
            lines[-1] += (", " if lines[-1] else "") + part
    return "\n".join(lines)


def documentation(op):
    lines = [op["summary"]]
    if op["description"].strip():
        lines += [l.strip() for l in op["description"].strip().splitlines()]
    for a in op.arguments:
        lines.append(f"\\param {a.name} {a.doc}")
    for r in op.results:
        lines.append(f"\\return {r.doc}")
    if op["errors"]:
        lines.append(op["errors"].replace("`", ""))
    return "".join(f"/// {l}\n" for l in lines)


def header(records):
    out = ["#pragma once\n", '#include "tensorjit/operand.h"\n#include "tensorjit/tensor.h"\n\n#include <tuple>\n\n']
    out.append("namespace tensorjit {\n\n")
    for op in records.functions_of_tensors:
        for name in names(op):
            out.append(documentation(op) + wrapped(f"{return_type(op, name)} {name}({parameters(op, True)});") + "\n\n")
        if op["updates"]:
            out.append(documentation(op) + wrapped(f"void {op.mnemonic}_({update_parameters(op, True)});") + "\n\n")
        out += [f"{d};\n" for d in operator_signatures(op)]
    out.append("\n} // namespace tensorjit\n")
    return "".join(out)


def methods(records):
    out = []
    for op in records.functions_of_tensors:
        if not has_method(op):
            continue
        for name in names(op):
            out.append(wrapped(f"{return_type(op, name)} {name}({parameters(op, True, True)}) const;") + "\n")
        if op["inPlace"]:
            out.append(f"Tensor &{op.label}_({parameters(op, True, True)});\n")
    return "".join(out)


def update_parameters(op, defaults):
    def one(a):
        return f"Tensor {a.name}" if a.name in op["updates"] else parameter(a, False)

    return ", ".join([one(a) for a in op.arguments] + ["SourceLocation loc" + (" = SourceLocation::current()" if defaults else "")])


def operator_signatures(op):
    symbol = op["cppOperator"]
    if not symbol:
        return []
    params = ", ".join(f"const Operand &{a.name}" for a in op.arguments)
    out = [f"Tensor operator{symbol}({params})"]
    if op["inPlace"] and len(op.arguments) == 2:
        out.append(f"Tensor &operator{symbol}=(Tensor &a, const Operand &b)")
    return out


def operator_bodies(op):
    signatures = operator_signatures(op)
    if not signatures:
        return ""
    if len(op.arguments) == 1:
        return f"{signatures[0]} {{ return {op.mnemonic}(x.tensor(), x.location()); }}\n"
    if expected := expected_call(op):
        out = function(signatures[0], expected + [f"return {op.mnemonic}Unexpected(a, b, a.location());"])
    else:
        out = f"{signatures[0]} {{ return {op.mnemonic}(a, b, a.location()); }}\n"
    if len(signatures) > 1:
        out += f"{signatures[1]} {{ return a.{op.mnemonic}_(b, b.location()); }}\n"
    return out


def in_f32(op, meeting, label, in_place):
    """The call again with its tensors as f32, rounded at the end."""

    def given(a):
        if a not in meeting or a.type == "Number":
            return a.name
        return f"dispatch::InF32({a.name}, type, scope).{'operand' if a.type == 'Operand' else 'tensor'}()"

    arguments = ", ".join([given(a) for a in op.arguments] + ["scope.location()"])
    value = f"dispatch::narrowed(tensorjit::{op.label}({arguments}), type, scope)"
    return [f'dispatch::replace(*this, {value}, "{label}", scope.location());', "return *this;"] if in_place else [f"return {value};"]


def promotion(op, label, in_place):
    """Statements that bring the operands to their dtypes, and the expressions that name them afterwards."""
    lines, refs = [], {}
    how = op["promote"]
    for a in op.operands:
        if a.type == "Tensor":
            refs[a.name] = f"&{a.name}"

    def require(a):
        lines.append(f'dispatch::requireDefined(scope, "{label}", "{a.name}", {a.name});')

    def promoted(a, dtype, varies=False):
        lines.append(f"const dispatch::Promoted p_{a.name}({a.name}, {dtype}, scope{', true' if varies else ''});")
        refs[a.name] = f"p_{a.name}.get()"

    def meet(args, function):
        given = []
        for a in args:
            if a.type == "Operand":
                given.append(f"&{a.name}")
                continue
            condition = f"{a.name}.defined() ? {a.name} : {args[0].name}" if a.type == "OptionalTensor" else a.name
            lines.append(f"const Operand o_{a.name}({condition}, loc);")
            given.append(f"&o_{a.name}")
        lines.append(f'const DType type = dispatch::{function}(scope, "{label}", {{{", ".join(given)}}});')
        if in_place:
            lines.append(f'dispatch::requireInPlaceType(scope, "{label}", *this, type);')
        if any(a.type in ("Operand", "Number") for a in args):
            lines.append(f"if (dispatch::meetsNumber(type, {{{', '.join(given)}}})) [[unlikely]] {{")
            lines.extend([f"  {l}" for l in in_f32(op, args, label, in_place)] + ["}"])
        for a in args:
            if a.type == "Operand":
                promoted(a, "type")
            else:
                lines.append(f"const dispatch::Promoted p_{a.name}(o_{a.name}, type, scope);")
                refs[a.name] = f"p_{a.name}.get()"

    if how == "AsGiven":
        for a in op.operands:
            if a.type == "Tensor":
                require(a)
    elif how in ("Together", "FloatOrF32"):
        meet(op.operands, "promoteToFloat" if how == "FloatOrF32" else "promote")
    elif how == "Branches":
        require(op.operands[0])
        meet(op.operands[1:], "promote")
    elif how == "LikeFirst":
        first = op.operands[0]
        require(first)
        for a in op.operands[1:]:
            if a.type == "Flag":
                promoted(a, "DType::Bool", True)
            elif a.name in op["updates"]:
                require(a)
            elif a.type == "Number":
                promoted(a, f"computeType({first.name}.dtype())", True)
            else:
                require(a)
                promoted(a, f"{first.name}.dtype()")
    elif how in ("SumToI64", "FloatOnly"):
        first = op.operands[0]
        require(first)
        own = f"{first.name}.dtype()"
        default = f"isFloat({own}) ? {own} : DType::I64" if how == "SumToI64" else own
        lines.append(f"const DType type = dtype.value_or({default});")
        promoted(first, "type")
    return lines, refs


def attribute(a, first, label):
    """The statement that appends one attribute."""
    value = a.name
    if a.otherwise:
        value = f"{a.name}.value_or({a.otherwise})"
    if a.normalize:
        value = f'{a.normalize}(scope, "{label}", {value}, {first}.sizes())'
    elif "IntPair" in a.type:
        value = f"{value}.shape()"
    elif a.type == "Reduction":
        value = f"static_cast<int64_t>({value})"
    method = {"Int": "addInt", "Bool": "addInt", "Float": "addFloat", "Scalar": "addScalar", "DType": "addDType", "Ints": "addInts"}
    return f"attrs.{method[a.kind]}({value});"


def call_statements(op, label, in_place=False):
    """The body up to and including the dispatch; `targets` or `results` name what it fills."""
    lines = ["const dispatch::CallScope scope(loc);"]
    more, refs = promotion(op, label, in_place)
    lines += more
    attrs = "{}"
    if op.attrs:
        first = op.operands[0].name if op.operands else ""
        lines.append("Attrs attrs;")
        lines += [attribute(a, first, label) for a in op.attrs]
        attrs = "attrs"
    required = [a for a in op.operands if a.type != "OptionalTensor"]
    optional = [a for a in op.operands if a.type == "OptionalTensor"]
    operands = "{}"
    if op.operands:
        lines.append(f"const TensorBase *operands[] = {{{', '.join(refs[a.name] for a in required + optional)}}};")
        operands = "operands"
        if optional:
            count = f"{len(required)}" + "".join(f" + {a.name}.defined()" for a in optional)
            operands = f"std::span(operands, {count})"
    if in_place:
        lines.append(f"dispatch::callInPlace(OpId::{op.name}, targets, {operands}, {attrs}, scope.location());")
    else:
        lines.append(f"dispatch::call(OpId::{op.name}, {operands}, {attrs}, results, scope.location());")
    return lines


def is_of_tensors(op):
    """Whether all that an op takes is one to three tensors, and what it gives is one."""
    tensors = all(a.type in ("Tensor", "Operand") for a in op.arguments)
    return tensors and 1 <= len(op.arguments) <= 3 and len(op.results) == 1 and not op["isView"] and not op["adapt"]


def expected_call(op):
    """The short way of an op that a recording expects."""
    if not is_of_tensors(op):
        return []
    arguments = ", ".join(f"dispatch::tensorOf({a.name})" for a in op.arguments)
    return [f"if (TensorImpl *known = dispatch::callExpected(OpId::{op.name}, {arguments})) return Tensor::adopt(known);"]


def call_together(op, label, in_place=False):
    """The rest of an op whose tensors meet at one dtype, which is the same for all of them; None for other ops."""
    meet = {"Together": "promote", "FloatOrF32": "promoteToFloat"}.get(op["promote"])
    if not meet or not is_of_tensors(op):
        return None
    lines = [f"const Operand o_{a.name}({a.name}, loc);" for a in op.operands if a.type == "Tensor"]
    given = ", ".join(f"&o_{a.name}" if a.type == "Tensor" else f"&{a.name}" for a in op.operands)
    function = "callTogetherInPlace(*this, " if in_place else "callTogether("
    call = f'dispatch::{function}OpId::{op.name}, "{label}", dispatch::{meet}, {{{given}}}, loc);'
    return lines + ([call, "return *this;"] if in_place else [f"return {call}"])


def returned(op, name, results="results"):
    if return_type(op, name) == "Tensor":
        return f"return std::move({results}[0]);"
    return f"return {{{', '.join(f'std::move({results}[{i}])' for i in range(len(op.results)))}}};"


def composed(op, e):
    """A composite's expression as calls of public functions."""
    if isinstance(e, (Name, Literal)):
        return e.text
    if e.word == "sizes":
        return f"{composed(op, e.args[0])}.sizes()"
    return f"{e.word}({', '.join(composed(op, a) for a in e.args)})"


def composite_body(op, name):
    lines = ["const dispatch::CallScope scope(loc);"]
    lines += [f'dispatch::requireDefined(scope, "{name}", "{a.name}", {a.name});' for a in op.operands if a.type == "Tensor"]
    tensors = [a for a in op.operands if a.type in ("Tensor", "OptionalTensor", "Operand")]
    if op["cls"] != "E":
        for a in tensors:
            lines.append(f"const Operand {'&' if a.type == 'Operand' else ''}o_{a.name}{' = ' + a.name if a.type == 'Operand' else f'({a.name}, loc)'};")
        lines.append(f'const DType type = dispatch::promote(scope, "{name}", {{{", ".join("&o_" + a.name for a in tensors)}}});')
        lines.append(f"if (dispatch::anyHalf({{{', '.join('&o_' + a.name for a in tensors)}}})) {in_f32(op, tensors, name, False)[0]}")
    lines.append(f"return {composed(op, op.compose)};")
    return function(f"{return_type(op, name)} {name}({parameters(op, False)})", lines)


def body(op, name):
    if op.composite:
        return composite_body(op, name) if op.compose else ""
    lines = call_together(op, name)
    if not lines:
        lines = [f"TensorBase results[{len(op.results)}];"]
        statements = call_statements(op, name)
        if op["adapt"]:
            given = ", ".join([a.name for a in op.arguments] + ["adapted", "scope.location()"])
            statements.insert(1, f"Tensor adapted[{len(op.results)}];")
            statements.insert(2, f"if ({op['adapt']}({given})) {returned(op, name, 'adapted')}")
        lines += statements + [returned(op, name)]
    signature = f"{return_type(op, name)} {name}({parameters(op, False)})"
    expected = expected_call(op)
    if not expected:
        return function(signature, lines)
    # The usual way stays short: what else there is to do stands in a function of its own.
    other = f"[[gnu::noinline]] static Tensor {name}Unexpected({parameters(op, False)})"
    arguments = ", ".join([a.name for a in op.arguments] + ["loc"])
    return function(other, lines) + function(signature, expected + [f"return {name}Unexpected({arguments});"])


def function(signature, lines):
    return wrapped(signature + " {") + "\n" + "".join(f"  {l}\n" for l in lines) + "}\n\n"


def own_dtype(op):
    """The argument `dtype` of an op in place: the target's, so that integers stay as wide as they are."""
    return ["dtype.value_or(this->dtype())"] if op["promote"] in ("SumToI64", "FloatOnly") else []


def bodies(records):
    out = []
    for op in records.functions_of_tensors:
        for name in names(op):
            out.append(body(op, name))
            if has_method(op):
                rest = ", ".join(a.name for a in op.arguments[1:])
                rest += ", dtype" if op["promote"] in ("SumToI64", "FloatOnly") else ""
                call = f"return tensorjit::{name}({', '.join(filter(None, ['*this', rest, 'loc']))});"
                out.append(function(f"{return_type(op, name)} Tensor::{name}({parameters(op, False, True)}) const", [call]))
        if op["inPlace"] and has_method(op) and not op.expr:
            rest = ", ".join(["*this"] + [a.name for a in op.arguments[1:]] + own_dtype(op) + ["loc"])
            call = f"dispatch::replace(*this, tensorjit::{op.label}({rest}), \"{op.label}_\", loc);"
            out.append(function(f"Tensor &Tensor::{op.label}_({parameters(op, False, True)})", [call, "return *this;"]))
        elif op["inPlace"] and has_method(op):
            first = op.arguments[0].name
            bound = f"const Operand {first}(*this, loc);" if op.arguments[0].type == "Operand" else f"const Tensor &{first} = *this;"
            if together := call_together(op, op.label + "_", True):
                lines = [bound] + together
            else:
                lines = [bound, "TensorBase *targets[] = {this};"]
                lines += call_statements(op, op.label + "_", True) + ["return *this;"]
            out.append(function(f"Tensor &Tensor::{op.mnemonic}_({parameters(op, False, True)})", lines))
        if op["updates"]:
            lines = [f"TensorBase *targets[] = {{{', '.join('&' + u for u in op['updates'])}}};"]
            lines += call_statements(op, op.mnemonic + "_", True)
            out.append(function(f"void {op.mnemonic}_({update_parameters(op, False)})", lines))
        out.append(operator_bodies(op))
    return "".join(out)
