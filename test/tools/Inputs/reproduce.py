"""Runs the command in the first line of each file named on the input, in this folder."""

import subprocess
import sys

for name in sys.stdin.read().split():
    with open(name) as file:
        command = file.readline().removeprefix("// ")
    subprocess.run(command, shell=True, check=True)
