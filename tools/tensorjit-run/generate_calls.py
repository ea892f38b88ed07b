"""Writes the table that calls public functions by name, from the op records.

  generate_calls.py OUT.inc GENERATE_DIR FAMILY=RECORDS.json ...

For functions and methods of tensors alone, their address:

  {"neg", Call::Unary(tensorjit::neg)},
  {"add_", {Call::BinaryInPlace(&Tensor::add_), {"a", "b"}}},

For all others, how each argument is taken:

  {"flip", [](CallArgs &args) { Tensor x = args.tensor(); auto dims = args.get<Dims>("dims"); return flat(flip(x, dims)); }},
"""

import sys

sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True

import api  # noqa: E402
from records import Records  # noqa: E402

# By argument type of a record: the type of the local, and how it is taken.
TAKE = {
    "Tensor": ("Tensor", "args.tensor()"),
    "OptionalTensor": ("Tensor", "args.optionalTensor().value_or(Tensor())"),
    "Operand": ("Operand", 'args.operand("{name}"{fallback})'),
    "Number": ("Scalar", 'args.number("{name}"{fallback})'),
    "Flag": ("bool", 'args.get<bool>("{name}"{fallback})'),
}


def take(argument):
    fallback = f", {argument.initial}" if argument.initial else ""
    if argument.type in TAKE:
        ctype, how = TAKE[argument.type]
        return f"{ctype} {argument.name} = {how.format(name=argument.name, fallback=fallback)};"
    ctype = argument.type.removeprefix("const ").removesuffix(" &")
    if ctype.startswith("std::optional<"):
        inner = ctype.removeprefix("std::optional<").removesuffix(">")
        return f'auto {argument.name} = args.optional<{inner}>("{argument.name}");'
    if fallback:
        fallback = f", {ctype}({argument.initial})"
    return f'auto {argument.name} = args.get<{ctype}>("{argument.name}"{fallback});'


def entry(name, op, call, arguments):
    statements = [take(a) for a in op.arguments]
    if op["promote"] in ("SumToI64", "FloatOnly") and not call.startswith(op.arguments[0].name + "."):
        statements.append('auto dtype = args.optional<DType>("dtype");')
        arguments = arguments + ["dtype"]
    body = " ".join(statements + [f"return flat({call}({', '.join(arguments)}));"])
    return f'{{"{name}", [](CallArgs &args) {{ {body} }}}},\n'


def by_address(name, op, in_place):
    types = [a.type for a in op.arguments]
    form = "Unary" if types == ["Tensor"] else "Binary" if types == ["Operand", "Operand"] else None
    plain = not any(a.initial for a in op.arguments) and op["promote"] not in ("SumToI64", "FloatOnly")
    if not form or not plain or api.return_type(op, name) != "Tensor":
        return None
    function = f"Call::{form}InPlace(&Tensor::{name})" if in_place else f"Call::{form}(tensorjit::{name})"
    if form == "Binary":
        function = f"{{{function}, {{{', '.join(quoted(a.name) for a in op.arguments)}}}}}"
    return f"{{{quoted(name)}, {function}}},\n"


def quoted(text):
    return f'"{text}"'


def entries(records):
    for op in records.functions_of_tensors:
        arguments = [a.name for a in op.arguments]
        for name in api.names(op):
            yield by_address(name, op, False) or entry(name, op, f"tensorjit::{name}", arguments)
        if op["inPlace"] and api.has_method(op):
            name = op.label + "_"
            yield by_address(name, op, True) or entry(name, op, f"{arguments[0]}.{name}", arguments[1:]).replace(
                f"Operand {arguments[0]} = args.operand({quoted(arguments[0])})", f"Tensor {arguments[0]} = args.tensor()")


if __name__ == "__main__":
    families = [argument.split("=") for argument in sys.argv[3:]]
    text = "".join(e for family, json in families for e in entries(Records(json, family)))
    with open(sys.argv[1], "w") as f:
        f.write(text)
