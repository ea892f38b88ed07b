"""Finds lit tests that check less than they seem to.

- a RUN or CHECK directive without its colon,
- a FileCheck prefix named on a RUN line that no line of the file uses,
- a check line whose prefix no RUN line names,
- a file that FileCheck reads without a single check.
"""

import os
import re
import sys
import tempfile

COMMENT = r"^\s*(?://|#|;|--)?\s*"
SUFFIXES = r"(?:-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT-\d+))?"
RUN = re.compile(COMMENT + r"RUN:\s*(.*)")
NO_COLON = re.compile(r"^\s*(?://|#|;)\s*(RUN|[A-Z][A-Z0-9_-]*CHECK[A-Z0-9-]*|CHECK[A-Z0-9-]*)\s+\S")
CHECK = re.compile(r"^\s*(?://|#|;)?\s*([A-Z][A-Z0-9_-]*?)" + SUFFIXES + r"(?:\{[A-Z]+\})?:")
KNOWN = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "NOTE", "DEFINE", "REDEFINE", "ALLOW_RETRIES"}


def prefixes_of(run):
    found = set()
    for command in re.findall(r"FileCheck\b([^|;&]*)", run):
        named = re.findall(r"--?check-prefix(?:es)?[= ](\S+)", command)
        found.update(p for names in named for p in names.split(","))
        if not named:
            found.add("CHECK")
    return found


def lint(path):
    text = open(path, encoding="utf-8").read()
    lines = text.splitlines()
    # A backslash continues a RUN line on the next RUN line.
    run = re.sub(r"\\\n", " ", "\n".join(m.group(1) for m in map(RUN.match, lines) if m))
    wanted = prefixes_of(run)
    used = set()
    for number, line in enumerate(lines, 1):
        match = NO_COLON.match(line)
        if match:
            yield f"{path}:{number}: {match.group(1)} without its colon never runs"
        match = CHECK.match(line)
        if not match or match.group(1) in KNOWN:
            continue
        used.add(match.group(1))
        if match.group(1).find("CHECK") >= 0 and match.group(1) not in wanted:
            yield f"{path}:{number}: no RUN line names the prefix {match.group(1)}"
    if not run:
        yield f"{path}: no RUN line"
    for prefix in sorted(wanted - used):
        yield f"{path}: no line uses the FileCheck prefix {prefix}"


def tests_below(folder):
    for root, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f != "Inputs"]
        yield from (os.path.join(root, f) for f in files if f.endswith((".mlir", ".test")))


def self_test():
    cases = {
        "// RUN: opt %s | FileCheck %s\n// CHECK: x\n": 0,
        "// RUN: opt %s | FileCheck %s\n// CHECK x\n": 2,
        "// RUN opt %s | FileCheck %s\n": 2,
        "// RUN: opt %s | FileCheck %s --check-prefix=A\n// CHECK: x\n": 2,
        "// RUN: opt %s | FileCheck %s --check-prefixes=A,B\n// A: x\n// B-NEXT: y\n": 0,
        "// RUN: opt %s \\\n// RUN:   | FileCheck %s --check-prefix=A\n// A-LABEL: x\n": 0,
        "// RUN: opt %s\n// CHECK-NEXT: x\n": 1,
    }
    for text, expected in cases.items():
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            found = list(lint(file.name))
        assert len(found) == expected, (text, found)


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        self_test()
        sys.exit(0)
    problems = [p for path in tests_below(sys.argv[1]) for p in lint(path)]
    print("\n".join(problems))
    sys.exit(bool(problems))
