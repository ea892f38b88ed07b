"""The reference page of all ops."""

import api

CLASSES = {"E": "exact bits", "M": "error of one scalar function", "T": "within a tolerance"}


def section(op):
    names = api.names(op) or ([op.mnemonic + "_"] if op["updates"] else [op.mnemonic])
    what = "made of other ops" if op.composite else f"`tj.{op.mnemonic}`"
    out = [f"### {', '.join(names)}\n\n{what} — {op['summary']}\n\n"]
    if op["description"].strip():
        out.append(" ".join(op["description"].split()) + "\n\n")
    if op.arguments:
        out.append("| argument | | default |\n|---|---|---|\n")
        out += [f"| {a.name} | {a.doc} | {a.initial} |\n" for a in op.arguments]
    out += [f"\nResult: {r.doc}\n" for r in op.results]
    out.append(f"\nDtypes: {op['dtypes']['doc']}. Bits: {CLASSES[op['cls']]}. ")
    out.append(f"Derivative: {'yes' if op.differentiable else 'none, ' + op.vjp.reason}.")
    out.append(f" Errors: {op['errors']}\n" if op["errors"] else "\n")
    for e in op["examples"]:
        out.append(f"\n```cpp\n{e['call']} // {e['output']}\n```\n")
    return "".join(out) + "\n"


def page(families):
    out = ["# Ops\n\nGenerated from the op records.\n\n"]
    for records in families:
        out.append(f"## {records.family}\n\n")
        out += [section(op) for op in records.functions_of_tensors]
    return "".join(out)
