"""Precision, recall, density and coverage at k = 5 with the authors' package prdc, of as many
generated as real points of dimension 512 in float32. Prints wall and processor seconds, without imports and drawing. usage: peer_prdc.py POINTS"""
import os
import sys
import time

sys.path.pop(0)  # the script prdc.py next to this file is not the package

import numpy as np
from prdc import compute_prdc


def main(n):
    rng = np.random.default_rng(1)
    real = rng.standard_normal((n, 512), dtype=np.float32)
    fake = rng.standard_normal((n, 512), dtype=np.float32) + np.float32(0.05)
    wall, cpu = time.perf_counter(), sum(os.times()[:4])
    scores = compute_prdc(real, fake, 5)
    print("seconds", time.perf_counter() - wall, sum(os.times()[:4]) - cpu)
    print(scores)


if __name__ == "__main__":
    main(int(sys.argv[1]))
