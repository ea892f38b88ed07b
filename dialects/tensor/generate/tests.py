"""Rows for the tests that run from records: test/runtime and test/compiler include them under macros of their own."""


def text(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def thunk(call):
    """`Tensor p = ...; f(p); p` as a function that returns the last expression."""
    *statements, last = call.split(";")
    return "[] { " + "".join(s.strip() + "; " for s in statements) + f"return {last.strip()}; }}"


def on_tensors(op):
    """A pointwise op as a function of an array of tensors; host numbers are given."""
    args, numbers = [], iter(("-0.5", "1.5"))
    for i, a in enumerate(op.operands):
        args.append(next(numbers) if a.type == "Number" else f"x[{i}]")
    return f"[](const Tensor *x) {{ return {op.label}({', '.join(args)}); }}"


def rows(records):
    out = []
    for op in records.functions_of_tensors:
        for e in op["examples"]:
            out.append(f"TENSORJIT_EXAMPLE({text(e['call'])}, {text(e['output'])}, {thunk(e['call'])})\n")
        for e in op["special"]:
            out.append(f"TENSORJIT_EDGE({text(op.label)}, {text(e['input'])}, {text(e['output'])}, {on_tensors(op)})\n")
        if "lo" in op.sample:
            tensors = sum(a.type in ("Tensor", "Operand") for a in op.operands)
            flags = "true" if op["promote"] == "Branches" else "false"
            differentiable = "true" if op.differentiable else "false"
            out.append(
                f"TENSORJIT_RANGE({text(op.label)}, OpClass::{op['cls']}, {tensors}, {op.sample['lo']}, {op.sample['hi']}, "
                f"{flags}, {differentiable}, ({on_tensors(op)}))\n"
            )
        for call in op.sample.get("calls", []):
            differentiable = "true" if op.differentiable else "false"
            out.append(f"TENSORJIT_SAMPLE({text(call)}, OpClass::{op['cls']}, {differentiable}, {thunk(call)})\n")
    return "".join(out)
