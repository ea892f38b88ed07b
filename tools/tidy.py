#!/usr/bin/env python3
"""clang-tidy on the sources of a configured build folder, within a time limit.

What has passed is not looked at again until it, a header that it includes, its command or the checks change. Sources
that differ from a commit come first, then the runtime's core, then the others, in an order that each commit changes, so
that short runs see all of them in time.

    tools/tidy.py [--build build] [--limit SECONDS] [--since COMMIT]
"""
import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKED = ("runtime", "compiler", "dialects", "tools")
CORE = ("runtime/core", "runtime/trace", "runtime/execute", "runtime/file", "runtime/interop")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# A compile of many sources at once includes them.
OPTIONS = ["--quiet", "--checks=-bugprone-suspicious-include", f"--config-file={ROOT}/.clang-tidy",
           f"--header-filter=^{ROOT}/({'|'.join(CHECKED)})/"]


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout


class Unit:
    """One compile, of one source or of many together."""

    def __init__(self, entry):
        self.path = Path(entry["directory"], entry["file"])
        self.command = entry["command"]
        folders = [Path(w[2:]) for w in shlex.split(self.command) if w.startswith("-I")]
        self.texts = {}
        waiting = [self.path]
        while waiting:
            path = waiting.pop()
            if path in self.texts or not path.is_file():
                continue
            self.texts[path] = path.read_text()
            for name in INCLUDE.findall(self.texts[path]):
                found = next((f for f in (folder / name for folder in [path.parent, *folders]) if f.is_file()), None)
                if found:
                    waiting.append(found.resolve())

    def own(self):
        """Its sources that are not generated, relative to the root."""
        names = [p.relative_to(ROOT).as_posix() for p in self.texts if p.suffix == ".cpp" and p.is_relative_to(ROOT)]
        return [n for n in names if n.startswith(tuple(f + "/" for f in CHECKED))]

    def key(self, checks):
        parts = [checks, self.command, *(f"{p}\n{t}" for p, t in sorted(self.texts.items()))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", type=Path)
    parser.add_argument("--limit", default=float("inf"), type=float, help="no source is begun after so many seconds")
    parser.add_argument("--since", help="sources that differ from this commit come first")
    options = parser.parse_args()
    end = time.monotonic() + options.limit
    build = (ROOT / options.build).resolve()

    version = subprocess.run(["clang-tidy-22", "--version"], capture_output=True, text=True, check=True).stdout
    checks = version + (ROOT / ".clang-tidy").read_text() + str(OPTIONS)
    passed = build / "tidy"
    passed.mkdir(exist_ok=True)
    changed = set(git("diff", "--name-only", options.since).split()) if options.since else set()
    commit = git("rev-parse", "HEAD")

    def order(unit):
        names = [p.relative_to(ROOT).as_posix() for p in unit.texts if p.is_relative_to(ROOT)]
        is_core = any(n.startswith(CORE) for n in unit.own())
        return not changed & set(names), not is_core, hashlib.sha256((commit + str(unit.path)).encode()).hexdigest()

    units = [Unit(e) for e in json.loads((build / "compile_commands.json").read_text())]
    units = [u for u in units if u.own() and "-fopenmp" not in u.command]  # GCC's omp.h is not clang's
    keys = {u: u.key(checks) for u in units}
    todo = sorted((u for u in units if not (passed / keys[u]).exists()), key=order)

    def check(unit):
        if time.monotonic() > end:
            return None
        run = subprocess.run(["clang-tidy-22", "-p", build, *OPTIONS, unit.path], capture_output=True, text=True)
        if run.returncode == 0:
            (passed / keys[unit]).touch()
        return run

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(check, todo))
    findings = {r.stdout or r.stderr for r in runs if r and r.returncode}
    for text in sorted(findings):
        print(text)
    left = sum(r is None for r in runs)
    print(f"clang-tidy: {len(units) - len(todo)} compiles known to be clean, {len(todo) - left} looked at, "
          f"{len([r for r in runs if r and r.returncode])} with findings, {left} left for another run")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
