"""Which objects a new op compiles again: fails where one depends on the generated headers of all ops that need not.

  op_header_users.py NINJA BUILD_DIR FILE...

FILEs are the sources of the runtime that know the class Tensor, relative to runtime/. All else in the folders below
knows TensorBase, and the ids of single families.
"""

import re
import subprocess
import sys

# What the op records generate for every op: methods and functions, and the enumerators of OpId.
HEADERS = re.compile(r"generated/tensorjit/ops/(\w+Methods\.inc|OpId\.inc|AllFamilies\.inc)$")
# Folders of an object's source, or the group that it was compiled with.
GUARDED = re.compile(
    r"^(runtime/CMakeFiles/tensorjit\.dir/"
    r"((autograd|core|data|device|eager|execute|file|graph|interop|log|trace)/|op/infer/|Unity/unity_(core|trace)_)"
    r"|dialects/|compiler/)"
)


def users(ninja, build):
    """Each object that depends on one of HEADERS, with the first of them, and the number of all objects."""
    text = subprocess.run([ninja, "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    first, count, target = {}, 0, ""
    for line in text.splitlines():
        if line and not line.startswith((" ", "ninja:")):
            target = line.split(":")[0]
            count += 1
        elif HEADERS.search(line):
            first.setdefault(target, line.strip())
    return first, count


def main(ninja, build, *tensor_files):
    first, count = users(ninja, build)
    known = tuple(f"/{f}.o" for f in tensor_files)
    wrong = sorted(t for t in first if GUARDED.match(t) and not t.endswith(known))
    for target in wrong:
        print(f"{target} includes {first[target]}")
    if not first:
        print(f"no object of {count} includes a header of all ops: the check looks for the wrong files")
    return 1 if wrong or not first else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
