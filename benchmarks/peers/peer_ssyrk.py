"""OpenBLAS's symmetric product x·xᵀ of a float32 array, a floor under all its distances:
seconds, the first call apart.
usage: peer_ssyrk.py X.npy [REPETITIONS], or peer_ssyrk.py N D [REPETITIONS] for random values"""
import sys
import time

import numpy as np
from scipy.linalg.blas import ssyrk

if sys.argv[1].endswith(".npy"):
    x, rest = np.load(sys.argv[1]).astype(np.float32, copy=False), sys.argv[2:]
else:
    x, rest = np.random.default_rng(1).random((int(sys.argv[1]), int(sys.argv[2])), dtype=np.float32), sys.argv[3:]
times = int(rest[0]) if rest else 3
c = np.zeros((len(x), len(x)), np.float32, order="F")
for i in range(times + 1):
    start = time.perf_counter()
    ssyrk(1.0, x.T, trans=1, c=c, overwrite_c=1)
    print("first" if i == 0 else "warm", f"{time.perf_counter() - start:.3f}", flush=True)
