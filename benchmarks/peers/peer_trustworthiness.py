"""Trustworthiness and continuity for k = 5, 10, 20 with scikit-learn, as its
documentation shows: six calls. Prints both scores for every k, and the seconds
without imports and reading. usage: peer_trustworthiness.py X.npy Z.npy"""
import sys
import time

import numpy as np
from sklearn.manifold import trustworthiness

x, z = np.load(sys.argv[1]), np.load(sys.argv[2])
start = time.perf_counter()
for k in (5, 10, 20):
    print(k, trustworthiness(x, z, n_neighbors=k), trustworthiness(z, x, n_neighbors=k))
print("seconds", f"{time.perf_counter() - start:.3f}")
