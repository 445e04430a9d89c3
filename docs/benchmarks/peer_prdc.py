"""Precision, recall, density and coverage at k = 5 with the authors' package prdc, of as many
generated as real points of dimension 512 in float32. Prints wall and processor seconds, without
imports and drawing. usage: peer_prdc.py POINTS"""
import sys
import time

import numpy as np
from prdc import compute_prdc

n = int(sys.argv[1])
rng = np.random.default_rng(1)
real = rng.standard_normal((n, 512), dtype=np.float32)
fake = rng.standard_normal((n, 512), dtype=np.float32) + np.float32(0.05)
wall, cpu = time.perf_counter(), time.process_time()
scores = compute_prdc(real, fake, 5)
print("seconds", time.perf_counter() - wall, time.process_time() - cpu)
print(scores)
