"""Turns op records into C++. A run handles one family:

  main.py family NAME NUMBER RECORDS.json OUT     headers, bodies, rows, functors and builders of a family
  main.py functions RECORDS.json OUT              the scalar functions
  main.py docs OUT FAMILY=RECORDS.json ...        the reference page

A file is written only when its text changes, so that ninja stops early.
"""

import os
import sys

import api
import docs
import rows
import scalar
import tests
from records import Records

INCLUDES = """#include "autograd/Vjp.h"
#include "core/Dispatch.h"
#include "core/InF32.h"
#include "core/InPlace.h"
#include "eager/Pointwise.h"
#include "eager/{family}Kernels.h"
#include "op/Adapt.h"
#include "op/DTypeSet.h"
#include "op/Families.h"
#include "op/Normalize.h"
#include "op/OpId.h"
#include "op/infer/Infer.h"
#include "op/vjp/Gradients.h"
#include "tensorjit/ops.h"

#include <utility>

"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path) as f:
            if f.read() == text:
                return
    with open(path, "w") as f:
        f.write(text)


def source(records):
    includes = INCLUDES.format(family=records.family)
    return f"{includes}namespace tensorjit {{\n\n{api.bodies(records)}{rows.table(records)}\n}} // namespace tensorjit\n"


def family(name, number, json, out):
    records = Records(json, name)
    problems = list(records.missing())
    if problems:
        raise SystemExit("\n".join(f"error: op record {p}" for p in problems))
    write(f"{out}/tensorjit/ops/{name}.h", api.header(records))
    write(f"{out}/tensorjit/ops/{name}Methods.inc", api.methods(records))
    write(f"{out}/tensorjit/ops/{name}Ids.inc", rows.ids(records, 256 * int(number)))
    write(f"{out}/op/{name}Ids.h", rows.id_constants(records, 256 * int(number)))
    write(f"{out}/op/{name}.cpp", source(records))
    write(f"{out}/op/{name}Vjps.inc", rows.handwritten_vjps(records))
    write(f"{out}/eager/{name}Kernels.h", rows.eager_declarations(records))
    write(f"{out}/eager/{name}.inc", scalar.functors(records))
    write(f"{out}/lower/{name}.inc", scalar.builders(records))
    write(f"{out}/test/{name}.inc", tests.rows(records))


def functions(json, out):
    records = Records(json)
    write(f"{out}/eager/ScalarFns.inc", scalar.scalar_functions(records, scalar.Cxx()))
    write(f"{out}/lower/ScalarFnNames.inc", scalar.function_names(records))
    write(f"{out}/lower/ScalarFns.inc", scalar.scalar_functions(records, scalar.Mlir()))


def reference(out, *families):
    pairs = [f.split("=") for f in families]
    write(f"{out}/docs/ops.md", docs.page([Records(json, name) for name, json in pairs]))


if __name__ == "__main__":
    {"family": family, "functions": functions, "docs": reference}[sys.argv[1]](*sys.argv[2:])
