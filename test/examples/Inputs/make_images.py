"""Writes a small data set in the files of MNIST: images whose class shows as a bright row.

make_images.py FOLDER [LABEL]: with LABEL, every label is that number.
"""

import os
import random
import struct
import sys


def write(path, magic, sizes, data):
    with open(path, "wb") as f:
        f.write(struct.pack(f">I{len(sizes)}I", magic, *sizes) + bytes(data))


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
random.seed(0)
for prefix, count in (("train", 300), ("t10k", 100)):
    labels = [random.randrange(10) for _ in range(count)]
    pixels = []
    for label in labels:
        for row in range(28):
            bright = row // 2 - 4 == label
            pixels += [random.randrange(156, 256) if bright else random.randrange(0, 100) for _ in range(28)]
    if len(sys.argv) > 2:
        labels = [int(sys.argv[2])] * count
    write(f"{folder}/{prefix}-images-idx3-ubyte", 0x803, (count, 28, 28), pixels)
    write(f"{folder}/{prefix}-labels-idx1-ubyte", 0x801, (count,), labels)
