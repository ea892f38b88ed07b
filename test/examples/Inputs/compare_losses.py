"""Compares the losses that runs of small_cnn printed, epoch by epoch: sums are rounded in another order when compiled,
which training amplifies, so they agree to a thousandth at first and to a tenth later."""

import re
import sys

curves = [[float(v) for v in re.findall(r"loss ([0-9.]+)", open(path).read())] for path in sys.argv[1:]]
first = curves[0]
assert len(first) in (1, 5), first
for curve in curves[1:]:
    assert len(curve) == len(first), (first, curve)
    for epoch, (a, b) in enumerate(zip(first, curve)):
        assert abs(a - b) <= (0.001 if epoch == 0 else 0.1), (epoch, first, curve)
assert len(first) == 1 or first[-1] < first[0], first
