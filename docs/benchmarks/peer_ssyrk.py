"""OpenBLAS's symmetric product x·xᵀ of a float32 array of n rows of D random values, a
floor under all its distances: seconds, the first call apart.
usage: peer_ssyrk.py N D [REPETITIONS]"""
import sys
import time
import numpy as np
from scipy.linalg.blas import ssyrk

n, dim, times = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 3
x = np.random.default_rng(1).random((n, dim), dtype=np.float32)
c = np.zeros((n, n), np.float32, order="F")
for i in range(times + 1):
    start = time.perf_counter()
    ssyrk(1.0, x.T, trans=1, c=c, overwrite_c=1)
    print("first" if i == 0 else "warm", f"{time.perf_counter() - start:.2f}", flush=True)
