"""Writes a small data set in the files of MNIST: images whose class shows as a bright row.

make_images.py FOLDER [LABEL] [--images=N]: with LABEL, every label is that number; N images to learn from and a third
as many to test with.
"""

import argparse
import os
import random
import struct


def write(path, magic, sizes, data):
    with open(path, "wb") as f:
        f.write(struct.pack(f">I{len(sizes)}I", magic, *sizes) + bytes(data))


parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("label", nargs="?", type=int)
parser.add_argument("--images", type=int, default=300)
arguments = parser.parse_args()
folder = arguments.folder
os.makedirs(folder, exist_ok=True)
random.seed(0)
for prefix, count in (("train", arguments.images), ("t10k", arguments.images // 3)):
    labels = [random.randrange(10) for _ in range(count)]
    pixels = []
    for label in labels:
        for row in range(28):
            bright = row // 2 - 4 == label
            pixels += [random.randrange(156, 256) if bright else random.randrange(0, 100) for _ in range(28)]
    if arguments.label is not None:
        labels = [arguments.label] * count
    write(f"{folder}/{prefix}-images-idx3-ubyte", 0x803, (count, 28, 28), pixels)
    write(f"{folder}/{prefix}-labels-idx1-ubyte", 0x801, (count,), labels)
